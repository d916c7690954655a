"""Exporting a tiny GRiT: what the folder holds, the gate, doing nothing twice, image sizes, the vocabulary, the command."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="exporting needs the export extra")

from handler.errors import ModelError, RequestError
from handler.models._card import read_card
from handler.models.dense import CaptionOptions, DenseCaptioner, DenseCard
from model_export.__main__ import main
from model_export.grit import graphs, vocabulary
from model_export.grit.checkpoint import load_network
from model_export.grit.export import export_grit, parity_line
from model_export.grit.image import gate_image
from model_export.grit.sizes import GRIT_B
from tests.model_export.grit_tiny import TINY, tiny_checkpoint, tiny_vocabulary

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny products are slower on two threads, by much when the machine is busy."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("grit-sources")
    return tiny_checkpoint(folder / "tiny.pth"), tiny_vocabulary(folder / "vocab.txt")


def export(sources: tuple[Path, Path], output: Path, **options: Any) -> tuple[Path, dict[str, Any]]:
    checkpoint, words = sources
    return export_grit(str(checkpoint), output=output, vocabulary=words, sizes=TINY, **options)


@pytest.fixture(scope="module")
def exported(sources: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        return export(sources, tmp_path_factory.mktemp("grit") / "model")[0]


def test_folder_is_whole_and_its_card_tells_where_it_comes_from(exported: Path, sources: tuple[Path, Path]) -> None:
    card = json.loads((exported / "card.json").read_text(encoding="utf-8"))
    files = {path.name for path in exported.iterdir()} - {"card.json", "NOTICE"}
    assert files == set(card["files"])
    names = {"backbone", "roi_7", "boxes_0", "boxes_1", "boxes_2", "roi_14", "prefix", "step"}
    assert {name.removesuffix(".onnx") for name in files if name.endswith(".onnx")} == names
    for name, facts in card["files"].items():
        content = (exported / name).read_bytes()
        assert facts == {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    sha256 = hashlib.sha256(sources[0].read_bytes()).hexdigest()
    assert card["source"] == {"kind": "file", "id": "tiny.pth", "sha256": sha256, "expected_sha256": None}
    assert (card["kind"], card["precision"], card["opset"]) == ("dense_captioner", "fp32", 18)
    assert card["sizes"]["width"] == TINY.width
    assert sha256 in (exported / "NOTICE").read_text(encoding="utf-8")
    assert read_card(exported, DenseCard).verified


def test_gate_compares_boxes_scores_and_tokens_and_says_by_how_much(exported: Path) -> None:
    parity = json.loads((exported / "card.json").read_text(encoding="utf-8"))["parity"]
    assert parity["verified"]
    assert parity["failures"] == []
    assert parity["n_detections"] == parity["n_detections_of_run_time"] >= 2
    assert parity["n_tokens"] >= 10
    assert parity["n_other_tokens"] == parity["n_other_sentences_of_run_time"] == parity["n_moved_of_run_time"] == 0
    assert parity["largest_differences"].keys() == parity["limits"].keys()
    assert all(0 <= one < 1e-2 for one in parity["largest_differences"].values())
    assert parity["providers"] == ["CPUExecutionProvider"]
    assert parity_line(parity).startswith("parity verified: ")


def test_run_time_reads_the_folder(exported: Path) -> None:
    threshold = json.loads((exported / "card.json").read_text(encoding="utf-8"))["parity"]["score_threshold"]
    captioner = DenseCaptioner(exported, provider="cpu", threads=1)
    (found,) = captioner.caption([gate_image()], CaptionOptions(score_threshold=threshold))
    assert len(found) >= 2
    assert all(one.caption for one in found)


def test_same_export_is_not_made_twice(
    exported: Path, sources: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = (exported / "card.json").stat().st_mtime_ns
    assert export(sources, exported)[1]["verified"]
    assert "nothing to do" in capsys.readouterr().err
    assert (exported / "card.json").stat().st_mtime_ns == before


def test_another_checkpoint_or_expected_hash_or_precision_is_not_the_same_export(
    exported: Path, sources: tuple[Path, Path], tmp_path: Path
) -> None:
    from model_export.grit.export import _is_same

    card = json.loads((exported / "card.json").read_text())
    checkpoint = str(sources[0])
    sha256 = hashlib.sha256(sources[0].read_bytes()).hexdigest()
    assert _is_same(card, checkpoint, sha256.upper(), "fp32")
    assert _is_same(card, "s3://bucket/tiny.pth", sha256, "fp32")
    assert not _is_same(card, "s3://bucket/tiny.pth", None, "fp32")
    assert not _is_same(card, checkpoint, "0" * 64, "fp32")
    assert not _is_same(card, checkpoint, sha256, "fp16")
    other = tiny_checkpoint(tmp_path / "other.pth", seed=1)
    assert not _is_same(card, str(other), None, "fp32")
    with pytest.raises(ModelError, match=f"expected {'0' * 64}"):
        export(sources, exported, sha256="0" * 64)
    assert read_card(exported, DenseCard).verified


def test_a_folder_that_is_no_exported_model_is_not_replaced(sources: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"dear to somebody")
    with pytest.raises(RequestError, match="will not be replaced"):
        export(sources, tmp_path)
    assert (tmp_path / "photo.jpg").exists()


def test_half_precision_passes_its_own_wider_limits(sources: tuple[Path, Path], tmp_path: Path) -> None:
    folder, parity = export(sources, tmp_path / "half", precision="fp16")
    assert parity["verified"]
    assert parity["largest_differences"]["pyramid"] > 2e-4  # it is not float32
    assert read_card(folder, DenseCard).precision == "fp16"
    import onnx

    step = onnx.load(folder / "step.onnx", load_external_data=False)
    weights = {one.data_type for one in step.graph.initializer if len(one.dims) == 2}
    assert weights == {onnx.TensorProto.FLOAT16}
    assert {one.type.tensor_type.elem_type for one in step.graph.output} == {onnx.TensorProto.FLOAT}


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("backbone", "pyramid differ by"),
        ("boxes_1", "box_logits differ by"),
        ("prefix", "prefix differ by"),
        ("step", "token_logits differ by"),
    ],
)
def test_gate_refuses_a_graph_that_says_something_else(
    name: str, match: str, exported: Path, sources: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_wrong(network: Any, folder: Path, *, precision: str) -> None:
        for right in exported.glob("*.onnx*"):
            shutil.copyfile(right, folder / right.name)
        path = folder / f"{name}.onnx.data"
        weights = np.fromfile(path, np.float32)
        weights *= np.float32(1.01)
        weights.tofile(path)

    monkeypatch.setattr(graphs, "write_graphs", write_wrong)
    with pytest.raises(ModelError, match=match):
        export(sources, tmp_path / "model")
    assert not (tmp_path / "model").exists()
    card = json.loads((tmp_path / "model.unverified" / "card.json").read_text(encoding="utf-8"))
    assert card["parity"]["verified"] is False


@pytest.mark.parametrize(("height", "width"), [(64, 64), (32, 96), (160, 32), (384, 512)])
def test_one_graph_serves_every_image_size(exported: Path, sources: tuple[Path, Path], height: int, width: int) -> None:
    import onnxruntime

    image = np.random.default_rng(height).normal(size=(1, 3, height, width)).astype(np.float32)
    network = load_network(sources[0], TINY)
    with torch.inference_mode():
        levels = network.backbone(torch.from_numpy(image))
        heatmaps, regressions = network.proposal_generator(levels)
    session = onnxruntime.InferenceSession(str(exported / "backbone.onnx"), providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    found = dict(zip(names, session.run(None, {"image": image}), strict=True))
    assert names[:3] == ["p3", "p4", "p5"]
    expected = [*levels[:3], *heatmaps, *regressions]
    for name, value in zip(names, expected, strict=True):
        np.testing.assert_allclose(found[name], value.numpy(), atol=2e-4, rtol=0, err_msg=name)
    sides = [found[f"heatmap_{level}"].shape[2:] for level in (3, 4, 5)]
    assert sides == [(height // stride, width // stride) for stride in (8, 16, 32)]


def test_a_checkpoint_of_another_size_is_refused_by_the_command(
    sources: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = b"".join(b"%d\n" % number for number in range(GRIT_B.words))
    (tmp_path / "vocab.txt").write_bytes(words)
    monkeypatch.setattr(vocabulary, "VOCABULARY_SHA256", hashlib.sha256(words).hexdigest())
    given = ["--checkpoint", str(sources[0]), "--vocabulary", str(tmp_path / "vocab.txt")]
    assert main(["grit", *given, "--output", str(tmp_path / "out")]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "backbone.bottom_up.pos_embed (1x17x16, expected 1x197x768)" in said.err
    assert "missing: backbone.bottom_up.blocks.3" in said.err
    assert not (tmp_path / "out").exists()


def test_vocabulary_is_found_by_its_hash_among_other_lines(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = b"".join(b"%d\n" % number for number in range(GRIT_B.words))
    monkeypatch.setattr(vocabulary, "VOCABULARY_SHA256", hashlib.sha256(words).hexdigest())
    cached = own_cache / "weights" / "all-mpnet-base-v2" / "vocab.txt"
    with pytest.raises(ModelError, match="run `make model` first"):
        vocabulary.find_vocabulary(GRIT_B)
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"<s>\n<pad>\n</s>\n<unk>\n" + words + b"<mask>\n")
    assert vocabulary.find_vocabulary(GRIT_B) == words
    (tmp_path / "same.txt").write_bytes(words)
    assert vocabulary.find_vocabulary(GRIT_B, tmp_path / "same.txt") == words
    (tmp_path / "other.txt").write_bytes(words[:-2] + b"0\n")
    with pytest.raises(ModelError, match="not the vocabulary of the decoder"):
        vocabulary.find_vocabulary(GRIT_B, tmp_path / "other.txt")


def test_what_cannot_be_had_is_exit_code_2_and_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grit", "--checkpoint", str(tmp_path / "nowhere.pth"), "--output", str(tmp_path / "out")]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    for wrong in (["grit"], ["grit", "--checkpoint", "a.pth", "--sha256", "abc"]):
        with pytest.raises(SystemExit, match="2"):
            main(wrong)


def test_nothing_heavy_is_imported_before_there_is_something_to_do() -> None:
    code = (
        "import sys, model_export.__main__, model_export.grit.export;"
        "sys.exit(repr({'torch', 'onnx', 'onnxruntime', 'optimum'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, cwd=ROOT)
    assert done.stderr.strip() == "set()"


def test_no_export_asks_the_network_for_anything(
    sources: tuple[Path, Path], tmp_path: Path, connections: list[Any]
) -> None:
    assert export(sources, tmp_path / "model", force=True)[1]["verified"]
    assert connections == []
