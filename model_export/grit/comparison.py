"""What the torch definition makes of an image, and how far the graphs and the run time are from it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handler.errors import ModelError
from handler.models.dense import CaptionOptions, DenseCaptioner
from model_export.grit import reference
from model_export.grit.network import Grit
from model_export.grit.pooling import levels_of, pooled
from model_export.grit.pyramid import LEVELS

__all__ = ["Expectation", "RunTime", "compare_graphs", "compare_run_time", "expectation"]

Tensor = Any
FEWEST, MOST = 2, 6  # detections
MOST_TOKENS = 12  # of a sentence whose every step is compared, begin token included


@dataclass(frozen=True, slots=True)
class Expectation:
    """All that the torch definition says of one image.

    kept: the cascade's boxes that are detections at `threshold`, which lies well between two scores. regions: their
    features. tokens, mean_log_probability: by task.
    """

    image: Tensor
    levels: list[Tensor]
    heatmaps: list[Tensor]
    regressions: list[Tensor]
    cascade: reference.Cascade
    kept: Tensor
    threshold: float
    regions: Tensor
    tokens: dict[str, Tensor]
    mean_log_probability: dict[str, Tensor]

    @property
    def n_tokens(self) -> int:
        """Tokens that are compared one by one, both tasks."""
        return sum(one[:, 1:MOST_TOKENS].numel() for one in self.tokens.values())


@dataclass(frozen=True, slots=True)
class RunTime:
    """How the run time fared: each expected detection beside the one of the run time whose box is nearest.

    n_moved: those that have another place in the order. n_other_sentences: those of either task that differ. differences:
    the largest of boxes, in px, and of all scores.
    """

    n_detections: int
    n_moved: int
    n_other_sentences: int
    differences: dict[str, float]


def expectation(network: Grit, pixels: NDArray[Any]) -> Expectation:
    """Run the torch definition from pixels to tokens. Raises ModelError when it sees nothing to compare."""
    image = reference.prepared(pixels)
    levels = network.backbone(image)
    heatmaps, regressions = network.proposal_generator(levels)
    found = reference.cascade(network, levels, *reference.proposals(heatmaps, regressions), pixels.shape[:2])
    threshold = _clear_threshold(found)
    kept = reference.detections(found.boxes, found.scores, threshold)
    if not len(kept):
        raise ModelError(
            "the network sees nothing on the gate's image, so its export cannot be checked",
            hint="Is this a trained checkpoint?",
        )
    regions = pooled(levels, found.boxes[kept], network.sizes.region)
    said = {task: reference.greedy(network, regions, task) for task in reference.BEGIN}
    return Expectation(
        image=image,
        levels=levels,
        heatmaps=heatmaps,
        regressions=regressions,
        cascade=found,
        kept=kept,
        threshold=threshold,
        regions=regions,
        tokens={task: tokens for task, (tokens, _) in said.items()},
        mean_log_probability={task: mean for task, (_, mean) in said.items()},
    )


def _clear_threshold(found: reference.Cascade) -> float:
    """The middle of the widest gap between the scores that leaves a few detections, so that rounding decides nothing."""
    scores = found.scores[reference.detections(found.boxes, found.scores, 0.0)].tolist()
    ends = [*scores, 0.0]
    sizes = range(min(FEWEST, len(scores)), min(MOST, len(scores)) + 1)
    n_kept = max(sizes, key=lambda n: ends[n - 1] - ends[n])
    return float(ends[n_kept - 1] + ends[n_kept]) / 2


def compare_graphs(folder: Path, network: Grit, expected: Expectation) -> tuple[dict[str, float], int]:
    """Largest differences of every graph's outputs, and the number of tokens that the graphs would choose otherwise."""
    run = _Runner(folder)
    differences = _of_image(run, expected) | _of_boxes(run, expected)
    words, n_other = _of_words(run, network, expected)
    return differences | words, n_other


