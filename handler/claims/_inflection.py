"""Inflected forms of English base forms, for words that take another word's place."""

from __future__ import annotations

from handler.claims._wordnet import PARTS_OF_SPEECH, lexicon, readings

__all__ = ["like", "participle", "plural", "third_person"]

_PLURALS = {
    "man": "men", "woman": "women", "child": "children", "person": "people", "foot": "feet", "tooth": "teeth",
    "mouse": "mice", "goose": "geese", "sheep": "sheep", "deer": "deer", "fish": "fish", "knife": "knives",
    "shelf": "shelves", "leaf": "leaves", "wolf": "wolves", "policeman": "policemen", "scarf": "scarves",
}  # fmt: skip
_PAST = {
    "run": "ran", "swim": "swam", "sit": "sat", "stand": "stood", "lie": "lay", "kneel": "knelt", "throw": "threw",
    "cut": "cut", "eat": "ate", "drink": "drank", "read": "read", "write": "wrote", "sleep": "slept", "sing": "sang",
    "ride": "rode", "drive": "drove", "bite": "bit", "speak": "spoke", "begin": "began", "shut": "shut", "hold": "held",
}  # fmt: skip
_SAME_PARTICIPLE = frozenset("run come become overcome cut put hit shut set let hurt read spread split".split())
_DOUBLING = frozenset(
    "run swim sit cut shut drop stop grab hug chop mop skip jog pat pet wrap hit put set let dig rub".split()
)


def plural(noun: str) -> str:
    """dog: dogs, box: boxes, baby: babies."""
    return _PLURALS.get(noun) or _with_s(noun)


def third_person(verb: str) -> str:
    """open: opens, push: pushes, carry: carries."""
    return _with_s(verb)


def participle(verb: str) -> str:
    """The past participle: WordNet's irregular form that looks like one, else -ed."""
    if verb in _SAME_PARTICIPLE:
        return verb
    words = lexicon()
    entries = {entry for entry in words.entries(verb) if PARTS_OF_SPEECH[words.pos[entry]] == "v"}
    irregular = [
        form
        for form, entry in zip(words.irregular, words.irregular_entry, strict=True)
        if entry in entries and not form.endswith(("ing", "s"))
    ]
    ending_in_n = [form for form in irregular if form.endswith(("n", "ne"))]
    chosen = max(ending_in_n or irregular, default="")
    return chosen or _with_ed(verb)


def like(form: str, lemma: str, pos: str, other: str) -> str | None:
    """`other` in the form in which `form` stands for its base form; None where that cannot be told."""
    if form == lemma:
        return other
    if pos == "n":
        return plural(other) if form == plural(lemma) or form.endswith("s") else None
    if pos == "v":
        if form.endswith("ing"):
            return _with_ing(other)
        if form == third_person(lemma):
            return third_person(other)
        return _PAST.get(other) or _with_ed(other) if form == (_PAST.get(lemma) or _with_ed(lemma)) else None
    return None


def is_plural(form: str, lemma: str) -> bool:
    """Whether a noun's form is its plural."""
    return form != lemma and any(one.pos == "n" and one.lemma == lemma for one in readings(form))


def _with_s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")) or word in {"go", "do", "potato", "tomato"}:
        return word + "es"
    return word[:-1] + "ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else word + "s"


def _with_ed(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + verb[-1] + "ed" if verb in _DOUBLING else verb + "ed"


def _with_ing(verb: str) -> str:
    if verb == "lie":
        return "lying"
    if verb.endswith("e") and not verb.endswith(("ee", "ye", "oe")):
        return verb[:-1] + "ing"
    return verb + verb[-1] + "ing" if verb in _DOUBLING else verb + "ing"
