"""Exporting real tiny models: what the folder holds, the gate, and doing nothing twice."""

from __future__ import annotations

import hashlib
import json
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handler.models import TextEncoder, load_card
from model_export.__main__ import main

pytest.importorskip("optimum")

TinyModel = Callable[[str], Path]
TinyExport = Callable[[str], Path]

ROOT = Path(__file__).parents[2]


def export(model: Path, output: Path, *more: str) -> int:
    return main(["text-encoder", "--model", str(model), "--output", str(output), *more])


def card_of(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "card.json").read_text(encoding="utf-8")))


def corrupt(graph: Path, value: float) -> None:
    """Overwrite the first row of the largest weight of a graph."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(str(graph))
    weight = max(model.graph.initializer, key=lambda one: int(np.prod(one.dims or [0])))
    numbers = numpy_helper.to_array(weight).copy()
    numbers[0] = value
    weight.CopyFrom(numpy_helper.from_array(numbers, weight.name))
    onnx.save(model, str(graph))


@pytest.mark.parametrize(
    ("kind", "pooling", "normalize", "dimension"),
    [("mean", "mean", True, 32), ("cls", "cls", False, 32), ("dense", "graph", False, 16)],
)
def test_export_is_verified_and_complete(
    kind: str,
    pooling: str,
    normalize: bool,
    dimension: int,
    tiny_model: TinyModel,
    tmp_path: Path,
    connections: list[Any],
    capfd: pytest.CaptureFixture[str],
) -> None:
    output = tmp_path / "out"
    assert export(tiny_model(kind), output) == 0
    said = capfd.readouterr()
    assert said.out.splitlines()[0] == str(output)
    assert said.out.splitlines()[1].startswith("parity verified: ")
    assert "warning" not in said.err.lower()
    assert len(said.err.splitlines()) == 4
    assert connections == []
    assert sorted(path.name for path in output.iterdir()) == [
        "NOTICE",
        "card.json",
        "model.onnx",
        "model.onnx.data",
        "tokenizer.json",
    ]
    assert list(tmp_path.glob(".out*")) == []
    card = card_of(output)
    facts = {name: card[name] for name in ("pooling", "normalize", "dimension", "max_tokens", "precision", "opset")}
    assert facts == {
        "pooling": pooling,
        "normalize": normalize,
        "dimension": dimension,
        "max_tokens": 32,
        "precision": "fp32",
        "opset": 18,
    }
    assert (card["schema"], card["kind"], card["name"]) == ("scenescore.model/1", "text_encoder", f"tiny-{kind}")
    assert card["inputs"] == ["input_ids", "attention_mask"]
    assert (card["languages"], card["license"]) == (None, None)
    assert card["source"]["kind"] == "folder"
    assert card["source"]["id"] == f"tiny-{kind}"
    assert "model.safetensors" in card["source"]["files"]
    assert card["parity"]["verified"] is True
    assert card["parity"]["n_texts"] >= 50
    assert card["parity"]["token_ids_equal"] is True
    assert card["parity"]["max_component_difference"] <= 1e-5
    assert str(tmp_path) not in (output / "card.json").read_text(encoding="utf-8")
    assert load_card(output).verified
    assert TextEncoder(output).encode(["a red car"]).vectors.shape == (1, dimension)


def test_tokenizer_file_carries_the_limit_of_the_model_and_no_padding(tiny_export: TinyExport) -> None:
    content = json.loads((tiny_export("mean") / "tokenizer.json").read_text(encoding="utf-8"))
    assert content["padding"] is None
    assert content["truncation"]["max_length"] == 32


def test_another_export_of_the_same_weights_gives_the_same_files(
    tiny_model: TinyModel, tiny_export: TinyExport, tmp_path: Path
) -> None:
    assert export(tiny_model("mean"), tmp_path / "again") == 0
    cards = [json.loads((folder / "card.json").read_text()) for folder in (tmp_path / "again", tiny_export("mean"))]
    assert cards[0]["files"] == cards[1]["files"]


def test_second_run_does_nothing_and_is_fast(tiny_model: TinyModel, tiny_export: TinyExport) -> None:
    model, output = tiny_model("cls"), tiny_export("cls")
    before = {path.name: path.stat().st_mtime_ns for path in output.iterdir()}
    code = (
        "import sys; from model_export.__main__ import main;"
        f"rc = main(['text-encoder', '--model', {str(model)!r}, '--output', {str(output)!r}]);"
        "heavy = {'torch', 'transformers', 'optimum', 'sentence_transformers', 'onnx'} & set(sys.modules);"
        "sys.exit(rc or (f'imported {heavy}' if heavy else 0))"
    )
    before_seconds = _child_seconds()
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, cwd=ROOT)
    assert _child_seconds() - before_seconds < 2  # processor time: a busy machine is not our fault
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("nothing to do")
    assert done.stdout.splitlines()[0] == str(output)
    assert {path.name: path.stat().st_mtime_ns for path in output.iterdir()} == before


def _child_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("change", ["force", "graph", "card", "tools", "source"])
def test_second_run_exports_again_when_anything_differs(
    change: str, tiny_model: TinyModel, tiny_export: TinyExport, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, model = tmp_path / "out", tiny_model("cls")
    shutil.copytree(tiny_export("cls"), output)
    if change == "graph":
        corrupt(output / "model.onnx", 3.0)
    elif change == "source":
        model = tiny_model("dense")
    elif change != "force":
        card = card_of(output)
        card["parity" if change == "card" else "tools"] = {"verified": False, "torch": "1.0"}
        (output / "card.json").write_text(json.dumps(card), encoding="utf-8")
    capsys.readouterr()
    assert export(model, output, *(["--force"] if change == "force" else [])) == 0
    assert "nothing to do" not in capsys.readouterr().err
    assert card_of(output)["parity"]["verified"] is True
    assert card_of(output)["source"]["id"] == model.name
    assert export(model, output) == 0
    assert "nothing to do" in capsys.readouterr().err


@pytest.mark.parametrize("value", [9.0, float("nan")])
def test_gate_refuses_a_damaged_graph_and_keeps_what_was_there(
    value: float,
    tiny_model: TinyModel,
    tiny_export: TinyExport,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from model_export import graph

    output = tmp_path / "out"
    shutil.copytree(tiny_export("mean"), output)
    good = card_of(output)

    def write_damaged(source: Path, folder: Path) -> None:
        for name in ("model.onnx", "model.onnx.data"):
            shutil.copyfile(output / name, folder / name)
        corrupt(folder / "model.onnx", value)

    monkeypatch.setattr(graph, "write_graph", write_damaged)
    capsys.readouterr()
    assert export(tiny_model("mean"), output, "--force") == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "the parity gate refuses this export" in said.err.splitlines()[-1]
    assert card_of(output) == good
    refused = card_of(tmp_path / "out.unverified")
    assert refused["parity"]["verified"] is False
    assert refused["parity"]["failures"]


def test_gate_refuses_a_tokenizer_that_cuts_elsewhere(
    tiny_model: TinyModel, tiny_export: TinyExport, tmp_path: Path
) -> None:
    from model_export.graph import load_original
    from model_export.parity import check_parity
    from model_export.quiet import quiet_libraries

    output, model = tmp_path / "out", tiny_model("mean")
    shutil.copytree(tiny_export("mean"), output)
    (output / "tokenizer.json").write_bytes((model / "tokenizer.json").read_bytes())
    card = card_of(output)
    data = (output / "tokenizer.json").read_bytes()
    card["files"]["tokenizer.json"] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (output / "card.json").write_text(json.dumps(card), encoding="utf-8")
    with quiet_libraries(verbose=False):
        parity = check_parity(output, load_original(model), None)
    assert parity["verified"] is False
    assert parity["token_ids_equal"] is False


def test_model_with_a_default_prompt_is_refused(
    tiny_model: TinyModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "prompted"
    shutil.copytree(tiny_model("cls"), model)
    path = model / "config_sentence_transformers.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(
        json.dumps({**config, "prompts": {"query": "find: "}, "default_prompt_name": "query"}), encoding="utf-8"
    )
    assert export(model, tmp_path / "out") == 2
    assert "its prompt 'query'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_readme_of_the_model_states_languages_and_licence(tiny_model: TinyModel, tmp_path: Path) -> None:
    model = tmp_path / "stated"
    shutil.copytree(tiny_model("cls"), model)
    (model / "README.md").write_text("---\nlanguage: [en, de]\nlicense: apache-2.0\n---\n# A model\n", encoding="utf-8")
    assert export(model, tmp_path / "out") == 0
    card = card_of(tmp_path / "out")
    assert (card["languages"], card["license"]) == (["en", "de"], "Apache-2.0")
    assert "Apache License" in (tmp_path / "out" / "LICENSE").read_text(encoding="utf-8")
