"""Any dataset written in any supported form reads back equal."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from annotation_files import read_bytes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handler.formats import _json

Row = tuple[str, str, str, str, str]  # session, assistant, sample, answer, reference

TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=40)
IDS = TEXTS.filter(bool)
FRAMES = st.lists(st.tuples(IDS, TEXTS, TEXTS), min_size=1, max_size=4)
DATASETS = st.lists(st.tuples(IDS, IDS, FRAMES), min_size=1, max_size=4)
Dataset = list[tuple[str, str, list[tuple[str, str, str]]]]


def rows_of(dataset: Dataset) -> list[Row]:
    return [(s, m, *frame) for s, m, frames in dataset for frame in frames]


def sessions_of(dataset: Dataset) -> list[dict[str, Any]]:
    keys = ("qa_id", "assistant", "ground_truth_assistant")
    return [
        {"session_id": s, "assistant_id": m, "conversation": [dict(zip(keys, frame, strict=True)) for frame in frames]}
        for s, m, frames in dataset
    ]


def flat_of(dataset: Dataset) -> list[dict[str, str]]:
    keys = ("session_id", "assistant_id", "qa_id", "assistant", "ground_truth_assistant")
    return [dict(zip(keys, row, strict=True)) for row in rows_of(dataset)]


def streamed_of(dataset: Dataset) -> list[dict[str, Any]]:
    return [
        {"metadata": {k: f[k] for k in ("session_id", "assistant_id")}, "batch": {k: f[k] for k in list(f)[2:]}}
        for f in flat_of(dataset)
    ]


def lines(items: list[Any], **how: Any) -> str:
    return "\n".join(json.dumps(item, **how) for item in items)


def table(dataset: Dataset, delimiter: str, **how: Any) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, **how)
    writer.writerow(["session_id", "model", "frame", "caption", "reference"])
    writer.writerows(rows_of(dataset))
    return out.getvalue()


FORMS: dict[str, Callable[[Dataset], str]] = {
    "sessions": lambda d: json.dumps(sessions_of(d)),
    "sessions, indented, unescaped": lambda d: json.dumps(sessions_of(d), indent=2, ensure_ascii=False),
    "sessions, conversation first": lambda d: json.dumps([dict(reversed(list(s.items()))) for s in sessions_of(d)]),
    "session lines": lambda d: lines(sessions_of(d), ensure_ascii=False),
    "frames": lambda d: json.dumps(flat_of(d), ensure_ascii=False),
    "frames, spaced colons": lambda d: json.dumps(flat_of(d), separators=(" , ", " : ")),
    "frame lines": lambda d: lines(flat_of(d)),
    "frame lines, unescaped": lambda d: lines(flat_of(d), ensure_ascii=False),
    "streamed": lambda d: json.dumps(streamed_of(d), indent=1),
    "streamed lines": lambda d: lines(streamed_of(d)),
    "comma": lambda d: table(d, ","),
    "semicolon, all quoted": lambda d: table(d, ";", quoting=csv.QUOTE_ALL),
    "tab": lambda d: table(d, "\t"),
    "pipe": lambda d: table(d, "|"),
}
WRAPPINGS: dict[str, tuple[Callable[[str], bytes], dict[str, Any]]] = {
    "utf-8": (str.encode, {}),
    "bom": (lambda t: t.encode("utf-8-sig"), {}),
    "gzip": (lambda t: gzip.compress(t.encode(), 1), {}),
    "utf-16": (lambda t: t.encode("utf-16"), {"encoding": "utf-16"}),
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(dataset=DATASETS, piece=st.sampled_from([None, 1, 7, 50]), walk_from=st.sampled_from([10, 1_000_000]))
def test_reads_back_equal(form: str, wrapping: str, dataset: Dataset, piece: int | None, walk_from: int) -> None:
    wrap, options = WRAPPINGS[wrapping]
    with patch.object(_json, "_WALK_FROM", walk_from):
        result = read_bytes(wrap(FORMS[form](dataset)), piece=piece, **options)
    assert not result.unreadable
    assert [(s.session_id, s.assistant_id, s.sample_id, s.answer, *s.references) for s in result.samples] == rows_of(
        dataset
    )
    assert [s.index for s in result.samples] == list(range(len(result.samples)))
