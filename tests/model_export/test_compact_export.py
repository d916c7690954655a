"""The int8 tier of a real tiny MPNet model: what the folder holds, its gate, and doing nothing twice."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from handler import evaluate
from handler.models import TextEncoder, int8_kernel, load_card
from handler.settings import compact_folder
from model_export.__main__ import main

pytest.importorskip("optimum")

TEXTS = ["a red car is near the door", "a dog", "the man walks at night", "no one", "", "<pad> car <mask>", "two " * 60]


@pytest.fixture(scope="module")
def exported(tiny_export: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fp32 folder of a tiny MPNet model, with room beside it."""
    return Path(shutil.copytree(tiny_export("mean"), tmp_path_factory.mktemp("beside") / "tiny"))


@pytest.fixture(scope="module")
def compact(exported: Path) -> Path:
    """Its int8 folder. The gate's limits are those of a model of 768 channels; one of 32 has larger errors."""
    from model_export.compact import export, gate

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gate, "LIMITS", {"mean_error": 0.02, "p999_error": 0.1, "max_error": 0.2})
        patch.setattr(gate, "N_PAIRS", 60)
        folder, parity = export.export_compact(exported)
    assert parity["verified"]
    return folder


def card_of(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "card.json").read_text(encoding="utf-8")))


def test_folder_beside_the_fp32_one_holds_what_the_run_time_reads(exported: Path, compact: Path) -> None:
    assert compact == compact_folder(exported)
    names = sorted(path.name for path in compact.iterdir())
    files = ["canary.onnx", "model-u8.onnx", "model.onnx", "model.onnx.data", "tokenizer.json"]
    assert names == sorted([*files, "NOTICE", "card.json"])
    card, fp32 = card_of(compact), card_of(exported)
    assert sorted(card["files"]) == files
    assert (card["precision"], card["inputs"]) == ("int8", ["input_ids"])
    assert card["made_from"] == load_card(exported).sha256
    assert card["source"] == fp32["source"]
    assert card["parity"]["batch_dependence"] == 0
    assert set(card["parity"]["sets"]) == {"own sentences", "docstrings"}
    assert card["compact"]["calibration"]["n_texts"] > 1000
    assert str(exported.parent) not in (compact / "card.json").read_text(encoding="utf-8")


def test_vectors_are_near_those_of_fp32_and_depend_on_no_neighbour(exported: Path, compact: Path) -> None:
    expected = TextEncoder(exported).encode(TEXTS).vectors
    encoder = TextEncoder(compact, threads=1)
    found = encoder.encode(TEXTS).vectors
    assert np.abs((expected * found).sum(axis=1) - 1).max() < 0.02
    for text, vector in zip(TEXTS, found, strict=True):
        alone = TextEncoder(compact, threads=1, remember=0, like=encoder).encode([text]).vectors[0]
        assert np.array_equal(alone, vector), text


def test_unsigned_weights_give_the_same_bits(compact: Path) -> None:
    """What processors without VNNI load instead."""
    signed, unsigned = (
        onnxruntime.InferenceSession(str(compact / name), providers=["CPUExecutionProvider"])
        for name in ("model.onnx", "model-u8.onnx")
    )
    ids = np.array([TextEncoder(compact).token_ids("a red car at night")[0]], np.int64)
    names = [one.name for one in signed.get_outputs()]
    assert names == ["token_embeddings"]  # two layers: neither 3 nor 8
    for first, second in zip(
        signed.run(names, {"input_ids": ids}), unsigned.run(names, {"input_ids": ids}), strict=True
    ):
        assert np.array_equal(first, second)


def test_evaluation_in_int8_says_so(exported: Path, compact: Path) -> None:
    frames = [{"answer": "a red car", "reference": "the car is red"}, {"answer": "no dog", "reference": "a man"}]
    reports = [evaluate(frames, model=exported, precision=precision) for precision in ("fp32", "int8")]
    signatures = [report["signature"]["vision.similarity"] for report in reports]
    assert "|precision:fp32|" in signatures[0]
    assert "|precision:int8|" in signatures[1]
    assert f"@{load_card(compact).sha256[:12]}|" in signatures[1]
    assert [report["environment"].get("int8_kernel") for report in reports] == [None, int8_kernel(compact)]
    scores = [[row["metrics"]["vision.similarity"]["score"] for row in report.samples] for report in reports]
    assert scores[1] == pytest.approx(scores[0], abs=0.05)
    assert scores[1] != scores[0]


def test_second_run_does_nothing(exported: Path, compact: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from model_export.compact.export import export_compact

    before = {path.name: path.stat().st_mtime_ns for path in compact.iterdir()}
    assert export_compact(exported)[0] == compact
    assert capsys.readouterr().err.startswith("nothing to do")
    assert {path.name: path.stat().st_mtime_ns for path in compact.iterdir()} == before


def test_gate_refuses_and_keeps_what_was_there(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from model_export import text_encoder
    from model_export.compact import recipe

    own = tmp_path / "tiny"
    shutil.copytree(exported, own)
    rounded = recipe.gptq

    def too_large(*given: Any) -> Any:
        matrix, scale = rounded(*given)
        return matrix, scale * np.float32(1.3)

    monkeypatch.setattr(recipe, "gptq", too_large)
    monkeypatch.setattr(text_encoder, "verified_parity", lambda *_, **__: card_of(own)["parity"])
    assert main(["text-encoder", "--model", "unused", "--output", str(own), "--precision", "int8"]) == 2
    assert "the parity gate refuses this export" in capsys.readouterr().err
    assert not compact_folder(own).exists()
    assert card_of(tmp_path / "tiny-int8.unverified")["parity"]["failures"]


def test_other_architectures_have_no_int8_tier(
    tiny_model: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "bert"
    arguments = ["text-encoder", "--model", str(tiny_model("cls")), "--output", str(output), "--precision", "int8"]
    assert main(arguments) == 2
    assert "only MPNet models have an int8 tier" in capsys.readouterr().err
    assert load_card(output).verified
    assert not compact_folder(output).exists()
