"""`python -m tests.bench.table build/bench.json`: what `make bench` wrote, as the README's Markdown."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.bench.contenders import COMPACT

__all__ = ["table"]

Result = dict[str, Any]


def table(document: dict[str, Any]) -> str:
    """All results, one table a kind, and what they were measured on."""
    results: list[Result] = document["results"]
    parts = [make([one for one in results if one.get("kind") in kinds]) for kinds, make in KINDS]
    return "\n\n".join([*(part for part in parts if part), _machine(document["machine"])])


def _comparisons(results: Sequence[Result]) -> str:
    """Whole processes: each cell is a median and its ratio to fair-forge's."""
    heads = [f"{one['name']}, {_threads(one)}" for one in results]
    names = list(dict.fromkeys(name for one in results for name in one["contenders"]))
    rows = [
        [name, *(_time(one["contenders"].get(name, {}), "process_seconds") for one in results), *_memory(results, name)]
        for name in names
    ]
    return _rows(["", *heads, "peak memory"], rows)


def _memory(results: Sequence[Result], name: str) -> Iterator[str]:
    peaks = [one["contenders"].get(name, {}).get("peak_mb") for one in results]
    known = [peak for peak in peaks if peak is not None]
    yield f"{max(known):.0f} MB" if known else ""


def _starts(results: Sequence[Result]) -> str:
    rows = []
    for result in results:
        for name, one in result["contenders"].items():
            parts = ", ".join(f"{part} {seconds:.2f}" for part, seconds in one.get("parts", {}).items())
            rows.append([name, _time(one, "first_score_seconds"), parts])
    return _rows(["start to first score", "seconds", "of which"], rows)


def _encoders(results: Sequence[Result]) -> str:
    names = list(dict.fromkeys(name for one in results for name in one.get("operations_per_second", {})))
    rows = [[name, *(_rate(one, name) for one in results)] for name in names]
    return _rows(["10^9 operations a second", *map(_threads, results)], rows)


def _rate(result: Result, name: str) -> str:
    rate, fraction = result.get("operations_per_second", {}).get(name), result.get("fractions", {}).get(name)
    if rate is None:
        return ""
    return f"{rate / 1e9:.0f}" + (f" ({fraction:.0%} of the peak)" if fraction else "")


def _others(results: Sequence[Result]) -> str:
    """What is one figure or two."""
    rows: list[list[str]] = []
    for one in results:
        if "skipped" in one:
            rows.append([one["name"], f"skipped: {one['skipped']}"])
        elif one["kind"] == "growth":
            rows.append([f"{one['name']}, {_threads(one)}: time of a text", f"{one['growth']:+.1%}"])
        elif one["kind"] == "claims":
            rows.append([f"{one['name']}, {_threads(one)}", f"{one['ratio']:.2f}x, {one['extra_peak_mb']:+.0f} MB"])
        elif one["kind"] == "tiers":
            rows.append([f"{one['name']}, {_threads(one)}", _gain(one["contenders"][COMPACT])])
        elif one["kind"] == "frames":
            rows += [
                [f"{int(n):,} {one['name']}, {name}, {_threads(one)}", _speed(size)]
                for name, sizes in one["formats"].items()
                for n, size in sizes.items()
            ]
        else:
            seconds = [f"{one[side]['process_seconds']:.2f}" for side in ("product", "original")]
            rows.append([one["name"], f"{seconds[0]} s against {seconds[1]} s ({one['ratio_process_seconds']:.1f}x)"])
    return _rows(["", ""], rows)


def _gain(one: dict[str, Any]) -> str:
    if "ratio_process_seconds" not in one:
        return f"skipped: {one.get('skipped', 'nothing to compare with')}"
    return f"{one['ratio_process_seconds']:.2f}x, scoring alone {one['ratio_scoring_seconds']:.2f}x"


def _speed(size: dict[str, float]) -> str:
    return f"{size['frames_per_second']:,.0f} frames/s, {size['extra_peak_mb']:+.0f} MB"


def _machine(machine: dict[str, Any]) -> str:
    """The small print."""
    ours, theirs = (
        ", ".join(f"{name} {version}" for name, version in machine[key].items() if version)
        for key in ("versions", "peer_versions")
    )
    with_ = f"{machine['processor']} ({', '.join(machine['instructions'])}), {machine['cores']} cores"
    return (
        f"{with_}, {machine['memory_gb']} GB, {machine['system']}, Python {machine['python']}; {ours}. "
        f"Peers: {theirs or 'none installed'}. Medians of whole processes from file to report that took turns; "
        "in brackets, how many times as fast as fair-forge's two classes."
    )


def _time(one: dict[str, Any], key: str) -> str:
    if key not in one:
        return f"skipped: {one['skipped']}" if "skipped" in one else ""
    return f"{one[key]:.2f} s" + (f" ({one[f'ratio_{key}']:.1f}x)" if f"ratio_{key}" in one else "")


def _threads(result: Result) -> str:
    return f"{result['threads']} thread{'s' if result['threads'] > 1 else ''}"


def _rows(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) if rows else ""


KINDS: tuple[tuple[tuple[str, ...], Callable[[Sequence[Result]], str]], ...] = (
    (("comparison",), _comparisons),
    (("start",), _starts),
    (("encoder",), _encoders),
    (("claims", "tiers", "growth", "frames", "lambda", "captions"), _others),
)

if __name__ == "__main__":
    print(table(json.loads(Path(sys.argv[1] if len(sys.argv) > 1 else "build/bench.json").read_text())))
