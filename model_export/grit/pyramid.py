"""The feature pyramid p3 to p7 and the proposal head that runs on it (CenterNet2, Zhou et al., 2021)."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from model_export.grit.backbone import VisionTransformer
from model_export.grit.sizes import GritSizes

__all__ = ["LEVELS", "Backbone", "ProposalGenerator"]

Tensor = Any
LEVELS = (3, 4, 5, 6, 7)
EPSILON = 1e-5
TOWER = 4  # convolutions before the two predictors


class Backbone(nn.Module):
    """Image (1, 3, H, W), normalised, sides multiples of 32 -> p3 to p7, each (1, channels, h, w), strides 8 to 128."""

    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.bottom_up = VisionTransformer(sizes)
        self.top_block = _TopBlock(sizes.channels)
        self.fpn_stride_16_8 = nn.ConvTranspose2d(sizes.width, sizes.width, 2, 2, bias=False)
        for stride in (8, 16, 32):
            self.add_module(f"fpn_stride{stride}_conv1", nn.Conv2d(sizes.width, sizes.channels, 1, bias=False))
            self.add_module(f"fpn_stride{stride}_norm1", nn.LayerNorm(sizes.channels, EPSILON))
            self.add_module(
                f"fpn_stride{stride}_conv2", nn.Conv2d(sizes.channels, sizes.channels, 3, padding=1, bias=False)
            )
            self.add_module(f"fpn_stride{stride}_norm2", nn.LayerNorm(sizes.channels, EPSILON))

    def forward(self, image: Tensor) -> list[Tensor]:
        """The five levels, p6 not rectified."""
        features = self.bottom_up(image).permute(0, 3, 1, 2)
        p3 = self._level(8, self.fpn_stride_16_8(features))
        p4 = self._level(16, features)
        p5 = self._level(32, functional.max_pool2d(features, 2))
        p6 = self.top_block.p6(p5)
        return [p3, p4, p5, p6, self.top_block.p7(functional.relu(p6))]

    def _level(self, stride: int, features: Tensor) -> Tensor:
        for number in (1, 2):
            features = getattr(self, f"fpn_stride{stride}_conv{number}")(features)
            norm = getattr(self, f"fpn_stride{stride}_norm{number}")
            features = norm(features.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return features


class _TopBlock(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.p6 = nn.Conv2d(channels, channels, 3, 2, 1)
        self.p7 = nn.Conv2d(channels, channels, 3, 2, 1)


class ProposalGenerator(nn.Module):
    """The one head of all levels, under the name the checkpoint has for it."""

    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.centernet_head = _CenterNetHead(sizes)

    def forward(self, levels: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        """Heat-map logits (1, 1, h, w) and distances to the four sides (1, 4, h, w) in strides, from 0, per level."""
        heatmaps, regressions = self.centernet_head(levels)
        return heatmaps, regressions


class _CenterNetHead(nn.Module):
    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        layers: list[Any] = []
        for _ in range(TOWER):
            layers += [nn.Conv2d(sizes.channels, sizes.channels, 3, padding=1)]
            layers += [nn.GroupNorm(sizes.groups, sizes.channels, EPSILON), nn.ReLU()]
        self.bbox_tower = nn.Sequential(*layers)
        self.agn_hm = nn.Conv2d(sizes.channels, 1, 3, padding=1)
        self.bbox_pred = nn.Conv2d(sizes.channels, 4, 3, padding=1)
        self.scales = nn.ModuleList(_Scale() for _ in LEVELS)

    def forward(self, levels: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        heatmaps, regressions = [], []
        for features, scale in zip(levels, self.scales, strict=True):
            tower = self.bbox_tower(features)
            heatmaps.append(self.agn_hm(tower))
            regressions.append(functional.relu(self.bbox_pred(tower) * scale.scale))
        return heatmaps, regressions


class _Scale(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
