"""The calibration texts: what the int8 graph's scales and weights are fitted to, made here and the same everywhere.

A tier fitted to captions alone had twice the error on other texts, so these are broad: captions, headlines, questions,
claims, long descriptions as vision-language models write them, code, other scripts, rare words, and texts at the
model's limit. All sentences are our own; rare words come from the model's vocabulary.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import random
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

__all__ = ["calibration_texts", "docstring_pairs", "gate_pairs", "whole_words"]

N_CAPTIONS, N_STATEMENTS, N_DESCRIPTIONS, N_LONG = 520, 620, 60, 8
_MODULES = (
    "argparse calendar collections datetime email.message fractions ftplib gettext logging mailbox optparse pathlib shutil"
    " smtplib statistics tarfile textwrap zipfile"
).split()
_DOCSTRING = (20, 250)  # characters
_SLOT = re.compile(r"\{(\w+)\}")

Grammar = dict[str, Any]


def calibration_texts(words: Sequence[str], *, seed: int = 0) -> list[str]:
    """Some 1,400 distinct texts, 22,000 tokens of all-mpnet-base-v2. words: of the vocabulary, see `whole_words`."""
    grammar, rng = _grammar(), random.Random(seed)  # noqa: S311 - the same texts everywhere are the point
    texts = list(grammar["written"])
    texts += _made(grammar, "captions", N_CAPTIONS, words, rng)
    texts += _made(grammar, "statements", N_STATEMENTS, words, rng)
    texts += [" ".join(_made(grammar, "details", rng.randint(3, 9), words, rng)) for _ in range(N_DESCRIPTIONS)]
    texts += [" ".join(_made(grammar, kind, 60, words, rng)) for kind in ("details", "statements") * (N_LONG // 2)]
    return list(dict.fromkeys(texts))


def gate_pairs(words: Sequence[str], n: int, *, seed: int = 1) -> list[tuple[str, str]]:
    """n pairs of texts that calibration has not seen. Two thirds differ in one part only, as contradictions do."""
    grammar, rng = _grammar(), random.Random(seed)  # noqa: S311 - sentences, no secrets
    seen = set(calibration_texts(words))
    pairs: list[tuple[str, str]] = []
    while len(pairs) < n:
        template = rng.choice(grammar[("captions", "statements", "details")[len(pairs) % 3]])
        first = _filled(template, grammar, words, rng)
        second = _filled(template, grammar, words, rng) if len(pairs) % 9 < 3 else _varied(first, grammar, rng)
        if first not in seen and second not in seen:
            pairs.append((first, second))
    return pairs


def docstring_pairs(n: int) -> list[tuple[str, str]]:
    """n pairs of neighbouring docstrings of Python's own library: English that nobody here wrote, on every machine."""
    texts = dict.fromkeys(text for name in _MODULES for text in _docstrings(name))
    chosen = list(texts)[: 2 * n]
    return list(zip(chosen[::2], chosen[1::2], strict=False))


def _docstrings(module: str) -> list[str]:
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.origin:
        return []
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.ClassDef)
    found = [ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, kinds)]
    paragraphs = [" ".join(one.split("\n\n")[0].split()) for one in found if one]
    return [text for text in paragraphs if _DOCSTRING[0] <= len(text) <= _DOCSTRING[1]]


def whole_words(tokenizer: Path) -> list[str]:
    """Words of a tokenizer.json's vocabulary that are one token: letters only, at least three."""
    vocabulary = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
    return sorted(word for word in vocabulary if re.fullmatch("[a-z]{3,}", word))


@lru_cache(maxsize=1)
def _grammar() -> Grammar:
    path = Path(__file__).parents[1] / "data" / "calibration.json"
    grammar: Grammar = json.loads(path.read_text(encoding="utf-8"))
    return grammar


def _made(grammar: Grammar, kind: str, n: int, words: Sequence[str], rng: random.Random) -> list[str]:
    templates = grammar[kind]
    return [_filled(templates[number % len(templates)], grammar, words, rng) for number in range(n)]


def _filled(template: str, grammar: Grammar, words: Sequence[str], rng: random.Random) -> str:
    text = _SLOT.sub(lambda slot: rng.choice(words if slot[1] == "w" else grammar["slots"][slot[1]]), template)
    return text[:1].upper() + text[1:] if template.endswith(".") else text


def _varied(text: str, grammar: Grammar, rng: random.Random) -> str:
    """The text with one phrase of the grammar put in place of another of its kind, else with a word left out."""
    found = [(one, phrases) for phrases in grammar["slots"].values() for one in phrases if one in text]
    if found:
        phrase, phrases = rng.choice(found)
        return text.replace(phrase, rng.choice([other for other in phrases if other != phrase]), 1)
    words = text.split()
    del words[rng.randrange(len(words))]
    return " ".join(words) or text
