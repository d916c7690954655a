"""Damaged files: only named errors leave the readers, what they yield is clean, and none takes long."""

from __future__ import annotations

import json
import os
import random
import time
from typing import Any

import pytest
from annotation_files import Read, read_bytes
from mutations import mutate, seeds

from handler.errors import InputError, StorageError
from handler.samples import Sample, Unreadable

N = int(os.environ.get("SCENESCORE_MUTATIONS") or 3000)
SLOWEST_S = 5.0


def outcome(data: bytes, piece: int | None, **options: Any) -> Read | str:
    """What the file gives, or the refusal."""
    try:
        return read_bytes(data, piece=piece, **options)
    except (InputError, StorageError) as error:
        return str(error)


def check(data: bytes, rng: random.Random) -> str:
    options = {
        "on_missing": rng.choice(("error", "skip")),
        "encoding": rng.choice((None, None, None, None, "latin-1", "utf-16", "cp1252")),
        "format": rng.choice(("auto", "auto", "auto", "fair-forge", "jsonl", "csv")),
    }
    result = outcome(data, None, **options)
    if rng.random() < 0.2 and len(data) < 3000 and not data.startswith(b"\x1f\x8b"):
        in_pieces = outcome(data, rng.choice((1, 5, 40)), **options)
        if isinstance(result, str) or isinstance(in_pieces, str):
            assert result == in_pieces or ("not utf-16" in str(result) and "not utf-16" in str(in_pieces))
        else:
            assert (result.records, result.notices) == (in_pieces.records, in_pieces.notices)
    if isinstance(result, str):
        assert result.isprintable(), result
        return "refused"
    for record in result.records:
        if isinstance(record, Sample):
            texts = [record.session_id, record.assistant_id, record.sample_id, record.answer or "", *record.references]
            rest = [dict(record.tags), dict(record.columns), record.language]
            ("".join(texts) + json.dumps(rest, allow_nan=False, ensure_ascii=False)).encode()
        elif isinstance(record, Unreadable):
            assert (record.reason + (record.field or "")).isprintable(), record
    assert [s.index for s in result.samples] == list(range(len(result.samples)))
    return "read"


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files(seed: int) -> None:
    rng, files = random.Random(seed), seeds()
    outcomes = {"read": 0, "refused": 0}
    for number in range(N // 4):
        data = mutate(rng, files)
        started = time.process_time()
        try:
            outcomes[check(data, rng)] += 1
        except Exception as error:
            raise AssertionError(f"seed {seed}, file {number}: {data[:3000]!r}") from error
        assert time.process_time() - started < SLOWEST_S
    assert min(outcomes.values()) > N // 40
