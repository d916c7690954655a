"""GRiT from pixels to token ids in torch: what the exported graphs and the run time's NumPy are compared with.

Written for clarity, not speed, and apart from the run time's code: an error would have to be made twice to pass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray

from model_export.grit.network import Grit
from model_export.grit.pooling import pooled

__all__ = ["BEGIN", "END", "Cascade", "cascade", "detections", "greedy", "prepared", "proposals", "text_logits"]

Tensor = Any
MEAN = (123.675, 116.28, 103.53)
DEVIATION = (58.395, 57.12, 57.375)
MULTIPLE = 32  # px
LEAST_HEAT, PER_LEVEL, PROPOSAL_IOU, MAX_PROPOSALS = 1e-4, 1000, 0.9, 256
DETECTION_IOU, MAX_DETECTIONS = 0.5, 256
BOX_WEIGHTS = ((10.0, 10.0, 5.0, 5.0), (20.0, 20.0, 10.0, 10.0), (30.0, 30.0, 15.0, 15.0))
MAX_GROWTH = math.log(1000 / 16)
BEGIN = {"DenseCap": 104, "ObjectDet": 101}
END = 102
MAX_TOKENS = 40  # begin token included
REPEATED = -10000.0  # logit of the token just said


def prepared(image: NDArray[Any]) -> Tensor:
    """RGB (h, w, 3), 0 to 255 -> the network's input (1, 3, H, W): normalised, padded at the right and the bottom."""
    pixels = torch.from_numpy(image).float()
    normal = ((pixels - torch.tensor(MEAN)) / torch.tensor(DEVIATION)).permute(2, 0, 1)[None]
    height, width = image.shape[:2]
    return torch.nn.functional.pad(normal, (0, -width % MULTIPLE, 0, -height % MULTIPLE))


