"""Vectors kept between runs: the same bits, whoever writes beside us, and nothing lost by a damaged file."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest

from handler import evaluate, storage
from handler.models import TextEncoder, _session, _text_encoder, _vector_cache, shared_text_encoder
from handler.models._vector_cache import VectorCache

DIMENSION = 8


def vector(n):
    return np.random.default_rng(n).standard_normal(DIMENSION).astype(np.float32)


def filled(at, numbers, **options):
    cache = VectorCache(str(at), DIMENSION, options.pop("max_bytes", 1 << 30))
    for n in numbers:
        cache.add(f"text {n}", vector(n), n)
    cache.flush()
    return cache


def known(at, numbers):
    """{number: whether its vector and count are there, bit by bit}"""
    found = VectorCache(str(at), DIMENSION, 1 << 30).find([f"text {n}" for n in numbers])
    for text, one in found.items():
        n = int(text.split()[1])
        assert one.vector.tobytes() == vector(n).tobytes()
        assert one.n_tokens == n
    return {int(text.split()[1]) for text in found}


@pytest.fixture(params=["local", "s3"])
def at(request, tmp_path):
    if request.param == "local":
        return str(tmp_path / "cache")
    request.getfixturevalue("weed")
    return f"{request.getfixturevalue('folder')}/cache"


def test_what_is_written_is_found_with_the_same_bits(at):
    filled(at, range(100))
    filled(at, range(90, 150))
    assert known(at, range(200)) == set(range(150))
    assert VectorCache(at, DIMENSION, 1 << 30).find([]) == {}


def test_half_characters_and_nothing_are_texts(tmp_path):
    cache = VectorCache(str(tmp_path), DIMENSION, 1 << 30)
    for n, text in enumerate(("", "\ud83d", "\0", "é", "e\u0301")):
        cache.add(text, vector(n), n)
    cache.flush()
    assert [one.n_tokens for one in cache.find(["", "\ud83d", "\0", "é", "e\u0301"]).values()] == [0, 1, 2, 3, 4]


def test_many_short_runs_leave_few_files(at):
    for n in range(40):
        filled(at, [n])
    assert known(at, range(40)) == set(range(40))
    assert len(list(storage.list_objects(f"{at}/"))) < _vector_cache.MOST_SMALL + 2


def test_the_oldest_go_when_it_grows_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(_vector_cache, "SMALL_BYTES", 0)
    for start in range(0, 1000, 100):
        filled(tmp_path, range(start, start + 100), max_bytes=20_000)
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert sum(sizes) <= 20_000
    there = known(tmp_path, range(1000))
    assert there == set(range(1000 - len(there), 1000))
    assert len(there) >= 200


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-3],
        lambda data: data[:30],
        lambda data: b"x" + data[1:],
        lambda data: data[:60] + b"\xff" + data[61:],
        lambda data: data[:-9] + b"\xff" + data[-8:],
    ],
)
def test_damaged_files_are_said_and_passed_over(tmp_path, damage, caplog):
    filled(tmp_path, range(100))
    (path,) = tmp_path.iterdir()
    filled(tmp_path, range(100, 150))
    path.write_bytes(damage(path.read_bytes()))
    assert known(tmp_path, range(150)) == set(range(100, 150))
    assert str(path) in caplog.text


def test_a_file_that_goes_away_meanwhile_is_a_miss(tmp_path):
    filled(tmp_path, range(10))
    cache = VectorCache(str(tmp_path), DIMENSION, 1 << 30)
    assert cache.find(["text 99"]) == {}
    for path in tmp_path.iterdir():
        path.unlink()
    assert cache.find(["text 1"]) == {}


def test_writers_side_by_side_lose_nothing(tmp_path):
    threads = [
        threading.Thread(target=lambda n=n: [filled(tmp_path, range(n, n + 4)) for _ in range(10)])
        for n in range(0, 32, 4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert known(tmp_path, range(32)) == set(range(32))


def test_a_cache_that_cannot_be_written_costs_a_warning(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    cache = filled(tmp_path / "file" / "cache", range(3))
    assert "cannot be written" in caplog.text
    assert cache.find(["text 1"]) == {}


@pytest.mark.model
def test_a_second_run_makes_no_session(tmp_path, model, monkeypatch):
    """Another threshold over the same texts: the same similarities, bit by bit, without the model."""
    frames = [
        {
            "answer": f"A person with badge {n} walks past gate {n % 9}, a lamp and a fence.",
            "reference": f"Somebody enters gate {n % 9} with badge {n}, past a fence and a lamp.",
        }
        for n in range(60)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, frames)))
    plain = evaluate(frames[:20], model=model)
    reports = []
    for threshold in (0.75, 0.6):
        _text_encoder._shared_encoder.cache_clear()  # as in a new process
        reports.append(evaluate(tmp_path / "a.jsonl", model=model, threshold=threshold, cache=tmp_path / "cache"))
        monkeypatch.setattr(_text_encoder, "open_session", lambda *_: pytest.fail("a session was made"))
    rows = [[row["metrics"]["vision.similarity"] for row in one.samples] for one in (plain, *reports)]
    assert rows[1] == rows[2]
    assert rows[0] == rows[1][:20]


@pytest.mark.model
def test_another_model_is_another_cache(tmp_path, model):
    encoder = TextEncoder(model, cache=str(tmp_path))
    first = encoder.encode(["A dog."])
    encoder.flush()
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("all-mpnet-base-v2-")
    encoder.card.max_tokens = 3
    assert _text_encoder._cache_of(encoder.card, str(tmp_path)).find(["A dog."]) == {}
    again = TextEncoder(model, cache=str(tmp_path)).encode(["A dog."])
    assert again.vectors.tobytes() == first.vectors.tobytes()
    assert (again.n_tokens, again.truncated) == (first.n_tokens, first.truncated)
    assert shared_text_encoder(model, None) is not shared_text_encoder(model, None, str(tmp_path))
    assert _session
    assert Path(folder).is_dir()
