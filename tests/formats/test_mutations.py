"""Damaged files: only named errors leave the readers, what they yield is clean, and none takes long."""

from __future__ import annotations

import json
import os
import random
import time

import pytest
from annotation_files import read_bytes
from mutations import mutate, seeds

from handler.errors import InputError, StorageError
from handler.samples import Sample, Unreadable

N = int(os.environ.get("SCENESCORE_MUTATIONS") or 3000)
SLOWEST_S = 5.0


def check(data: bytes, rng: random.Random) -> str:
    options = {
        "on_missing": rng.choice(("error", "skip")),
        "encoding": rng.choice((None, None, None, None, "latin-1", "utf-16", "cp1252")),
        "format": rng.choice(("auto", "auto", "auto", "fair-forge", "jsonl", "csv")),
    }
    refusal = ""
    try:
        result = read_bytes(data, **options)
    except (InputError, StorageError) as error:
        refusal = str(error)
    if refusal:
        assert refusal.isprintable(), refusal
        return "refused"
    for record in result.records:
        if isinstance(record, Sample):
            texts = [record.session_id, record.assistant_id, record.sample_id, record.answer or "", *record.references]
            "".join(texts).encode()
            json.dumps(
                [dict(record.tags), dict(record.columns), record.language], allow_nan=False, ensure_ascii=False
            ).encode()
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
        started = time.perf_counter()
        try:
            outcomes[check(data, rng)] += 1
        except Exception as error:
            raise AssertionError(f"seed {seed}, file {number}: {data[:3000]!r}") from error
        assert time.perf_counter() - started < SLOWEST_S
    assert min(outcomes.values()) > N // 40
