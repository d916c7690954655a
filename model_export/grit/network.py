"""The whole network, its modules and parameters named as in the released checkpoint."""

from __future__ import annotations

from typing import Any

from torch import nn
from torch.nn import functional

from model_export.grit.pyramid import Backbone, ProposalGenerator
from model_export.grit.sizes import GritSizes
from model_export.grit.text import TextDecoder

__all__ = ["Grit", "unused_shapes"]

Tensor = Any
MASK_CONVOLUTIONS = 4


class Grit(nn.Module):
    """GRiT without its mask head, whose masks nobody reads. Weights are undefined until a checkpoint is loaded."""

    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.backbone = Backbone(sizes)
        self.proposal_generator = ProposalGenerator(sizes)
        self.roi_heads = _RoiHeads(sizes)


class _RoiHeads(nn.Module):
    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.box_head = nn.ModuleList(_BoxHead(sizes) for _ in range(sizes.stages))
        self.box_predictor = nn.ModuleList(_BoxPredictor(sizes) for _ in range(sizes.stages))
        self.text_decoder = TextDecoder(sizes)

    def stage(self, index: int, pooled: Tensor) -> tuple[Tensor, Tensor]:
        """One box stage: pooled features (N, channels, side, side) -> logits (N, 2), object first, and deltas (N, 4)."""
        logits, deltas = self.box_predictor[index](self.box_head[index](pooled))
        return logits, deltas


class _BoxHead(nn.Module):
    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.fc1 = nn.Linear(sizes.channels * sizes.pooled**2, sizes.box_width)
        self.fc2 = nn.Linear(sizes.box_width, sizes.box_width)

    def forward(self, pooled: Tensor) -> Tensor:
        return functional.relu(self.fc2(functional.relu(self.fc1(pooled.flatten(1)))))


class _BoxPredictor(nn.Module):
    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.cls_score = nn.Linear(sizes.box_width, 2)
        self.bbox_pred = nn.Sequential(
            nn.Linear(sizes.box_width, sizes.box_width), nn.ReLU(), nn.Linear(sizes.box_width, 4)
        )

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.cls_score(features), self.bbox_pred(features)


def unused_shapes(sizes: GritSizes) -> dict[str, tuple[int, ...]]:
    """The mask head's part of the checkpoint: expected there, and read by nothing."""
    channels = sizes.channels
    shapes: dict[str, tuple[int, ...]] = {}
    for number in range(1, MASK_CONVOLUTIONS + 1):
        shapes[f"roi_heads.mask_head.mask_fcn{number}.weight"] = (channels, channels, 3, 3)
        shapes[f"roi_heads.mask_head.mask_fcn{number}.bias"] = (channels,)
    shapes["roi_heads.mask_head.deconv.weight"] = (channels, channels, 2, 2)
    shapes["roi_heads.mask_head.deconv.bias"] = (channels,)
    shapes["roi_heads.mask_head.predictor.weight"] = (1, channels, 1, 1)
    shapes["roi_heads.mask_head.predictor.bias"] = (1,)
    return shapes
