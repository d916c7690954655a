"""One encoding pass for all vision metrics, within bounds of memory; the model is real, what is read of it is not."""

from __future__ import annotations

import gc
import hashlib
import json
import threading
import tracemalloc
import weakref
from pathlib import Path

import numpy as np
import pytest

from handler import claims
from handler.claims import LAYERS, Judgement, read_text
from handler.errors import ModelError
from handler.metrics import get_metric
from handler.metrics.vision import ClaimScorer, PairScorer, _readings, pair_scorer
from handler.models import TextEncoder
from handler.samples import Sample

pytestmark = pytest.mark.model

TEXTS = (
    "A dog runs.",
    "Nobody is there.",
    "Two men carry a ladder.",
    "",
    "A dog 🐶 sleeps on the old sofa by the door.",
)
PAIRS = [(one, other) for one in TEXTS for other in TEXTS]


class Read:
    """What is kept of a text: its mean vector of layer 8."""

    def __init__(self, text, tokens):
        self.text = text
        self.vector = tokens.layers[8].mean(axis=0)


def judged(answer, reference):
    return Judgement(float(np.abs(answer.vector - reference.vector).sum()) % 1)


def scorer(encoder, read=Read, compare=judged):
    return ClaimScorer(encoder, layers=(8,), read=read, compare=compare)


@pytest.fixture
def fresh(model):
    """A new encoder, and the texts that its model has read so far."""
    encoder = TextEncoder(model, threads=2)
    return encoder, counted(encoder)


def counted(encoder):
    """The texts, as token ids, that the model reads from here on."""
    seen, run = [], encoder._run

    def counting(rows, layers):
        seen.extend(map(tuple, rows))
        return run(rows, layers)

    encoder._run = counting
    return seen


def bits(scores):
    return [np.float64(one.similarity).tobytes() for one in scores]


def test_similarity_costs_no_second_pass_and_moves_no_bit(fresh, model):
    encoder, seen = fresh
    found = scorer(encoder).judge(PAIRS)
    assert len(seen) == len(set(seen)) == len(TEXTS)
    assert bits(pair_scorer(encoder).score(PAIRS)) == bits(one.score for one in found)
    assert len(seen) == len(TEXTS)
    plain = PairScorer(TextEncoder(model, threads=1, like=encoder)).score(PAIRS)
    assert [one.score for one in found] == plain
    assert bits(plain) == bits(one.score for one in found)


@pytest.mark.parametrize("block", [1, 60_000, 8_000_000])
def test_blocks_order_and_neighbours_change_nothing(encoder, monkeypatch, block):
    whole = dict(zip(PAIRS, scorer(encoder).judge(PAIRS), strict=True))
    monkeypatch.setattr(_readings, "BLOCK_BYTES", block)
    monkeypatch.setattr(_readings, "KEPT_BYTES", block)
    for order in (PAIRS, PAIRS[::-1], PAIRS[7:9], [PAIRS[3], PAIRS[3]], []):
        assert scorer(encoder).judge(order) == [whole[pair] for pair in order]


def test_texts_that_come_again_are_read_once(fresh):
    encoder, seen = fresh
    one = scorer(encoder)
    one.judge([("A dog runs.", "Nobody is there.")])
    one.judge([("A cat runs.", "Nobody is there."), ("A dog runs.", "Two men stand.")])
    assert len(seen) == len(set(seen)) == 4


def test_readings_are_let_go(encoder, monkeypatch):
    alive, most = weakref.WeakSet(), 0

    class Watched(Read):
        def __init__(self, text, tokens):
            nonlocal most
            super().__init__(text, tokens)
            alive.add(self)
            most = max(most, len(alive))

    size = 8 * _readings.BYTES_PER_TOKEN  # of a text of less than four bytes, as it is estimated
    monkeypatch.setattr(_readings, "BLOCK_BYTES", 10 * size)
    monkeypatch.setattr(_readings, "KEPT_BYTES", 10 * size)
    one = scorer(encoder, read=Watched)
    one.judge([(f"{n}", f"-{n}") for n in range(100)])
    gc.collect()
    assert len(alive) == 10
    assert 10 < most <= 30  # a block in hand, what is kept, and one about to go


def test_no_more_threads_judge_than_read(encoder):
    read_by, judged_by = set(), set()

    class Noted(Read):
        def __init__(self, text, tokens):
            super().__init__(text, tokens)
            read_by.add(threading.get_ident())

    scorer(encoder, read=Noted, compare=lambda *_: judged_by.add(threading.get_ident()) or Judgement(0.0)).judge(PAIRS)
    assert judged_by <= read_by


def test_what_goes_wrong_in_a_comparison_is_not_swallowed(encoder):
    def broken(answer, reference):
        raise ZeroDivisionError(answer.text)

    with pytest.raises(ZeroDivisionError):
        scorer(encoder, compare=broken).judge(PAIRS)


def test_a_cached_vector_counts_and_new_ones_are_cached(model, tmp_path):
    cached = TextEncoder(model, threads=1, cache=str(tmp_path))
    changed = np.zeros(768, np.float32)
    changed[0] = 1.0
    cached._cache.add("A dog runs.", changed, 5)
    found = scorer(cached).judge([("A dog runs.", "A dog runs."), ("A dog runs.", "Nobody is there.")])
    plain = TextEncoder(model, threads=1).encode_distinct(["Nobody is there."])["Nobody is there."]
    assert found[0].score.similarity == 1.0
    assert found[1].score.similarity == pytest.approx(float(plain.vector[0]), abs=1e-6)
    cached.flush()
    again = TextEncoder(model, threads=1, cache=str(tmp_path))
    seen = counted(again)
    assert again.encode_distinct(["Nobody is there."])["Nobody is there."].vector.tobytes() == plain.vector.tobytes()
    assert seen == []


def test_a_model_exported_before_says_what_to_type(model, tmp_path):
    old = tmp_path / "old model"
    old.mkdir()
    for file in model.iterdir():
        if file.name != "card.json":
            (old / file.name).symlink_to(file)
    card = json.loads((model / "card.json").read_text())
    del card["layers"]
    (old / "card.json").write_text(json.dumps(card))
    with pytest.raises(ModelError, match="no token vectors of layer") as caught:
        get_metric("vision.claims", encoder=TextEncoder(old))
    assert f"scenescore export mpnet --output '{old}'" in str(caught.value.hint)
    similarity = get_metric("vision.similarity", encoder=TextEncoder(old))
    assert similarity.compute(Sample(0, "s", "a", "f", "A dog.", ("A dog.",))).score == pytest.approx(1.0)


def test_readings_take_no_more_memory_than_is_reckoned(encoder):
    texts = [f"Two men in red jackets number {n} stand at the old gate near a dog." for n in range(10)]
    texts.append(" ".join(texts * 3))
    encoder.read(["The lexicon is loaded."], LAYERS, read_text)
    one = ClaimScorer(encoder)
    tracemalloc.start()
    try:
        kept = [reading for _, reading in encoder.read(texts, LAYERS, read_text).values()]
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(kept) == len(texts)
    assert held < sum(map(one._bytes, texts)) < 3 * held


def test_the_signature_names_what_judges(model):
    data = Path(claims.__file__).parent / "data"
    held = b"".join((data / name).read_bytes() for name in ("judge.npz", "wordnet.npz", "words.toml"))
    signature = get_metric("vision.claims", encoder=TextEncoder(model)).signature()
    assert f"judge:{hashlib.sha256(held).hexdigest()[:12]}" in signature.split("|")
