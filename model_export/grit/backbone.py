"""The image backbone: a plain vision transformer with windowed and global attention (ViTDet, Li et al., 2022)."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from model_export.grit.sizes import GritSizes

__all__ = ["VisionTransformer"]

Tensor = Any
EPSILON = 1e-6


class VisionTransformer(nn.Module):
    """Image (1, 3, H, W), sides multiples of the patch -> tokens (1, H / patch, W / patch, width), channel last."""

    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.table = sizes.table
        self.pos_embed = nn.Parameter(torch.zeros(1, sizes.table**2 + 1, sizes.width))
        self.patch_embed = _PatchEmbedding(sizes)
        self.blocks = nn.ModuleList(_Block(sizes, index in sizes.global_blocks) for index in range(sizes.depth))

    def forward(self, image: Tensor) -> Tensor:
        """Tokens after the last block; there is no final norm."""
        tokens = self.patch_embed.proj(image).permute(0, 2, 3, 1)
        tokens = tokens + self._positions(tokens.shape[1], tokens.shape[2])
        for block in self.blocks:
            tokens = block(tokens)
        return tokens

    def _positions(self, height: int, width: int) -> Tensor:
        """The position table, class token dropped, resized to the image: bicubic, A = -0.75, without antialias.

        A resize is one product per axis, whose weights are the resized rows of an identity: of 14 channels, not 768.
        """
        table = self.pos_embed[0, 1:].reshape(self.table, self.table, -1)
        same = torch.eye(self.table)[None, None]
        by_row, by_column = (
            functional.interpolate(same, size=(side, self.table), mode="bicubic", align_corners=False)[0, 0].to(table)
            for side in (height, width)
        )
        rows = (by_row @ table.flatten(1)).reshape(-1, self.table, table.shape[2])
        return (by_column @ rows)[None]


class _PatchEmbedding(nn.Module):
    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.proj = nn.Conv2d(3, sizes.width, sizes.patch, sizes.patch)


class _Block(nn.Module):
    def __init__(self, sizes: GritSizes, is_global: bool) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(sizes.width, EPSILON)
        self.attn = _Attention(sizes, is_global)
        self.norm2 = nn.LayerNorm(sizes.width, EPSILON)
        self.mlp = _Mlp(sizes)

    def forward(self, tokens: Tensor) -> Tensor:
        tokens = tokens + self.attn(self.norm1(tokens))
        return tokens + self.mlp(self.norm2(tokens))


class _Mlp(nn.Module):
    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.fc1 = nn.Linear(sizes.width, sizes.width * sizes.mlp_ratio)
        self.fc2 = nn.Linear(sizes.width * sizes.mlp_ratio, sizes.width)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.fc2(functional.gelu(self.fc1(tokens)))


class _Attention(nn.Module):
    """Attention with decomposed relative positions, over the whole map or over windows.

    The original pads the normalised map with zeros up to whole windows, and padded tokens are keys like any other: their
    queries, keys and values are the bias. Here the projection runs on the real tokens only, the padding follows it, and
    the bias comes last, which is the same.
    """

    def __init__(self, sizes: GritSizes, is_global: bool) -> None:
        super().__init__()
        self.heads = sizes.heads
        self.head_width = sizes.head_width
        self.window = 0 if is_global else sizes.window
        rows = 2 * (sizes.global_side if is_global else sizes.window) - 1
        self.rel_pos_h = nn.Parameter(torch.zeros(rows, sizes.head_width))
        self.rel_pos_w = nn.Parameter(torch.zeros(rows, sizes.head_width))
        self.qkv = nn.Linear(sizes.width, 3 * sizes.width)
        self.proj = nn.Linear(sizes.width, sizes.width)

    def forward(self, tokens: Tensor) -> Tensor:
        height, width = tokens.shape[1], tokens.shape[2]
        mixed = tokens @ self.qkv.weight.t()
        if not self.window:
            mixed = mixed.reshape(1, height * width, 3, self.heads, self.head_width)
            attended = self._attend(mixed, height, width)
            return self.proj(attended.transpose(1, 2).reshape(1, height, width, self.heads * self.head_width))
        side = self.window
        rows, columns = (height + side - 1) // side, (width + side - 1) // side
        mixed = functional.pad(mixed, (0, 0, 0, columns * side - width, 0, rows * side - height))
        mixed = mixed.reshape(rows, side, columns, side, -1).transpose(1, 2)
        mixed = mixed.reshape(rows * columns, side * side, 3, self.heads, self.head_width)
        attended = self._attend(mixed, side, side)
        attended = attended.reshape(rows, columns, self.heads, side, side, self.head_width).permute(0, 3, 1, 4, 2, 5)
        attended = attended.reshape(1, rows * side, columns * side, self.heads * self.head_width)
        return self.proj(attended[:, :height, :width])

    def _attend(self, mixed: Tensor, height: int, width: int) -> Tensor:
        """Queries, keys and values (B, height * width, 3, heads, head_width) -> (B, heads, height * width, head_width).

        The logits are q k / sqrt(head_width) + q Rh[y, y'] + q Rw[x, x']. The added terms become part of one product:
        a query is followed by its terms for every y' and x', a key by the one-hot rows of its own y' and x'. A map of
        logits is large, and adding to it costs more than these few columns.
        """
        mixed = mixed + self.qkv.bias.reshape(3, self.heads, self.head_width)
        query, key, value = mixed.permute(2, 0, 3, 1, 4).unbind(0)
        grid = query.reshape(-1, self.heads, height, width, self.head_width)
        by_row = grid @ _relative(self.rel_pos_h, height).transpose(1, 2)
        by_column = grid.transpose(2, 3) @ _relative(self.rel_pos_w, width).transpose(1, 2)
        by_column = by_column.transpose(2, 3)
        terms = torch.cat((by_row, by_column), -1).flatten(2, 3)
        query = torch.cat((query * self.head_width**-0.5, terms), -1)
        one_hot = _one_hot(height, width, key).expand(key.shape[0], self.heads, -1, -1)
        key = torch.cat((key, one_hot), -1).transpose(-2, -1)
        if self.window:
            return (query @ key).softmax(-1) @ value
        heads = zip(query.split(1, 1), key.split(1, 1), value.split(1, 1), strict=True)
        return torch.cat([(one_query @ one_key).softmax(-1) @ one_value for one_query, one_key, one_value in heads], 1)


def _relative(table: Tensor, side: int) -> Tensor:
    """Rows of the table for every pair (query, key) of a side: (side, side, head_width), row query - key + side - 1.

    A table made for another side is interpolated along its length first, linearly, corners not aligned.
    """
    n_rows, length = table.shape[0], 2 * side - 1
    place = torch.arange(length, device=table.device)
    source = ((place + 0.5) * (n_rows / length) - 0.5).clamp(min=0)
    below = source.floor()
    share = (source - below)[:, None].to(table.dtype)
    lower = below.long()
    upper = (lower + 1).clamp(max=n_rows - 1)
    resized = table[lower] * (1 - share) + table[upper] * share
    sides = torch.arange(side, device=table.device)
    return resized[sides[:, None] - sides[None, :] + side - 1]


def _one_hot(height: int, width: int, like: Tensor) -> Tensor:
    """(1, 1, height * width, height + width): ones at the row and at the column of every token."""
    rows, columns = (_identity(side, like) for side in (height, width))
    rows = rows[:, None].expand(height, width, height)
    columns = columns[None].expand(height, width, width)
    return torch.cat((rows, columns), -1).reshape(1, 1, height * width, height + width)


def _identity(side: int, like: Tensor) -> Tensor:
    places = torch.arange(side, device=like.device)
    return (places[:, None] == places).to(like.dtype)
