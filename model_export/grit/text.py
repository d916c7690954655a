"""The text decoder: words that attend to the features of one region and to the words before them."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from model_export.grit.sizes import GritSizes

__all__ = ["TextDecoder"]

Tensor = Any
PROJECTION_EPSILON = 1e-5
EMBEDDING_EPSILON = 1e-8
LAYER_EPSILON = 1e-12


class TextDecoder(nn.Module):
    """The decoder under the name the checkpoint has for it. N regions; L layers; V visual tokens; t words so far."""

    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.textual = _Textual(sizes)

    def prefix(self, regions: Tensor) -> tuple[Tensor, Tensor]:
        """Regions (N, channels, side, side) -> visual keys and values, both (L, N, heads, V, head_width).

        Visual tokens never see words, so this is computed once per region, whatever is said about it.
        """
        return self.textual.prefix(regions)

    def step(self, token: Tensor, position: Tensor, visual: tuple[Tensor, Tensor], text: tuple[Tensor, Tensor]) -> Any:
        """One word more: token (N,), position (1,), visual and text keys and values -> logits (N, words), text cache."""
        return self.textual.step(token, position, visual, text)


class _Textual(nn.Module):
    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.object_feature_projection = nn.Sequential(
            nn.Linear(sizes.channels, sizes.text_width), nn.LayerNorm(sizes.text_width, PROJECTION_EPSILON)
        )
        self.embedding = _Embedding(sizes)
        self.transformer = _Transformer(sizes)
        self.output = nn.Linear(sizes.text_width, sizes.words)

    def prefix(self, regions: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.object_feature_projection(regions.flatten(2).transpose(1, 2))
        keys, values = [], []
        layers = list(self.transformer.encoder.layer)
        for layer in layers:
            query, key, value = layer.attention.self.project(hidden)
            keys.append(key)
            values.append(value)
            if layer is not layers[-1]:  # nothing reads what the last layer makes of visual tokens
                hidden = layer.finish(hidden, _attend(query, [key], [value]))
        return torch.stack(keys), torch.stack(values)

    def step(self, token: Tensor, position: Tensor, visual: tuple[Tensor, Tensor], text: tuple[Tensor, Tensor]) -> Any:
        hidden = self.embedding(token[:, None], position)
        keys, values = [], []
        for index, layer in enumerate(self.transformer.encoder.layer):
            query, key, value = layer.attention.self.project(hidden)
            keys.append(torch.cat((text[0][index], key), 2))
            values.append(torch.cat((text[1][index], value), 2))
            context = _attend(query, [visual[0][index], keys[-1]], [visual[1][index], values[-1]])
            hidden = layer.finish(hidden, context)
        return self.output(hidden[:, 0]), torch.stack(keys), torch.stack(values)


class _Embedding(nn.Module):
    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.words = nn.Embedding(sizes.words, sizes.text_width)
        self.positions = nn.Embedding(sizes.positions, sizes.text_width)
        self.layer_norm = nn.LayerNorm(sizes.text_width, EMBEDDING_EPSILON)

    def forward(self, tokens: Tensor, positions: Tensor) -> Tensor:
        return self.layer_norm(self.words(tokens) + self.positions(positions))


class _Transformer(nn.Module):
    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.encoder = nn.Module()
        self.encoder.layer = nn.ModuleList(_Layer(sizes) for _ in range(sizes.text_layers))


class _Layer(nn.Module):
    """One BERT layer, norms after the sums."""

    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.attention = nn.Module()
        self.attention.self = _Heads(sizes)
        self.attention.output = _Output(sizes.text_width, sizes.text_width)
        self.intermediate = nn.Module()
        self.intermediate.dense = nn.Linear(sizes.text_width, sizes.text_mlp)
        self.output = _Output(sizes.text_mlp, sizes.text_width)

    def finish(self, hidden: Tensor, context: Tensor) -> Tensor:
        """All that follows the attention: context (N, heads, n, head_width) -> hidden (N, n, width)."""
        hidden = self.attention.output(context.transpose(1, 2).flatten(2), hidden)
        return self.output(functional.gelu(self.intermediate.dense(hidden)), hidden)


class _Heads(nn.Module):
    def __init__(self, sizes: GritSizes) -> None:
        super().__init__()
        self.heads = sizes.text_heads
        self.head_width = sizes.text_head_width
        self.query = nn.Linear(sizes.text_width, sizes.text_width)
        self.key = nn.Linear(sizes.text_width, sizes.text_width)
        self.value = nn.Linear(sizes.text_width, sizes.text_width)

    def project(self, hidden: Tensor) -> tuple[Tensor, ...]:
        """Queries (scaled), keys and values, each (N, heads, n, head_width)."""
        several = (self.query(hidden) * self.head_width**-0.5, self.key(hidden), self.value(hidden))
        return tuple(one.unflatten(-1, (self.heads, self.head_width)).transpose(1, 2) for one in several)


class _Output(nn.Module):
    def __init__(self, width_in: int, width_out: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width_in, width_out)
        self.LayerNorm = nn.LayerNorm(width_out, LAYER_EPSILON)

    def forward(self, change: Tensor, hidden: Tensor) -> Tensor:
        return self.LayerNorm(self.dense(change) + hidden)


def _attend(query: Tensor, keys: list[Tensor], values: list[Tensor]) -> Tensor:
    """Attention over several runs of keys as if they were one: joining the logits is cheaper than joining the keys."""
    logits = torch.cat([query @ key.transpose(-2, -1) for key in keys], -1).softmax(-1)
    shares = logits.split([key.shape[2] for key in keys], -1) if len(keys) > 1 else [logits]
    return sum(share @ value for share, value in zip(shares, values, strict=True))
