"""Exported dense captioners for tests: a tiny one made in seconds, and full-size ones with the filler's weights."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
GRIT = Path(os.environ.get("SCENESCORE_GRIT") or ROOT.parent / "shared" / "grit")
SEED_A = 404


@pytest.fixture(scope="session")
def recorded_grit() -> Path:
    """The folder of the original's recorded outputs; tests that read it are skipped in a clone that has none."""
    if not GRIT.is_dir():
        pytest.skip(f"the original's recorded outputs are not here ({GRIT})")
    return GRIT


@pytest.fixture(scope="session")
def tiny_grit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole exported folder of a tiny network with random weights, through the real export and its gate."""
    pytest.importorskip("torch", reason="exporting needs the export extra")
    from tests.model_export.grit_tiny import TINY, tiny_checkpoint, tiny_vocabulary

    folder = tmp_path_factory.mktemp("tiny-grit")
    words = tiny_vocabulary(folder / "vocab.txt")
    return _export(tiny_checkpoint(folder / "tiny.pth"), folder / "model", vocabulary=words, sizes=TINY)


@pytest.fixture(scope="session")
def full_grit(recorded_grit: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Folder of the full-size network with the filler's weights, by seed; exported once, then kept where
    SCENESCORE_GRIT_EXPORTS says, or for this run."""
    pytest.importorskip("torch", reason="exporting needs the export extra")
    kept = os.environ.get("SCENESCORE_GRIT_EXPORTS")
    base = Path(kept) if kept else tmp_path_factory.mktemp("grit")

    def make(seed: int = SEED_A) -> Path:
        folder = base / f"seed-{seed}"
        if not (folder / "card.json").is_file():
            import torch

            weights = filler(recorded_grit)
            state = weights.fill_layout(str(recorded_grit / "checkpoint_layout.tsv"), seed)
            checkpoint = base / f"seed-{seed}.pth"
            base.mkdir(parents=True, exist_ok=True)
            torch.save({"model": {name: torch.from_numpy(value) for name, value in state.items()}}, checkpoint)
            _export(checkpoint, folder)
            checkpoint.unlink()
        return folder

    return make


def with_object_bias(folder: Path, target: Path, bias: float) -> Path:
    """A copy of an exported folder whose box stages have another bias of the class "object"."""
    import onnx
    from onnx import numpy_helper

    shutil.copytree(folder, target, copy_function=_linked)
    for number in range(3):
        path = target / f"boxes_{number}.onnx"
        graph = onnx.load(path, load_external_data=False)
        (found,) = (one for one in graph.graph.initializer if one.name.endswith("cls_score.bias"))
        found.CopyFrom(numpy_helper.from_array(np.array([bias, 0], np.float32), found.name))
        path.unlink()
        onnx.save(graph, path)
    seal(target)
    return target


def _linked(source: str, target: str) -> None:
    """A second name for a file where that is possible: the weights take 1 GB."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def seal(folder: Path) -> None:
    """Write the hashes of what a folder holds into its card."""
    card = json.loads((folder / "card.json").read_text())
    for name in card["files"]:
        data = (folder / name).read_bytes()
        card["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (folder / "card.json").unlink()  # it may be a link
    (folder / "card.json").write_text(json.dumps(card))


def _export(checkpoint: Path, output: Path, **options: Any) -> Path:
    import torch

    from model_export.grit.export import export_grit

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # on the many small steps of the gate, threads only wait for each other
    try:
        return export_grit(str(checkpoint), output=output, **options)[0]
    finally:
        torch.set_num_threads(threads)


def filler(folder: Path) -> Any:
    spec = importlib.util.spec_from_file_location("fill_weights", folder / "fill_weights.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
