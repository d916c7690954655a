"""fp32 or int8: which folder is meant, and what a processor that multiplies int8 wrongly leads to."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from handler.errors import ModelError, RequestError, SettingsError
from handler.evaluation import EvaluationRequest
from handler.models import TextEncoder, int8_kernel, shared_text_encoder
from handler.models._precision import find_tier, graph_name
from handler.settings import Settings, compact_folder
from model_export.card import file_facts
from model_export.compact.folder import write_canary
from tests.faults.stub import stub_folder


def write_card(folder: Path, **more: object) -> None:
    card = json.loads((folder / "card.json").read_text())
    (folder / "card.json").write_text(json.dumps({**card, "files": file_facts(folder), **more}))


def compact_stub(folder: Path, *, wrong: tuple[str, ...] = ()) -> Path:
    """An int8 folder whose graphs hold nothing but the canary. wrong: its products that come out too small, as they do
    where two of them are added in 16 bits."""
    stub_folder(folder)
    (folder / "model-u8.onnx").write_bytes(b"stub")
    write_canary(folder / "canary.onnx")
    model = onnx.load(str(folder / "canary.onnx"))
    for tensor in model.graph.initializer:
        if tensor.name.removesuffix("_weights") in wrong:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor) // 2, tensor.name))
    onnx.save(model, str(folder / "canary.onnx"))
    write_card(folder, precision="int8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An fp32 model's folder."""
    return stub_folder(tmp_path / "encoder")


def test_int8_lies_beside_fp32_or_is_named_itself(folder: Path) -> None:
    compact = compact_stub(compact_folder(folder))
    assert compact.name == "encoder-int8"
    assert find_tier(folder, "fp32") == (folder, None)
    assert find_tier(folder, "int8") == (compact, None)
    assert find_tier(compact, "int8") == (compact, None)
    assert shared_text_encoder(folder, precision="int8").precision == "int8"
    assert shared_text_encoder(compact).precision == "int8"
    assert shared_text_encoder(folder, precision="fp32") is shared_text_encoder(folder)


def test_a_precision_that_is_not_there_is_refused(folder: Path) -> None:
    with pytest.raises(RequestError, match=r"no int8 model beside stub.*export mpnet --precision int8"):
        find_tier(folder, "int8")
    with pytest.raises(ModelError, match=r"nowhere-int8: there is no int8 model"):
        find_tier(folder / "nowhere", "int8")
    compact = compact_stub(compact_folder(folder))
    with pytest.raises(RequestError, match="has precision int8, not fp32"):
        find_tier(compact, "fp32")


def test_this_processor_multiplies_exactly(folder: Path) -> None:
    """By one of the two kernels, whichever it has: ONNX Runtime's products are integers."""
    assert int8_kernel(compact_stub(compact_folder(folder))) in ("u8s8", "u8u8")


@pytest.mark.parametrize(
    ("wrong", "graph"), [((), "model.onnx"), (("signed",), "model-u8.onnx"), (("unsigned",), "model.onnx")]
)
def test_graph_whose_products_are_exact_is_loaded(folder: Path, wrong: tuple[str, ...], graph: str) -> None:
    compact = TextEncoder(compact_stub(compact_folder(folder), wrong=wrong))
    assert graph_name(compact.folder, compact.card) == graph


def test_where_neither_is_exact_fp32_is_used_with_a_warning_and_said_so(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    compact = compact_stub(compact_folder(folder), wrong=("signed", "unsigned"))
    with caplog.at_level(logging.WARNING, "scenescore"):
        encoder = shared_text_encoder(folder, precision="int8")
    assert (encoder.folder, encoder.precision) == (folder, "fp32 (int8 refused)")
    assert "multiplies int8 wrongly" in caplog.text
    assert find_tier(compact, "int8").folder == folder
    assert shared_text_encoder(folder, precision="fp32").precision == "fp32"
    with pytest.raises(ModelError, match="multiplies int8 wrongly"):
        graph_name(compact, TextEncoder(compact).card)


def test_where_neither_is_exact_and_there_is_no_fp32_nothing_is_scored(tmp_path: Path) -> None:
    compact = compact_stub(tmp_path / "alone-int8", wrong=("signed", "unsigned"))
    with pytest.raises(ModelError, match=r"no fp32 model beside.*export mpnet"):
        find_tier(compact, "int8")


def test_int8_folder_without_a_canary_is_refused(folder: Path) -> None:
    compact = stub_folder(compact_folder(folder))
    write_card(compact, precision="int8")
    with pytest.raises(ModelError, match=r"names no canary\.onnx"):
        find_tier(folder, "int8")


def test_the_environment_names_the_default_and_a_request_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert EvaluationRequest.parse({"input": "a"}).precision == "fp32"
    monkeypatch.setenv("SCENESCORE_PRECISION", "int8")
    assert Settings.from_environment().precision == "int8"
    assert EvaluationRequest.parse({"input": "a"}).precision == "int8"
    assert EvaluationRequest.parse({"input": "a", "precision": "fp32"}).precision == "fp32"
    monkeypatch.setenv("SCENESCORE_PRECISION", "int4")
    for read in (Settings.from_environment, lambda: EvaluationRequest.parse({"input": "a"})):
        with pytest.raises(SettingsError, match=r"'int4'.*fp32 or int8"):
            read()


def test_vectors_of_both_are_kept_apart(folder: Path, tmp_path: Path) -> None:
    for name in (folder, compact_stub(compact_folder(folder))):
        encoder = TextEncoder(name, cache=str(tmp_path / "cache"))
        assert encoder._cache is not None
        encoder._cache.add("a", np.zeros(encoder.card.dimension, np.float32), 1)
        encoder.flush()
    assert len(list((tmp_path / "cache").iterdir())) == 2
