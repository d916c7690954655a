"""The torch definition against slow, plain formulas: attention, pooling, suppression, the decoder without a cache."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="exporting needs the export extra")

from handler.errors import ModelError
from model_export.grit import reference
from model_export.grit.backbone import _Attention
from model_export.grit.checkpoint import load_network
from model_export.grit.comparison import _clear_threshold, expectation
from model_export.grit.image import gate_image
from model_export.grit.pooling import levels_of, pooled
from tests.model_export.grit_tiny import TINY, tiny_checkpoint


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return load_network(tiny_checkpoint(tmp_path_factory.mktemp("grit") / "tiny.pth"), TINY)


@pytest.mark.parametrize("is_global", [True, False])
@pytest.mark.parametrize(("height", "width"), [(2, 5), (7, 6), (3, 9)])
def test_attention_is_the_sum_over_pairs(is_global: bool, height: int, width: int) -> None:
    """Window: pad the map with zeros to whole windows, then attend in each; pad tokens are keys. Global: one window."""
    generator = torch.Generator().manual_seed(height * width)
    attention = _Attention(TINY, is_global).double()
    for parameter in attention.parameters():
        parameter.data = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    tokens = torch.randn(1, height, width, TINY.width, generator=generator, dtype=torch.float64)
    side_y, side_x = (height, width) if is_global else (TINY.window, TINY.window)
    padded = torch.zeros(math.ceil(height / side_y) * side_y, math.ceil(width / side_x) * side_x, TINY.width).double()
    padded[:height, :width] = tokens[0]
    expected = torch.zeros_like(padded)
    for top in range(0, padded.shape[0], side_y):
        for left in range(0, padded.shape[1], side_x):
            place = (slice(top, top + side_y), slice(left, left + side_x))
            expected[place] = _attended(attention, padded[place])
    with torch.no_grad():
        found = attention(tokens)[0]
    # places in a table are float32, as in the original, whatever the weights are
    torch.testing.assert_close(found, expected[:height, :width], rtol=1e-4, atol=1e-4)


def _attended(attention: Any, window: Any) -> Any:
    """One pair of tokens at a time; tables for another side are resized by torch's own linear interpolation."""
    height, width, _ = window.shape
    mixed = torch.nn.functional.linear(window, attention.qkv.weight, attention.qkv.bias).detach()
    mixed = mixed.reshape(height, width, 3, TINY.heads, TINY.head_width)
    by_row, by_column = (
        torch.nn.functional.interpolate(table.detach().t()[None], size=2 * side - 1, mode="linear")[0].t()
        for table, side in ((attention.rel_pos_h, height), (attention.rel_pos_w, width))
    )
    cells = [(y, x) for y in range(height) for x in range(width)]
    context = torch.zeros(height, width, TINY.heads, TINY.head_width).double()
    for head in range(TINY.heads):
        for y, x in cells:
            query = mixed[y, x, 0, head]
            logits = [
                query @ mixed[v, u, 1, head] / math.sqrt(TINY.head_width)
                + query @ by_row[y - v + height - 1]
                + query @ by_column[x - u + width - 1]
                for v, u in cells
            ]
            shares = torch.stack(logits).softmax(0)
            context[y, x, head] = sum(s * mixed[v, u, 2, head] for s, (v, u) in zip(shares, cells, strict=True))
    return torch.nn.functional.linear(context.flatten(2), attention.proj.weight, attention.proj.bias).detach()


@pytest.mark.parametrize(("height", "width"), [(4, 4), (2, 7), (9, 5)])
def test_positions_are_the_table_resized_as_torch_resizes_a_picture(height: int, width: int, network: Any) -> None:
    table = network.backbone.bottom_up.pos_embed[:, 1:].detach()
    picture = table.reshape(1, TINY.table, TINY.table, -1).permute(0, 3, 1, 2)
    expected = torch.nn.functional.interpolate(picture, size=(height, width), mode="bicubic").permute(0, 2, 3, 1)
    with torch.no_grad():
        found = network.backbone.bottom_up._positions(height, width)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)


