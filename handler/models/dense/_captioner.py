"""GRiT without torch: what is in a picture, where, and in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handler.errors import RequestError
from handler.models._card import check_content, read_card
from handler.models.dense._boxes import clipped
from handler.models.dense._card import DenseCard
from handler.models.dense._cascade import best, refine
from handler.models.dense._decoding import DENSE_CAPTION, OBJECT, Sentence
from handler.models.dense._graphs import Provider, chosen_provider
from handler.models.dense._network import Network
from handler.models.dense._preprocess import INPUT_RULES, Frame, InputRule, check_frame, network_input, resized
from handler.models.dense._proposals import propose
from handler.models.dense._words import caption_of
from handler.samples import Detection
from handler.settings import available_threads

__all__ = ["CaptionOptions", "DenseCaptioner"]

Floats = NDArray[np.float32]

# Of the text decoder, whose keys and values take 14 MB a box: more boxes leave a CPU's caches, and fewer idle a GPU.
BOXES_AT_ONCE = {"cpu": 16, "cuda": 64}


@dataclass(frozen=True, slots=True)
class CaptionOptions:
    """What a detection is.

    score_threshold: 0..1, box scores above it count; both callers of the original use 0.5. max_detections: per frame, at
    least 1. input_rule: "vbench" takes a frame as it is, "demo" scales its short side to 800 px. Raises RequestError.
    """

    score_threshold: float = 0.5
    max_detections: int = 256
    input_rule: InputRule = "vbench"

    def __post_init__(self) -> None:
        if not 0 <= self.score_threshold <= 1:
            raise RequestError(f"a score lies in 0..1, not {self.score_threshold}", field="score_threshold")
        if type(self.max_detections) is not int or self.max_detections < 1:
            raise RequestError(
                f"max_detections must be a whole number from 1, got {self.max_detections!r}", field="max_detections"
            )
        if self.input_rule not in INPUT_RULES:
            raise RequestError(
                f"there is no input rule {self.input_rule!r}", field="input_rule", hint="It is vbench or demo"
            )


class _Seen(NamedTuple):
    """The detections of one frame before there are words. boxes: in px of the frame as given."""

    boxes: Floats
    scores: Floats
    regions: Floats


class DenseCaptioner:
    """Boxes, captions and object words from an exported GRiT folder.

    folder: as `scenescore export grit` writes it. provider: "auto", "cpu" or "cuda". threads: None means the cores this
    process may use. Card and provider are checked at once, the graphs are loaded on first use. Raises ModelError for a
    missing or damaged folder, RequestError for a provider that is not there.
    """

    def __init__(self, folder: str | Path, *, provider: Provider = "auto", threads: int | None = None) -> None:
        if threads is not None and (type(threads) is not int or threads < 1):
            raise RequestError(f"threads must be a whole number from 1, got {threads!r}", field="threads")
        self.folder = Path(folder)
        self.card: DenseCard = read_card(self.folder, DenseCard)
        self.provider = chosen_provider(provider)
        self.threads = threads or available_threads()

    def signature(self, options: CaptionOptions | None = None) -> str:
        """All that can change what is seen, in one line."""
        options = options or CaptionOptions()
        return (
            f"grit|model:{self.card.name}@{self.card.sha256[:16]}|precision:{self.card.precision}"
            f"|rule:{options.input_rule}|score:{float(options.score_threshold)!r}|max:{options.max_detections}"
        )

    def caption(self, frames: Iterable[Frame], options: CaptionOptions | None = None) -> list[tuple[Detection, ...]]:
        """What is in each frame, the best box first; an empty tuple where nothing is.

        frames: RGB (height, width, 3), uint8 or floats 0..255, of any sizes. Boxes are in px of the frame as given. The
        order is that of the box scores; `caption_score` and `object_score` are the square roots of the box score times
        the mean probability of a token (geometric mean). Raises InputError for arrays that are no frames.
        """
        return list(self.caption_each(frames, options))

    def caption_each(
        self, frames: Iterable[Frame], options: CaptionOptions | None = None
    ) -> Iterator[tuple[Detection, ...]]:
        """As `caption`, frame by frame in order: words are found for the boxes of several frames at a time."""
        options = options or CaptionOptions()
        waiting: list[_Seen] = []
        for frame in frames:
            waiting.append(self._look(frame, options))
            if sum(len(one.boxes) for one in waiting) >= BOXES_AT_ONCE[self.provider]:
                yield from self._describe(waiting)
                waiting = []
        if waiting:
            yield from self._describe(waiting)

    def _look(self, frame: Frame, options: CaptionOptions) -> _Seen:
        check_frame(frame, options.input_rule)
        picture = resized(frame, options.input_rule)
        height, width = picture.shape[:2]
        pyramid, heatmaps, regressions = self._network.maps(network_input(picture))
        boxes, scores = refine(
            *propose(heatmaps, regressions), stages=self._network.stages(pyramid), image_size=(height, width)
        )
        kept = best(boxes, scores, threshold=options.score_threshold, most=options.max_detections)
        boxes, scores = boxes[kept], scores[kept]
        scales = np.array([frame.shape[1] / width, frame.shape[0] / height] * 2)
        placed = clipped((boxes * scales).astype(np.float32), *frame.shape[:2])
        there = np.nonzero((placed[:, 2:] > placed[:, :2]).all(axis=1))[0]  # the original drops boxes of no area
        return _Seen(placed[there], scores[there], self._network.regions(pyramid, boxes[there]))

    def _describe(self, seen: list[_Seen]) -> Iterator[tuple[Detection, ...]]:
        regions = np.concatenate([one.regions for one in seen])
        said: list[tuple[Sentence, Sentence]] = []
        n_batches = -(-len(regions) // BOXES_AT_ONCE[self.provider])
        for batch in np.array_split(regions, n_batches) if n_batches else ():
            said += zip(*self._network.sentences(batch, (DENSE_CAPTION, OBJECT)), strict=True)
        words = iter(said)
        for one in seen:
            yield tuple(
                self._detection(box, float(score), *next(words))
                for box, score in zip(one.boxes, one.scores, strict=True)
            )

    def _detection(self, box: Floats, score: float, caption: Sentence, thing: Sentence) -> Detection:
        x0, y0, x1, y1 = box.tolist()
        return Detection(
            box=(x0, y0, x1, y1),
            box_score=score,
            caption=caption_of(caption.tokens, self._vocabulary),
            caption_score=math.sqrt(score * math.exp(caption.log_probability)),
            object=caption_of(thing.tokens, self._vocabulary),
            object_score=math.sqrt(score * math.exp(thing.log_probability)),
        )

    @cached_property
    def _network(self) -> Network:
        check_content(self.folder, self.card)
        return Network(self.folder, provider=self.provider, threads=self.threads)

    @cached_property
    def _vocabulary(self) -> list[str]:
        return (self.folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