def proposals(heatmaps: list[Tensor], regressions: list[Tensor]) -> tuple[Tensor, Tensor]:
    """Boxes (n, 4) in image px and scores (n,), falling, of all levels after non-maximum suppression."""
    boxes, scores = [], []
    for level, (heatmap, regression) in enumerate(zip(heatmaps, regressions, strict=True), start=3):
        stride = 2**level
        heat = heatmap[0, 0].sigmoid().flatten()
        kept = heat.topk(min(PER_LEVEL, heat.numel())).indices
        kept = kept[heat[kept] > LEAST_HEAT]
        x = (kept % heatmap.shape[3]) * stride + stride // 2
        y = (kept // heatmap.shape[3]) * stride + stride // 2
        left, top, right, bottom = (regression[0].flatten(1)[:, kept] * stride).unbind(0)
        x2, y2 = torch.maximum(x + right, x - left + 0.01), torch.maximum(y + bottom, y - top + 0.01)
        boxes.append(torch.stack((x - left, y - top, x2, y2), -1))
        scores.append(heat[kept].sqrt())
    found, strength = torch.cat(boxes), torch.cat(scores)
    kept = suppressed(found, strength, PROPOSAL_IOU)
    if len(kept) > MAX_PROPOSALS:
        kept = kept[strength[kept] >= strength[kept[MAX_PROPOSALS - 1]]]
    return found[kept], strength[kept]


def suppressed(boxes: Tensor, scores: Tensor, limit: float) -> Tensor:
    """Indices that remain, highest score first: a box goes when its IoU with a stronger one that stays is over `limit`."""
    order = scores.argsort(descending=True, stable=True)
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept = []
    while len(order):
        first, order = order[0], order[1:]
        kept.append(first)
        low = torch.maximum(boxes[first, :2], boxes[order, :2])
        high = torch.minimum(boxes[first, 2:], boxes[order, 2:])
        shared = (high - low).clamp(min=0).prod(1)
        order = order[~(shared / (area[first] + area[order] - shared) > limit)]
    return torch.stack(kept) if kept else torch.zeros(0, dtype=torch.int64)


@dataclass(frozen=True, slots=True)
class Cascade:
    """The box stages on all proposals. boxes: clipped to the image; scores: combined; the lists hold one item a stage."""

    boxes: Tensor
    scores: Tensor
    inputs: list[Tensor]
    pooled: list[Tensor]
    logits: list[Tensor]
    deltas: list[Tensor]


def cascade(network: Grit, levels: list[Tensor], boxes: Tensor, scores: Tensor, size: tuple[int, int]) -> Cascade:
    """Run the stages. size: (height, width) of the image in px, before padding."""
    found = Cascade(boxes, scores, [], [], [], [])
    probability = torch.zeros(len(boxes))
    current = boxes
    for stage in range(network.sizes.stages):
        features = pooled(levels, current, network.sizes.pooled)
        logits, deltas = network.roi_heads.stage(stage, features)
        for kept, value in zip(
            (found.inputs, found.pooled, found.logits, found.deltas), (current, features, logits, deltas), strict=True
        ):
            kept.append(value)
        probability = probability + logits.softmax(1)[:, 0]
        current = _clipped(_moved(current, deltas, BOX_WEIGHTS[stage]), size)
    combined = (probability / network.sizes.stages * scores).sqrt()
    return Cascade(current, combined, found.inputs, found.pooled, found.logits, found.deltas)


def _moved(boxes: Tensor, deltas: Tensor, weights: tuple[float, ...]) -> Tensor:
    x, y, grow_x, grow_y = (deltas / torch.tensor(weights)).unbind(1)
    extent = boxes[:, 2:] - boxes[:, :2]
    centre = boxes[:, :2] + extent / 2 + torch.stack((x, y), 1) * extent
    half = torch.stack((grow_x, grow_y), 1).clamp(max=MAX_GROWTH).exp() * extent / 2
    return torch.cat((centre - half, centre + half), 1)


def _clipped(boxes: Tensor, size: tuple[int, int]) -> Tensor:
    height, width = size
    limits = torch.tensor([width, height, width, height], dtype=boxes.dtype)
    return torch.minimum(boxes.clamp(min=0), limits)


def detections(boxes: Tensor, scores: Tensor, threshold: float) -> Tensor:
    """Indices of the boxes that are detections, in their final order."""
    over = (scores > threshold).nonzero()[:, 0]
    return over[suppressed(boxes[over], scores[over], DETECTION_IOU)][:MAX_DETECTIONS]


def greedy(network: Grit, regions: Tensor, task: str, *, max_tokens: int = MAX_TOKENS) -> tuple[Tensor, Tensor]:
    """Token ids (N, n), begin token included, and the mean log-probability (N,) of what is said about every region."""
    decoder, sizes = network.roi_heads.text_decoder, network.sizes
    visual = decoder.prefix(regions)
    empty = regions.new_zeros((sizes.text_layers, len(regions), sizes.text_heads, 0, sizes.text_head_width))
    text = (empty, empty)
    said = [torch.full((len(regions),), BEGIN[task])]
    total = torch.zeros(len(regions))
    while len(said) < max_tokens and not all((row == END).any() for row in torch.stack(said, 1)):
        logits, *text = decoder.step(said[-1], torch.tensor([len(said) - 1]), visual, tuple(text))
        if len(said) > 1:
            logits = logits.scatter(1, said[-1][:, None], REPEATED)
        best = logits.log_softmax(1).max(1)
        ended = (torch.stack(said, 1) == END).any(1)
        total = total + torch.where(ended, 0.0, best.values)
        said.append(torch.where(ended, END, best.indices))
    tokens = torch.stack(said, 1)
    n_scored = (tokens != END).sum(1) + (tokens == END).any(1) - 1
    return tokens, total / n_scored.clamp(min=1)


def text_logits(network: Grit, regions: Tensor, tokens: Tensor) -> Tensor:
    """Logits (N, n, words) after each of n tokens (N, n), without any cache: the whole sequence in one pass.

    Regions see regions alone; a word sees its region, the words before it and itself.
    """
    textual = network.roi_heads.text_decoder.textual
    visual = textual.object_feature_projection(regions.flatten(2).transpose(1, 2))
    words = textual.embedding(tokens, torch.arange(tokens.shape[1]))
    hidden = torch.cat((visual, words), 1)
    n_visual = visual.shape[1]
    hides = torch.ones(hidden.shape[1], hidden.shape[1], dtype=torch.bool).triu(1)
    hides[:n_visual, :n_visual] = False
    for layer in textual.transformer.encoder.layer:
        query, key, value = layer.attention.self.project(hidden)
        shares = (query @ key.transpose(-2, -1)).masked_fill(hides, -math.inf).softmax(-1)
        hidden = layer.finish(hidden, shares @ value)
    return textual.output(hidden[:, n_visual:])
