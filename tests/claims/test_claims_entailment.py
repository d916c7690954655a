"""The seam for an entailment model: labels from its card, and a small ONNX graph read from a folder."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from handler.claims import Judgement, contradiction_probabilities, with_entailment
from handler.errors import ModelError
from handler.models import OnnxEntailment

LABELS = ["entailment", "neutral", "contradiction"]


class Fixed:
    """Logits that are given; remembers what it was asked."""

    def __init__(self, labels, logits):
        self.labels, self._logits, self.asked = tuple(labels), logits, []

    def logits(self, pairs):
        self.asked += pairs
        return np.array(self._logits[: len(pairs)])


def test_the_label_is_found_by_its_name_and_the_reference_is_the_premise():
    model = Fixed(["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], [[np.log(6.0), np.log(3.0), 0.0], [0.0, 0.0, 0.0]])
    found = contradiction_probabilities(model, [("answer", "reference"), ("b", "a")])
    assert found == pytest.approx([0.6, 1 / 3])
    assert model.asked == [("reference", "answer"), ("a", "b")]
    two = Fixed(["entailment", "not-entailment"], [[0.0, np.log(3.0)]])
    assert contradiction_probabilities(two, [("x", "y")]) == pytest.approx([0.75])
    assert contradiction_probabilities(two, []).tolist() == []


def test_labels_without_contradiction_are_refused():
    with pytest.raises(ModelError, match="relevant, irrelevant"):
        contradiction_probabilities(Fixed(["relevant", "irrelevant"], [[0, 1]]), [("a", "b")])


def test_the_second_opinion_weighs_as_much_and_is_on_record():
    judged = with_entailment(Judgement(0.2), 0.9)
    assert judged.contradiction == pytest.approx(0.55)
    assert judged.features == {"entailment_contradiction": 0.9}


@pytest.fixture
def folder(tmp_path):
    """A model whose logits are the number of tokens, of second-text tokens, and 7."""
    onnx = pytest.importorskip("onnx")
    tokenizers = pytest.importorskip("tokenizers")
    helper, types = onnx.helper, onnx.TensorProto
    nodes = [
        helper.make_node("ReduceSum", ["attention_mask", "axis"], ["n"], keepdims=1),
        helper.make_node("ReduceSum", ["token_type_ids", "axis"], ["m"], keepdims=1),
        helper.make_node("Concat", ["n", "m", "seven"], ["joined"], axis=1),
        helper.make_node("Cast", ["joined"], ["logits"], to=types.FLOAT),
    ]
    inputs = [
        helper.make_tensor_value_info(name, types.INT64, [1, "tokens"]) for name in ("attention_mask", "token_type_ids")
    ]
    constants = [
        helper.make_tensor("axis", types.INT64, [1], [1]),
        helper.make_tensor("seven", types.INT64, [1, 1], [7]),
    ]
    outputs = [helper.make_tensor_value_info("logits", types.FLOAT, [1, 3])]
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    words = {word: at for at, word in enumerate("[UNK] [CLS] [SEP] a dog sleeps runs".split())}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, "[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    write_card(tmp_path)
    return tmp_path


def write_card(folder, **changes):
    files = {}
    for name in ("model.onnx", "tokenizer.json"):
        content = (folder / name).read_bytes()
        files[name] = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    card = {"schema": "scenescore.model/1", "kind": "entailment", "name": "tiny", "files": files, "labels": LABELS}
    card |= {"max_tokens": 9, "inputs": ["attention_mask", "token_type_ids"], **changes}
    (folder / "card.json").write_text(json.dumps(card))


def test_a_folder_is_read_by_its_card(folder):
    """[CLS] a dog sleeps [SEP] a dog [SEP]: eight tokens, three of the second text."""
    model = OnnxEntailment(folder)
    assert model.labels == tuple(LABELS)
    assert model.logits([("a dog sleeps", "a dog")]).tolist() == [[8.0, 3.0, 7.0]]
    assert model.logits([]).shape == (0, 3)
    long = model.logits([("a dog sleeps a dog sleeps", "a dog"), ("a", "a")])
    assert long[:, 0].tolist() == [9.0, 5.0]
    expected = np.exp(7.0) / (np.exp(8.0) + np.exp(3.0) + np.exp(7.0))
    assert contradiction_probabilities(model, [("a dog", "a dog sleeps")]) == pytest.approx([expected])


def test_a_card_that_does_not_fit_is_refused(folder, model):
    write_card(folder, labels=["entailment", "contradiction"])
    with pytest.raises(ModelError, match="3 logits where its card names 2 labels"):
        OnnxEntailment(folder).logits([("a", "a")])
    with pytest.raises(ModelError, match="of kind text encoder, not entailment"):
        OnnxEntailment(model)
    with pytest.raises(ModelError, match="no exported model"):
        OnnxEntailment(folder / "absent")