def test_pooling_of_a_ramp_gives_the_middles_of_the_bins() -> None:
    """On level 3 a cell is 8 px and its middle lies at half a cell: inside the map, a bin's mean of x is its middle."""
    y, x = torch.meshgrid(torch.arange(30.0), torch.arange(40.0), indexing="ij")
    level = torch.stack((x, y))[None]
    box = torch.tensor([[40.0, 24.0, 110.0, 136.0]])
    found = pooled([level, level, level], box, 7)[0]
    middles_x = (40 + (np.arange(7) + 0.5) * 10) / 8 - 0.5
    middles_y = (24 + (np.arange(7) + 0.5) * 16) / 8 - 0.5
    np.testing.assert_allclose(found[0].numpy(), np.tile(middles_x, (7, 1)), rtol=1e-6)
    np.testing.assert_allclose(found[1].numpy(), np.tile(middles_y[:, None], (1, 7)), rtol=1e-6)


def test_pooling_far_outside_is_zero_and_an_empty_box_is_too() -> None:
    levels = [torch.ones(1, 3, 8, 8)] * 3
    found = pooled(
        levels, torch.tensor([[-90.0, -90.0, -20.0, -20.0], [5.0, 5.0, 5.0, 5.0], [8.0, 8.0, 40.0, 40.0]]), 7
    )
    assert found[0].abs().max() == 0
    assert found[1].abs().max() == 0
    torch.testing.assert_close(found[2], torch.ones(3, 7, 7))
    assert pooled(levels, torch.zeros(0, 4), 14).shape == (0, 3, 14, 14)


def test_levels_follow_the_side_of_the_box() -> None:
    """Level 4 begins at a side of 224 px, level 5 at twice that; below and above there is no other."""
    sides = [1.0, 112.0, 223.0, 225.0, 447.0, 449.0, 2000.0]
    assert levels_of(torch.tensor([[0, 0, side, side] for side in sides])).tolist() == [3, 3, 3, 4, 4, 5, 5]


def test_suppression_keeps_what_lies_exactly_at_the_limit() -> None:
    boxes = torch.tensor([[0.0, 0, 10, 10], [0, 0, 10, 5], [0, 0, 10, 6], [50, 50, 60, 60]])
    scores = torch.tensor([0.9, 0.8, 0.7, 0.95])  # IoU with the first: 0.5, 0.6, 0; of the second and third 5/6
    assert reference.suppressed(boxes, scores, 0.5).tolist() == [3, 0, 1]
    assert reference.suppressed(boxes, scores, 0.49).tolist() == [3, 0]


@pytest.mark.parametrize(
    ("scores", "threshold", "n_kept"),
    [
        ([0.9, 0.8, 0.3, 0.2], 0.55, 2),  # the widest gap after the second
        ([0.9, 0.2, 0.19, 0.15, 0.14, 0.13, 0.12, 0.01], 0.17, 3),  # wider ones leave one, or seven
        ([0.9], 0.45, 1),
    ],
)
def test_gate_cuts_where_rounding_decides_nothing(scores: list[float], threshold: float, n_kept: int) -> None:
    boxes = torch.tensor([[30.0 * index, 0, 30 * index + 10, 10] for index in range(len(scores))])
    found = reference.Cascade(boxes, torch.tensor(scores), [], [], [], [])
    cut = _clear_threshold(found)
    assert cut == pytest.approx(threshold)
    assert len(reference.detections(found.boxes, found.scores, cut)) == n_kept


def test_network_that_sees_nothing_cannot_be_checked(network: Any) -> None:
    bias = network.proposal_generator.centernet_head.agn_hm.bias
    before = bias.detach().clone()
    with torch.no_grad():
        bias.fill_(-1e3)
        try:
            with pytest.raises(ModelError, match="sees nothing"):
                expectation(network, gate_image())
        finally:
            bias.copy_(before)


def test_a_cached_step_gives_what_the_whole_sequence_gives(network: Any) -> None:
    regions = torch.randn(3, TINY.channels, 14, 14, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        tokens, mean = reference.greedy(network, regions, "DenseCap")
        logits = reference.text_logits(network, regions, tokens[:, :-1])
    assert tokens[:, 0].tolist() == [104] * 3
    for row, said, own_mean in zip(logits, tokens.tolist(), mean.tolist(), strict=True):
        end = said.index(102) if 102 in said else len(said) - 1
        total = 0.0
        for position in range(end):
            scores = row[position].clone()
            if position:
                scores[said[position]] = -10000
            assert int(scores.argmax()) == said[position + 1]
            total += float(scores.log_softmax(0)[said[position + 1]])
        assert own_mean == pytest.approx(total / end, abs=1e-5)
