"""The gate of the int8 tier: its cosines against those of the fp32 folder it was made from, on texts it was not fitted to.

Absolute scores are compared, not their order: a threshold stands on absolute scores.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handler.models import TextEncoder, TokenVectors
from handler.settings import DEFAULT_THRESHOLD
from model_export.compact.text import calibration_texts, docstring_pairs, gate_pairs, whole_words

__all__ = ["LIMITS", "check_compact", "compact_line", "error_figures"]

LIMITS = {"mean_error": 0.002, "p999_error": 0.012, "max_error": 0.015}
"""Of |cosine - cosine in fp32| over pairs of natural text."""
TECHNICAL = 1.5  # docstrings, full of rare words, may have so many times the error
MAX_BATCH_DEPENDENCE = 1e-6
N_PAIRS = 200  # of each kind
_ALONE = 24  # texts that are also encoded on their own
_SURE = LIMITS["max_error"]  # a pair further from the threshold than this may not change sides

Pair = tuple[str, str]
Errors = NDArray[np.float64]


def check_compact(folder: Path, exact: Path) -> dict[str, Any]:
    """Compare an int8 folder with its fp32 one. Returns the card's `parity`; `verified` when there are no `failures`."""
    compact, original = TextEncoder(folder), TextEncoder(exact)
    words = whole_words(exact / "tokenizer.json")
    sets = {"own sentences": gate_pairs(words, N_PAIRS), "docstrings": docstring_pairs(N_PAIRS)}
    seen = set(calibration_texts(words))
    sets = {name: [pair for pair in pairs if not seen.intersection(pair)] for name, pairs in sets.items()}
    pairs = [pair for some in sets.values() for pair in some]
    expected, found = _cosines(original, pairs), _cosines(compact, pairs)
    starts = np.cumsum([0, *map(len, sets.values())])
    by_set = {
        name: error_figures(expected[start:stop], found[start:stop])
        for name, start, stop in zip(sets, starts[:-1], starts[1:], strict=True)
    }
    figures = {
        "n_texts": len({text for pair in pairs for text in pair}),
        **error_figures(expected, found),
        "batch_dependence": _batch_dependence(compact, [text for pair in pairs[::9] for text in pair][:_ALONE]),
        "layers": _layer_errors(compact, original, [one for one, _ in pairs[:: len(pairs) // _ALONE]]),
    }
    failures = _failures(figures, by_set)
    return {
        "verified": not failures,
        **figures,
        "sets": by_set,
        "limits": {**LIMITS, "batch_dependence": MAX_BATCH_DEPENDENCE},
        "python": platform.python_version(),
        "failures": failures,
    }


def error_figures(expected: Errors, found: Errors) -> dict[str, Any]:
    """Of |found - expected|: mean, 99.9 % quantile, maximum; and how many pairs changed sides of the default threshold.

    n_flips counts those further than the allowed error from the threshold in fp32, n_close_flips the others.
    """
    errors = np.abs(found - expected)
    flipped = (found >= DEFAULT_THRESHOLD) != (expected >= DEFAULT_THRESHOLD)
    far = np.abs(expected - DEFAULT_THRESHOLD) > _SURE
    quantile = float(np.quantile(errors, 0.999)) if np.isfinite(errors).all() else float("nan")
    return {
        "n_pairs": len(errors),
        "mean_error": _figure(errors.mean()),
        "p999_error": _figure(quantile),
        "max_error": _figure(errors.max()),
        "n_flips": int((flipped & far).sum()),
        "n_close_flips": int((flipped & ~far).sum()),
    }


def compact_line(parity: dict[str, Any]) -> str:
    """The result of the gate as one line for people."""
    mark = "verified" if parity["verified"] else "NOT VERIFIED: " + "; ".join(parity["failures"])
    return (
        f"int8 gate {mark}: {parity['n_pairs']} pairs, cosine error mean {parity['mean_error']}, 99.9 % within"
        f" {parity['p999_error']}, largest {parity['max_error']}; {parity['n_flips']} flips"
    )


def _cosines(encoder: TextEncoder, pairs: Sequence[Pair]) -> Errors:
    known = encoder.encode_distinct([text for pair in pairs for text in pair])
    return _cosine(*(np.array([known[pair[side]].vector for pair in pairs]) for side in (0, 1)))


def _batch_dependence(encoder: TextEncoder, texts: list[str]) -> float | None:
    """The greatest 1 - cosine between the vectors of a text encoded among others and alone; 0 for equal bits."""
    together = encoder.encode(texts).vectors
    single = TextEncoder(encoder.folder, threads=1, remember=0, like=encoder)
    alone = np.concatenate([single.encode([text]).vectors for text in texts])
    return 0.0 if np.array_equal(together, alone) else _figure((1 - _cosine(together, alone)).max())


def _layer_errors(compact: TextEncoder, original: TextEncoder, texts: list[str]) -> dict[str, float | None]:
    """By layer, the mean of 1 - cosine between a token's vectors of the two, over all tokens of the texts."""
    layers = sorted(compact.card.layers)
    read = [encoder.read(texts, layers, _kept) for encoder in (compact, original)]
    errors = {
        number: [1 - _cosine(*(one[text][1][number] for one in read)) for text in dict.fromkeys(texts)]
        for number in layers
    }
    return {str(number): _figure(np.concatenate(some).mean()) for number, some in errors.items()}


def _kept(_: str, tokens: TokenVectors) -> dict[int, NDArray[np.float32]]:
    return {number: vectors.copy() for number, vectors in tokens.layers.items()}


def _cosine(first: NDArray[np.float32], second: NDArray[np.float32]) -> Errors:
    """Of each row of one with the same row of the other, in float64."""
    a, b = first.astype(np.float64), second.astype(np.float64)
    return np.asarray((a * b).sum(axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)))


def _failures(figures: dict[str, Any], by_set: dict[str, dict[str, Any]]) -> list[str]:
    bounds = [("batch_dependence", figures["batch_dependence"], MAX_BATCH_DEPENDENCE)]
    for kind, found in by_set.items():
        widening = TECHNICAL if kind == "docstrings" else 1
        bounds += [(f"{name} of {kind}", found[name], limit * widening) for name, limit in LIMITS.items()]
    failures = [
        f"{name} is {'not a number' if figure is None else figure}, allowed {limit:g}"
        for name, figure, limit in bounds
        if figure is None or figure > limit
    ]
    if figures["n_flips"]:
        failures.append(f"{figures['n_flips']} pairs change sides of {DEFAULT_THRESHOLD} though not close to it")
    return failures


def _figure(number: float) -> float | None:
    """A number for JSON: three digits, and None for one that is not finite."""
    return float(f"{number:.3g}") if np.isfinite(number) else None
