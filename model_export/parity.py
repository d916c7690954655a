"""The parity gate: the shipped run time against the trained model, on texts chosen to make them differ.

A graph that pools the wrong way, drops the normalisation, cuts at another length or lower-cases differently still
gives plausible scores. So an export carries the mark "verified" only after `handler.models.TextEncoder` on the
exported folder and sentence-transformers on torch have said the same about every text here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handler.models import TextEncoder
from model_export.known import KnownModel

__all__ = ["MAX_COMPONENT_DIFFERENCE", "MAX_COSINE_ERROR", "check_parity", "parity_line", "parity_texts"]

MAX_COMPONENT_DIFFERENCE = 1e-5  # of vectors scaled so that the original has length 1
MAX_COSINE_ERROR = 1e-5  # between the two vectors of one text, and between the cosines of any two texts
_SHOWN_CHARACTERS = 80

Vectors = NDArray[np.float64]


def parity_texts(max_tokens: int) -> list[str]:
    """The texts of the gate: our own list, and long ones on both sides of the model's token limit."""
    groups = json.loads((Path(__file__).parent / "data" / "parity_texts.json").read_text(encoding="utf-8"))
    texts = [text for group in groups.values() for text in group]
    words = ["the", "red", "car", "is", "near", "a", "door"]
    # Two special tokens is usual, so these lie at the limit - 2 to the limit + 2, and well over twice the limit.
    lengths = [*range(max(1, max_tokens - 4), max_tokens + 1), 3 * max_tokens]
    long_texts = [" ".join(words[position % len(words)] for position in range(n_words)) for n_words in lengths]
    return list(dict.fromkeys([*texts, *long_texts]))


def check_parity(folder: Path, original: Any, known: KnownModel | None) -> dict[str, Any]:
    """Compare the exported folder with the loaded sentence-transformers model. Returns the card's `parity`.

    Differences are dimensionless: cosines, and components of vectors divided by the length of the original's vector.
    `failures` says in words what did not hold; `verified` is true when it is empty.
    """
    encoder = TextEncoder(folder)
    published = known.published if known else {}
    texts = list(
        dict.fromkeys([*parity_texts(encoder.card.max_tokens), *(text for pair in published for text in pair)])
    )
    expected = original.encode(texts, batch_size=1, show_progress_bar=False, convert_to_numpy=True)
    with np.errstate(all="ignore"):
        figures = _compare(np.asarray(expected, np.float64), encoder.encode(texts).vectors.astype(np.float64), texts)
        cosines = {pair: _cosine(encoder, pair) for pair in published}
    figures["token_ids_equal"] = not (differing := _differing_ids(folder, encoder, original, texts))
    figures["published"] = {
        " | ".join(pair): {"expected": published[pair], "measured": round(cosine, 4)}
        for pair, cosine in cosines.items()
    }
    failures = _failures(figures, differing)
    return {"verified": not failures, "n_texts": len(texts), **figures, "failures": failures}


def parity_line(parity: dict[str, Any]) -> str:
    """The result of the gate as one line for people."""
    mark = "verified" if parity["verified"] else "NOT VERIFIED: " + "; ".join(parity["failures"])
    return (
        f"parity {mark}: {parity['n_texts']} texts, largest component difference {parity['max_component_difference']},"
        f" largest cosine error {parity['max_cosine_error']}"
    )


def _compare(expected: Vectors, found: Vectors, texts: list[str]) -> dict[str, Any]:
    if expected.shape != found.shape:
        return {"max_component_difference": None, "max_cosine_error": None, "worst_text": None}
    length = np.linalg.norm(expected, axis=1, keepdims=True)
    expected, found = expected / length, found / length
    components = np.abs(expected - found).max(axis=1)
    found = found / np.linalg.norm(found, axis=1, keepdims=True)
    own = np.abs(1 - (expected * found).sum(axis=1))
    pairwise = np.abs(expected @ expected.T - found @ found.T)
    worst = int(np.argmax(components))  # argmax takes the first NaN for the largest, as it should here
    return {
        "max_component_difference": _figure(components.max()),
        "max_cosine_error": _figure(max(own.max(), pairwise.max(), key=lambda one: (np.isnan(one), one))),
        "worst_text": texts[worst][:_SHOWN_CHARACTERS],
    }


def _figure(number: float) -> float | None:
    """A number for JSON: three digits, and None for one that is not finite."""
    return float(f"{number:.3g}") if np.isfinite(number) else None


def _cosine(encoder: TextEncoder, pair: tuple[str, str]) -> float:
    first, second = encoder.encode(pair).vectors.astype(np.float64)
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


def _differing_ids(folder: Path, encoder: TextEncoder, original: Any, texts: list[str]) -> list[str]:
    """Texts whose token ids differ from the original's, by the run time or by the bare tokenizer file."""
    from tokenizers import Tokenizer

    bare = Tokenizer.from_file(str(folder / "tokenizer.json"))
    differing = []
    for text in texts:
        expected = original.preprocess([text])["input_ids"][0].tolist()
        if encoder.token_ids(text)[0] != expected or bare.encode(text).ids != expected:
            differing.append(text)
    return differing


def _failures(figures: dict[str, Any], differing: list[str]) -> list[str]:
    failures = []
    if differing:
        failures.append(f"token ids differ on {len(differing)} texts, first {differing[0][:_SHOWN_CHARACTERS]!r}")
    for name, limit in (("max_component_difference", MAX_COMPONENT_DIFFERENCE), ("max_cosine_error", MAX_COSINE_ERROR)):
        figure = figures[name]
        if figure is None or figure > limit:
            shown = "not a number" if figure is None else figure
            failures.append(f"{name} is {shown}, allowed {limit} (worst text {figures['worst_text']!r})")
    for pair, cosine in figures["published"].items():
        if cosine["measured"] != cosine["expected"]:
            failures.append(f"the cosine of {pair!r} is {cosine['measured']}, published {cosine['expected']}")
    return failures
