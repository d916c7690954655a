"""Words that the tokeniser knows: abbreviations, and what a sentence begins with.

Found by asking the Stanford PTBTokenizer 3.4.1 about every word of up to five letters and those of a dictionary.
"""

from __future__ import annotations

__all__ = ["CLOSING", "CLOSING_CAPITALISED", "CLOSING_UNCAPITALISED", "NUMBERING", "OPENING", "STARTERS"]

CLOSING = (
    "al ala apr ariz assn aug bancorp bhd bldg blvd bros calif co colo conn corp cos ct dak dec esq est etc ext feb fla "
    "fri ga inc ind intl jan jr jul jun kan kans ky ltd mar md mich minn mo mon mont neb nev nov oct okla penn plc rd rt "
    "sep sept seq sq sr sys tel tenn thu thurs tue tues univ va vt wed wis wisc wyo"
).split()
"""Abbreviations that may end a sentence."""

CLOSING_CAPITALISED = "Ark Az Del Ill La Mass Miss Ore Pa Tex Wash".split()
"""The same, words of their own unless capitalised."""

CLOSING_UNCAPITALISED = "pte pty ptes ptys ppte ppty pptes pptys".split()
"""The same, not known in capitals."""

OPENING = (
    "adj adm adv alex assoc asst atty attys ave brig capt cf cie cmdr col comdr cpl dept det dr drs elec ens ft gen gov "
    "govs hon insp invt jos lieut lt maj messrs mfg mlle mme mr mrs ms msgr mt mtg natl pfc ph pres prof profs pvt rep "
    "reps rev sen sens sfc sgt spc st ste supt supts treas vs wm"
).split()
"""Abbreviations that something follows: titles, ranks, units."""

NUMBERING = "art ca fig figs no nos op pp prop".split()
"""Abbreviations only before a number."""

STARTERS = (
    "A About According Additionally After An As At But Earlier He Her Here However If In It Last Many More Now Once One "
    "Other Our She Since So Some Such That The Their Then There These They This We What When While Yet You"
).split()
"""Words before which the full stop behind a letter ends a sentence; also in capitals."""
