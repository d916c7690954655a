"""`python -m model_export.claims.lexicon --wordnet DIR|.deb --output FILE`: the pruned lexicon of `vision.claims`.

Kept: single words in lower case, their four most frequent senses, hypernyms, antonyms, similar adjectives, derived forms,
irregular forms and tag counts. Left out: phrases, names (instances), glosses, examples. The same files give the same
bytes. WordNet's licence is written beside the lexicon, as it demands.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handler.errors import ScenescoreError
from model_export.claims.wordnet_files import POS_NAMES, Synset, WordNet, read_wordnet

__all__ = ["N_SENSES", "build_lexicon", "main", "write_lexicon"]

N_SENSES = 4
_WORD = re.compile(r"[a-z]+(?:['-][a-z]+)*\Z")
_POS = tuple(POS_NAMES)
_ATTRIBUTION = (
    "The lexicon beside this file is derived from WordNet (Princeton University, https://wordnet.princeton.edu):\n"
    "single words, their first senses and the relations between them, without glosses and examples.\n"
    "WordNet's licence and notice follow.\n\n"
)

Key = tuple[str, int]
Entry = tuple[str, str]
"""Lemma and part of speech."""


def build_lexicon(wordnet: WordNet) -> dict[str, NDArray[np.generic]]:
    """Arrays of the lexicon. Lists of lists are flat, with their lengths beside them (`n_…`, one per owner)."""
    senses = _kept_senses(wordnet)
    entries = sorted(senses, key=lambda entry: (entry[0], _POS.index(entry[1])))
    words = sorted({word for word, _ in entries})
    keys = _reached(wordnet, senses)
    entry_at = {entry: i for i, entry in enumerate(entries)}
    word_at = {word: i for i, word in enumerate(words)}
    synset_at = {key: i for i, key in enumerate(keys)}
    per_word = np.zeros(len(words), np.uint8)
    for word, _ in entries:
        per_word[word_at[word]] += 1
    irregular = sorted(
        (form, entry_at[base, pos])
        for (form, pos), bases in wordnet.exceptions.items()
        for base in bases[:1]
        if (base, pos) in entry_at and _WORD.match(form)
    )
    lexical = [_lexical_links(wordnet, entry, senses[entry]) for entry in entries]
    return {
        "words": _blob(words),
        "n_entries": per_word,
        "pos": np.array([_POS.index(pos) for _, pos in entries], np.uint8),
        "count": np.array([min(wordnet.counts.get(entry, 0), 65535) for entry in entries], np.uint16),
        **_flat("senses", [[synset_at[key] for key in senses[entry]] for entry in entries]),
        **_flat("antonyms", [_indices(links["!"], entry_at) for links in lexical]),
        **_flat("derived", [_indices(links["+"], entry_at) for links in lexical]),
        "field": np.array([wordnet.synsets[key].field for key in keys], np.uint8),
        **_flat("hypernyms", [_targets(wordnet.synsets[key], ("@",), synset_at) for key in keys]),
        **_flat("similar", [_targets(wordnet.synsets[key], ("&",), synset_at) for key in keys]),
        "irregular": _blob([form for form, _ in irregular]),
        "irregular_entry": np.array([entry for _, entry in irregular], np.uint32),
    }


def _kept_senses(wordnet: WordNet) -> dict[Entry, tuple[Key, ...]]:
    """Per word and part of speech the first senses that are not names of one thing."""
    kept = {}
    for (word, pos), keys in wordnet.senses.items():
        if not _WORD.match(word):
            continue
        common = [key for key in keys if not any(symbol == "@i" for symbol, *_ in wordnet.synsets[key].pointers)]
        if common:
            kept[word, pos] = tuple(common[:N_SENSES])
    return kept


def _reached(wordnet: WordNet, senses: dict[Entry, tuple[Key, ...]]) -> list[Key]:
    """Synsets of the kept senses and everything above them or similar to them, in a fixed order."""
    waiting = [key for keys in senses.values() for key in keys]
    found = set(waiting)
    while waiting:
        key = waiting.pop()
        for symbol, target, _, _ in wordnet.synsets[key].pointers:
            if symbol in ("@", "&") and target not in found:
                found.add(target)
                waiting.append(target)
    return sorted(found, key=lambda key: (_POS.index(key[0]), key[1]))


def _lexical_links(wordnet: WordNet, entry: Entry, keys: Iterable[Key]) -> dict[str, list[Entry]]:
    """Antonyms ("!") and derived forms ("+") of a word in its kept senses: pointers between words, not synsets."""
    links: dict[str, list[Entry]] = {"!": [], "+": []}
    for key in keys:
        synset = wordnet.synsets[key]
        numbers = {0} | {i for i, word in enumerate(synset.words, start=1) if word.lower() == entry[0]}
        for symbol, target, source_number, target_number in synset.pointers:
            if symbol in links and source_number in numbers:
                names = wordnet.synsets[target].words
                links[symbol].append((names[max(target_number, 1) - 1].lower(), target[0]))
    return links


def _indices(entries: Iterable[Entry], at: dict[Entry, int]) -> list[int]:
    return sorted({at[entry] for entry in entries if entry in at})


def _targets(synset: Synset, symbols: tuple[str, ...], at: dict[Key, int]) -> list[int]:
    return [at[target] for symbol, target, _, _ in synset.pointers if symbol in symbols]


def _flat(name: str, lists: Sequence[Sequence[int]]) -> dict[str, NDArray[np.generic]]:
    return {
        f"n_{name}": np.array(
            [len(one) for one in lists], np.uint8 if max(map(len, lists), default=0) < 256 else np.uint16
        ),
        name: np.array([value for one in lists for value in one], np.uint32),
    }


def _blob(words: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode("ascii"), np.uint8)


def write_lexicon(wordnet: WordNet, output: Path) -> None:
    """Write the lexicon (.npz, deflated) and WORDNET-LICENSE.txt beside it."""
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **build_lexicon(wordnet))
    (output.parent / "WORDNET-LICENSE.txt").write_text(_ATTRIBUTION + wordnet.notice, "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the lexicon. Returns 0, or 2 when the files cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m model_export.claims.lexicon", description=__doc__)
    parser.add_argument("--wordnet", type=Path, required=True, help="WordNet's folder, or Debian's wordnet-base .deb")
    parser.add_argument(
        "--output", type=Path, required=True, help="the lexicon to write: handler/claims/data/wordnet.npz"
    )
    options = parser.parse_args(arguments)
    try:
        write_lexicon(read_wordnet(options.wordnet), options.output)
    except ScenescoreError as error:
        print(f"lexicon: {error}", file=sys.stderr)
        return error.exit_code
    print(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
