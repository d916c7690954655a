"""The torch definition against the recorded outputs of the original implementation, on the filler's weights."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="exporting needs the export extra")

from model_export.grit import reference
from model_export.grit.checkpoint import network_of
from model_export.grit.network import Grit, unused_shapes
from model_export.grit.pooling import levels_of, pooled
from model_export.grit.sizes import GRIT_B
from tests.grit_fixtures import SEED_A, filler

FRAMES = {"img1": "img1_rgb", "synthetic": "synthetic_rgb"}
TASKS = {"main": "DenseCap", "det": "ObjectDet"}
BLOCKS = (0, 1, 2, 5, 8)
WIDE = 80  # cells: levels wider than this were recorded half as densely


@pytest.fixture(scope="module")
def fill(recorded_grit: Path) -> Any:
    return filler(recorded_grit)


@pytest.fixture(scope="module")
def seed_a(fill: Any, recorded_grit: Path) -> Any:
    state = fill.fill_layout(str(recorded_grit / "checkpoint_layout.tsv"), SEED_A)
    return network_of({name: torch.from_numpy(value) for name, value in state.items()}, GRIT_B)


def test_names_and_shapes_are_those_of_the_released_checkpoint(fill: Any, recorded_grit: Path) -> None:
    layout = dict(fill.read_layout(recorded_grit / "checkpoint_layout.tsv"))
    with torch.device("meta"):
        network = Grit(GRIT_B)
    shapes = {name: tuple(value.shape) for name, value in network.state_dict().items()}
    assert not shapes.keys() & unused_shapes(GRIT_B).keys()
    assert shapes | unused_shapes(GRIT_B) == layout
    assert len(layout) == 367


def near(found: Any, recorded: Any, limit: float) -> None:
    assert found.shape == recorded.shape
    np.testing.assert_allclose(np.asarray(found), recorded, rtol=0, atol=limit)


@pytest.mark.full
@pytest.mark.parametrize("frame", FRAMES)
def test_every_recorded_intermediate(frame: str, seed_a: Any, recorded_grit: Path) -> None:
    golden = np.load(recorded_grit / "golden" / f"seedA_vbench_{frame}.npz")
    pixels = np.load(recorded_grit / "golden" / "inputs.npz")[FRAMES[frame]]
    tokens: dict[int, Any] = {}
    hooks = [
        seed_a.backbone.bottom_up.blocks[index].register_forward_hook(
            lambda _, __, output, index=index: tokens.__setitem__(index, output)
        )
        for index in BLOCKS
    ]
    with torch.inference_mode():
        image = reference.prepared(pixels)
        levels = seed_a.backbone(image)
        heatmaps, regressions = seed_a.proposal_generator(levels)
        boxes, scores = reference.proposals(heatmaps, regressions)
        _check_boxes(seed_a, levels, golden)
        found = reference.cascade(seed_a, levels, boxes, scores, pixels.shape[:2])
    for hook in hooks:
        hook.remove()
    near(image[0, :, ::5, ::5], golden["input.norm"], 1e-6)
    for index, one in tokens.items():
        near(one[0, ::4, ::4, ::24], golden[f"vit.block{index}"], 2e-4)
    for index, one in enumerate(levels):
        step = {0: 4, 1: 2}.get(index, 1) * (2 if one.shape[3] > WIDE else 1)
        near(one[0, ::8, ::step, ::step], golden[f"fpn.p{index + 3}"], 2e-4)
        step = (2 if index == 0 else 1) * (2 if one.shape[3] > WIDE else 1)
        near(heatmaps[index][0, 0, ::step, ::step], golden[f"head.hm_logit.{index}"], 2e-4)
        near(regressions[index][0, :, ::step, ::step], golden[f"head.reg.{index}"], 2e-4)
    recorded = golden["prop.boxes"]
    apart = np.abs(boxes.numpy()[:, None] - recorded[None]).max(axis=2)  # as sets: neighbours' scores nearly tie
    assert apart.shape == (256, 256)
    assert apart.min(axis=0).max() < 1e-2
    assert apart.min(axis=1).max() < 1e-2
    near(scores, golden["prop.scores"], 5e-5)
    kept = reference.detections(found.boxes, found.scores, 0.5)
    near(found.boxes[kept], golden["nms.boxes"], 1e-2)
    near(found.scores[kept], golden["nms.scores"], 5e-5)
    _check_words(seed_a, levels, found.boxes[kept], golden)


def _check_boxes(network: Any, levels: list[Any], golden: Any) -> None:
    for stage in range(3):
        features = pooled(levels, torch.from_numpy(golden[f"stage{stage}.in_boxes"]), 7)
        if stage == 0:
            near(features[::8, ::16], golden["stage0.pooled"], 2e-4)
        logits, deltas = network.roi_heads.stage(stage, features)
        near(logits, golden[f"stage{stage}.logits"], 1e-3)
        near(deltas, golden[f"stage{stage}.deltas"], 1e-3)


def _check_words(network: Any, levels: list[Any], boxes: Any, golden: Any) -> None:
    with torch.inference_mode():
        regions = pooled(levels, boxes, 14)
        near(regions[:, ::8, ::2, ::2], golden["objfeat"], 2e-4)
        for recorded, task in TASKS.items():
            tokens, mean = reference.greedy(network, regions, task)
            assert tokens.tolist() == golden[f"text.{recorded}.tokens"].tolist()
            near(mean, golden[f"text.{recorded}.logprob"], 1e-4)
            first = reference.text_logits(network, regions, tokens[:, :1])[:, 0]
            near(first[:, ::37], golden[f"text.{recorded}.step0_logits"], 2e-3)


@pytest.mark.full
@pytest.mark.parametrize("seed", [405, 1234])
def test_gate_holds_for_other_weights(seed: int, full_grit: Callable[..., Path]) -> None:
    parity = json.loads((full_grit(seed) / "card.json").read_text(encoding="utf-8"))["parity"]
    assert parity["verified"]
    assert parity["n_other_tokens"] == parity["n_other_sentences_of_run_time"] == 0


def test_pooling_is_the_recorded_one(fill: Any, recorded_grit: Path) -> None:
    golden = np.load(recorded_grit / "golden" / "component_roi_pool.npz")
    sides = {3: (48, 64), 4: (24, 32), 5: (12, 16)}
    levels = [
        torch.from_numpy(fill.unit(f"roi-probe-p{level}", (1, 8, *side), 0).astype(np.float32))
        for level, side in sides.items()
    ]
    boxes = torch.from_numpy(golden["boxes"])
    assert levels_of(boxes).tolist() == golden["level"].tolist()
    for side in (7, 14):
        near(pooled(levels, boxes, side), golden[f"pool{side}"], 2e-4)