class _Runner:
    """Runs one graph of a folder at a time; none stays in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, name: str, *feeds: dict[str, Any]) -> list[dict[str, Any]]:
        session = self.session(name)
        outputs = [one.name for one in session.get_outputs()]
        return [
            dict(zip(outputs, session.run(None, {key: np.asarray(value) for key, value in feed.items()}), strict=True))
            for feed in feeds
        ]

    def session(self, name: str) -> Any:
        import onnxruntime

        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        path = self.folder / f"{name}.onnx"
        try:
            return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime raises a dozen unrelated classes
            raise ModelError(f"ONNX Runtime cannot load the exported graph: {error}", file=str(path)) from error


def _of_image(run: _Runner, expected: Expectation) -> dict[str, float]:
    (found,) = run("backbone", {"image": expected.image})
    groups = {
        "pyramid": {f"p{level}": one for level, one in zip(LEVELS[:3], expected.levels[:3], strict=True)},
        "heatmaps": {f"heatmap_{level}": one for level, one in zip(LEVELS, expected.heatmaps, strict=True)},
        "regressions": {f"regression_{level}": one for level, one in zip(LEVELS, expected.regressions, strict=True)},
    }
    return {
        group: _worst(_apart(found[name], value) for name, value in members.items())
        for group, members in groups.items()
    }


def _of_boxes(run: _Runner, expected: Expectation) -> dict[str, float]:
    cascade = expected.cascade
    pyramid = {f"p{level}": one for level, one in zip(LEVELS[:3], expected.levels[:3], strict=True)}
    features = run("roi_7", *({**pyramid, "boxes": boxes, "level": levels_of(boxes)} for boxes in cascade.inputs))
    stages = [run(f"boxes_{index}", {"pooled": one})[0] for index, one in enumerate(cascade.pooled)]
    boxes = cascade.boxes[expected.kept]
    (regions,) = run("roi_14", {**pyramid, "boxes": boxes, "level": levels_of(boxes)})
    pairs = {
        "box_features": [(one["pooled"], value) for one, value in zip(features, cascade.pooled, strict=True)],
        "box_logits": [(one["logits"], value) for one, value in zip(stages, cascade.logits, strict=True)],
        "box_deltas": [(one["deltas"], value) for one, value in zip(stages, cascade.deltas, strict=True)],
        "region_features": [(regions["pooled"], expected.regions)],
    }
    return {name: _worst(_apart(*pair) for pair in several) for name, several in pairs.items()}


def _of_words(run: _Runner, network: Grit, expected: Expectation) -> tuple[dict[str, float], int]:
    (prefix,) = run("prefix", {"regions": expected.regions})
    visual = network.roi_heads.text_decoder.prefix(expected.regions)
    share = _worst(
        _apart(prefix[name], value) / max(1.0, float(value.abs().max()))
        for name, value in zip(("keys", "values"), visual, strict=True)
    )
    session = run.session("step")
    apart, n_other = [], 0
    for tokens in expected.tokens.values():
        said = tokens[:, :MOST_TOKENS]
        found = _cached_logits(session, prefix, said[:, :-1].numpy())
        apart.append(_apart(found, reference.text_logits(network, expected.regions, said[:, :-1])))
        n_other += _n_other_tokens(found, said.numpy())
    return {"prefix": share, "token_logits": _worst(apart)}, n_other


def _cached_logits(session: Any, prefix: dict[str, Any], tokens: NDArray[np.int64]) -> NDArray[np.float32]:
    """Logits (N, n, words) after each of n tokens (N, n), one cached step at a time."""
    keys = prefix["keys"]
    text = [np.zeros((*keys.shape[:3], 0, keys.shape[4]), np.float32)] * 2
    logits = []
    for position, token in enumerate(tokens.T):
        feed = {"token": np.ascontiguousarray(token), "position": np.array([position])}
        feed |= {"prefix_keys": keys, "prefix_values": prefix["values"], "text_keys": text[0], "text_values": text[1]}
        found, *text = session.run(["logits", "new_text_keys", "new_text_values"], feed)
        logits.append(found)
    return np.stack(logits, axis=1)


def _n_other_tokens(logits: NDArray[np.float32], said: NDArray[np.int64]) -> int:
    """Tokens of `said` (N, n + 1) that a greedy choice by these logits (N, n, words) would not take."""
    n_other = 0
    for row, tokens in zip(logits, said, strict=True):
        for position, scores in enumerate(row.copy()):
            if position:
                scores[tokens[position]] = reference.REPEATED
            if tokens[position] != reference.END:  # what ended goes on with the end token whatever the logits say
                n_other += int(scores.argmax() != tokens[position + 1])
    return n_other


def compare_run_time(folder: Path, expected: Expectation, pixels: NDArray[Any], vocabulary: list[str]) -> RunTime:
    """Let the run time go from pixels to words, at the threshold of `expected`."""
    options = CaptionOptions(score_threshold=expected.threshold)
    (found,) = DenseCaptioner(folder, provider="cpu").caption([pixels], options)
    boxes = expected.cascade.boxes[expected.kept].tolist()
    scores = expected.cascade.scores[expected.kept].tolist()
    captions, objects = (
        [_text(row, vocabulary) for row in expected.tokens[task][:, 1:].tolist()] for task in ("DenseCap", "ObjectDet")
    )
    means = [expected.mean_log_probability[task].tolist() for task in ("DenseCap", "ObjectDet")]
    apart: dict[str, list[float]] = {"boxes_px": [], "scores": []}
    n_moved = n_other = 0
    for index, box in enumerate(boxes if found else []):
        distances = [max(abs(a - b) for a, b in zip(one.box, box, strict=True)) for one in found]
        nearest = distances.index(min(distances))
        one = found[nearest]
        n_moved += nearest != index
        apart["boxes_px"].append(distances[nearest])
        wanted = [scores[index], *(math.sqrt(scores[index] * math.exp(mean[index])) for mean in means)]
        got = (one.box_score, one.caption_score, one.object_score)
        apart["scores"] += [abs(a - b) for a, b in zip(got, wanted, strict=True)]
        n_other += (one.caption != captions[index]) + (one.object != objects[index])
    return RunTime(len(found), n_moved, n_other, {name: max(values, default=0.0) for name, values in apart.items()})


def _text(tokens: list[int], vocabulary: list[str]) -> str:
    """Pieces joined to words, without the spaces before punctuation: BertTokenizer's clean-up, written once more."""
    pieces = (vocabulary[token] for token in tokens if token not in (0, 100, 101, 102, 103))
    text = " ".join(pieces).replace(" ##", "").strip()
    for mark in (".", "?", "!", ","):
        text = text.replace(f" {mark}", mark)
    text = text.replace(" ' ", "'")
    for ending in ("n't", "'m", "'s", "'ve", "'re"):
        text = text.replace(f" {ending}", ending)
    return text


def _apart(found: NDArray[np.float32], expected: Tensor) -> float:
    """The largest absolute difference, infinite when the shapes differ."""
    if found.shape != tuple(expected.shape):
        return math.inf
    return float(np.abs(found - expected.numpy()).max()) if found.size else 0.0


def _worst(values: Iterable[float]) -> float:
    return max(values, key=lambda one: (math.isnan(one), one))
