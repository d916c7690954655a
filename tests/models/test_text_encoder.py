"""The encoder's promises: same bits for a text whatever stands beside it, bounded memory, visible truncation."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import threading
import time

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from handler.errors import ModelError, RequestError
from handler.models import TextEncoder, load_card

pytestmark = pytest.mark.model

TEXTS = [
    "",
    " ",
    "A dog runs.",
    "A DOG RUNS.",
    "A person is lying motionless on the floor near the entrance.",
    "Two men unload a red van in front of the loading dock while a third one watches the street.",
    "🐕",
    "Ein Hund läuft.",
    "<s>",
    "a dog " * 500,
    *(
        f"A {colour} car is parked near the {place}."
        for colour in ("red", "blue", "grey")
        for place in ("gate", "main road")
    ),
]


@pytest.fixture(scope="module")
def alone(encoder):
    """Each text's vector when it is encoded on its own."""
    single = TextEncoder(encoder.folder, threads=1, remember=0, like=encoder)
    return {text: single.encode([text]).vectors[0] for text in TEXTS}


def test_published_similarities(encoder):
    """The two figures of the model's own documentation."""
    sentences = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    one, near, far = encoder.encode(sentences).vectors
    assert round(float(one @ near), 4) == 0.6817
    assert round(float(one @ far), 4) == 0.0492


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_bits_do_not_depend_on_neighbours_order_or_threads(encoder, alone, seed, threads):
    other = TextEncoder(encoder.folder, threads=threads, remember=0, like=encoder)
    shuffled = random.Random(seed).sample(TEXTS, len(TEXTS) - seed)
    vectors = other.encode(shuffled).vectors
    for text, vector in zip(shuffled, vectors, strict=True):
        assert np.array_equal(vector, alone[text]), text[:40]


def test_repeated_texts_are_encoded_once_and_memory_is_bounded(encoder, monkeypatch):
    other = TextEncoder(encoder.folder, threads=1, remember=2, like=encoder)
    runs = []
    monkeypatch.setattr(
        TextEncoder,
        "_run",
        lambda self, rows, layers, run=TextEncoder._run: runs.extend(rows) or run(self, rows, layers),
    )
    other.encode(["one", "two", "one", "two", "one"])
    assert len(runs) == 2
    other.encode(["two"])
    assert len(runs) == 2
    other.encode(["three", "four"])
    other.encode(["one"])
    assert len(runs) == 5


def test_truncation_is_visible(encoder):
    encoded = encoder.encode(["word " * 382, "word " * 383, "short"])
    assert encoded.n_tokens == [384, 385, 3]
    assert encoded.truncated == [False, True, False]
    assert len(encoder.token_ids("word " * 1000)[0]) == 384


def test_no_texts(encoder):
    assert encoder.encode([]).vectors.shape == (0, 768)


def test_a_broken_weight_becomes_a_state_not_a_number(model, tmp_path):
    shutil.copytree(model, tmp_path / "m")
    graph = onnx.load(tmp_path / "m" / "model.onnx", load_external_data=False)
    weight = next(one for one in graph.graph.initializer if one.name.endswith("LayerNorm.weight"))
    weight.CopyFrom(numpy_helper.from_array(np.full(768, np.nan, np.float32), weight.name))
    onnx.save(graph, tmp_path / "m" / "model.onnx")
    card = json.loads((tmp_path / "m" / "card.json").read_text())
    data = (tmp_path / "m" / "model.onnx").read_bytes()
    card["files"]["model.onnx"] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (tmp_path / "m" / "card.json").write_text(json.dumps(card))
    assert TextEncoder(tmp_path / "m").encode(["A dog runs."]).finite == [False]


def test_damaged_weights_of_the_right_size_are_refused(model, tmp_path):
    """Half of the weights lost, the length kept: the scores would look fine and be wrong."""
    shutil.copytree(model, tmp_path / "m")
    with (tmp_path / "m" / "model.onnx.data").open("r+b") as file:
        size = file.seek(0, 2)
        file.truncate(size // 2)
        file.truncate(size)
    with pytest.raises(ModelError, match=r"model.onnx.data: the content is not what the card says"):
        TextEncoder(tmp_path / "m").encode(["A dog runs."])


def test_half_characters_are_replaced_not_a_crash(encoder):
    assert np.array_equal(encoder.encode(["cut \ud83d"]).vectors, encoder.encode(["cut ?"]).vectors)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_thread_counts_that_make_no_sense(model, threads):
    with pytest.raises(RequestError, match="threads must be a whole number from 1"):
        TextEncoder(model, threads=threads)


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_fork_while_another_thread_encodes_does_not_deadlock(encoder):
    busy = threading.Thread(target=encoder.encode, args=([f"A dog number {n} runs past the gate." for n in range(60)],))
    busy.start()
    time.sleep(0.05)
    child = os.fork()
    if child == 0:
        os._exit(0 if encoder._lock.acquire(timeout=5) else 1)
    _, status = os.waitpid(child, 0)
    busy.join()
    assert os.waitstatus_to_exitcode(status) == 0


def test_a_missing_or_damaged_model_says_what_to_type(model, tmp_path):
    with pytest.raises(ModelError, match="scenescore export mpnet"):
        TextEncoder(tmp_path)
    (tmp_path / "card.json").write_text("{}")
    with pytest.raises(ModelError, match=r"card.json: the model card is damaged.*Export the model again"):
        load_card(tmp_path)
    shutil.copy(model / "card.json", tmp_path)
    with pytest.raises(ModelError, match=r"model.onnx(.data)? has 0 bytes"):
        load_card(tmp_path)


def test_reading_inner_layers_moves_no_bit_of_the_vectors(model):
    texts = ["Two men stand.", "a", "", "A dog 🐶 sleeps on the sofa in the living room.", "word " * 500]
    plain = TextEncoder(model, threads=1).encode_distinct(texts)
    for threads in (1, 2):
        read = TextEncoder(model, threads=threads).read(
            texts,
            (3, 8, 12),
            lambda text, tokens: (text, tokens.spans, {n: v.copy() for n, v in tokens.layers.items()}),
        )
        for text, (one, (same, spans, layers)) in read.items():
            assert text == same
            assert one.vector.tobytes() == plain[text].vector.tobytes()
            assert (one.n_tokens, one.truncated) == (plain[text].n_tokens, plain[text].truncated)
            assert {values.shape for values in layers.values()} == {(len(spans), 768)}
            pooled = layers[12].mean(axis=0, dtype=np.float64)
            assert np.allclose(pooled / np.linalg.norm(pooled), one.vector, atol=1e-6)
        dog = read[texts[3]][1][1]
        assert [texts[3][start:end] for start, end in dog][:4] == ["", "A", "dog", "🐶"]


def test_a_layer_that_the_model_does_not_give_is_named(model):
    with pytest.raises(ModelError, match="no token vectors of layer 5"):
        TextEncoder(model).read(["a"], (5,), lambda text, tokens: None)
