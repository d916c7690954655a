"""`captions.clipscore`: how well a caption fits its picture, by CLIP's own measure, with or without people's captions."""

from __future__ import annotations

import html
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handler.errors import RequestError
from handler.metrics._base import BaseMetric, Mode
from handler.metrics._registry import register
from handler.metrics.captions._clip_tally import RANGE, WEIGHT, ClipTally
from handler.metrics.vision._language import foreign_language
from handler.models import ImageTextEncoder, PictureError, PictureVector, TextVector, shared_image_text_encoder
from handler.results import MetricResult
from handler.samples import CaptionSample, Sample, is_blank
from handler.settings import Settings

__all__ = ["ClipScore"]

PREFIX = "A photo depicts "  # before captions and references, as in the paper
REMEMBERED_PICTURES = 4096  # vectors kept for captions of the same picture that come later: 8 MB at 512 float32

OpenImage = Callable[[str], bytes | NDArray[np.uint8]]
Look = PictureVector | PictureError
Vectors = Mapping[str, TextVector]


@register("captions.clipscore")
class ClipScore(BaseMetric):
    """CLIPScore = 2.5 max(cos(picture, caption), 0), 0..2.5; RefCLIPScore = harmonic mean of it and of the best
    max(cos(caption, reference), 0), 0..1.43, for samples that have references.

    "A photo depicts " is put before captions and references alike (option `prefix`). An empty caption is scored, with a
    warning; blank references are passed over. A long text keeps its end token and is marked `truncated`; `n_tokens` counts
    prefix and special tokens, of [caption, best reference]. Without a picture: skipped, `missing_image`. A picture that is
    not there, not open to the request or not decodable: an error that says so. torchmetrics' CLIPScore is another figure:
    100 max(cos, 0), without a prefix.

    `compat:clipscore` does what the authors' code does where that differs from the paper or from what people see: reference
    cosines are not cut at 0, so RefCLIPScore may be negative, and is null where the code divides by 0; pictures are resized
    in their own colour mode, cropped as torchvision rounds and not turned by EXIF; HTML entities in texts are decoded
    (its repair of wrong encodings, ftfy, is left out); blank references count. It is the code's result on a CPU, float32;
    the paper's figures were made in float16.

    encoder: CLIP's towers; by default SCENESCORE_CLIP's. open_image: from the sample's `image`, a file's bytes or uint8
    pixels of shape (height, width[, 3]); it raises PictureError for one picture, anything else ends the run. The metric
    itself opens no file.
    Source: Hessel et al., CLIPScore (EMNLP 2021), and its code.
    """

    title = "Fit of a caption and its picture (CLIPScore), and with people's captions (RefCLIPScore)"
    range = RANGE
    requires_reference = False
    by_name_only = True
    sample = CaptionSample
    models = ("image_text_encoder",)
    dependencies = ("pillow",)
    ancestors = ("clipscore",)
    options = MappingProxyType({"prefix": f"text put before captions and references ({PREFIX!r})"})

    def __init__(
        self,
        *,
        mode: Mode | str = "strict",
        prefix: str = PREFIX,
        encoder: ImageTextEncoder | None = None,
        open_image: OpenImage | None = None,
    ) -> None:
        super().__init__(mode=mode)
        if not isinstance(prefix, str):
            raise RequestError(f"prefix must be a text, got {prefix!r}", field="options.captions.clipscore.prefix")
        self._prefix = prefix
        self._given_encoder = encoder
        self._open_image = open_image
        self._seen: OrderedDict[str, Look] = OrderedDict()

    @property
    def _encoder(self) -> ImageTextEncoder:
        """The default one is looked up on first use."""
        if self._given_encoder is None:
            self._given_encoder = shared_image_text_encoder(Settings.from_environment().clip)
        return self._given_encoder

    def setup(self) -> None:
        """Load the text tower now."""
        self._encoder.encode_texts([""])

    def signature_parts(self) -> dict[str, Any]:
        """The model, its precision and limit, and the prefix."""
        card = self._encoder.card
        return {
            "model": f"{card.name}@{card.sha256[:12]}",
            "precision": card.precision,
            "max_tokens": card.max_tokens,
            "prefix": repr(self._prefix),
        }

    def tally(self) -> ClipTally:
        """Means of both scores."""
        return ClipTally(ref_bounds=(-math.inf, math.inf)) if self.mode.compat else ClipTally()

    def compute_batch(self, samples: Sequence[Sample]) -> list[MetricResult]:
        """Score captions, in their order; each distinct text and picture is encoded once."""
        reasons = [_reason_to_skip(sample) for sample in samples]
        asked = [sample for sample, reason in zip(samples, reasons, strict=True) if reason is None]
        pictures = self._look(_image_of(sample) for sample in asked)
        fit = [sample for sample in asked if isinstance(pictures[_image_of(sample)], PictureVector)]
        texts = self._encoder.encode_texts(
            self._text(text) for sample in fit for text in (sample.answer or "", *self._references(sample).values())
        )
        return [
            self._skip(sample, reason) if reason else self._result(sample, pictures[_image_of(sample)], texts)
            for sample, reason in zip(samples, reasons, strict=True)
        ]

    def _look(self, images: Iterable[str]) -> dict[str, Look]:
        distinct = dict.fromkeys(images)
        new = [image for image in distinct if image not in self._seen]
        if new and self._open_image is None:
            raise RequestError("nothing opens the pictures: the metric was made without open_image", field="open_image")
        if new and self._open_image is not None:
            self._seen |= self._encoder.encode_pictures(new, self._open_image, as_original=self.mode.compat)
        found = {image: self._seen[image] for image in distinct}
        while len(self._seen) > REMEMBERED_PICTURES:
            self._seen.popitem(last=False)
        return found

    def _text(self, text: str) -> str:
        return self._prefix + (html.unescape(html.unescape(text)) if self.mode.compat else text)

    def _references(self, sample: Sample) -> dict[int, str]:
        """Those that count, by their place."""
        return {i: one for i, one in enumerate(sample.references) if self.mode.compat or not is_blank(one)}

    def _result(self, sample: Sample, picture: Look, texts: Vectors) -> MetricResult:
        if isinstance(picture, PictureError):
            why = {"error": picture.reason, "message": str(picture), "warnings": [picture.reason]}
            return MetricResult(self.name, None, why)
        caption = texts[self._text(sample.answer or "")]
        references = {i: texts[self._text(one)] for i, one in self._references(sample).items()}
        if not (picture.finite and caption.finite and all(one.finite for one in references.values())):
            return MetricResult(self.name, None, {"error": "non_finite"})
        cosine = _cosine(picture.vector, caption.vector)
        score = WEIGHT * max(cosine, 0.0)
        details: dict[str, Any] = {"cosine": cosine, "n_tokens": [caption.n_tokens], "truncated": [caption.truncated]}
        if references:
            self._add_references(details, score, caption, references)
        warnings = [*(["empty_answer"] if is_blank(sample.answer or "") else []), *picture.warnings]
        warnings += ["truncated"] if any(details["truncated"]) else []
        if self._encoder.card.languages in (None, ["en"]):
            language = foreign_language(sample.language, sample.answer or "")
            warnings += [f"language:{language}"] if language else []
        if warnings:
            details["warnings"] = warnings
        return MetricResult(self.name, score, details)

    def _add_references(
        self, details: dict[str, Any], score: float, caption: TextVector, references: Mapping[int, TextVector]
    ) -> None:
        cosines = {i: _cosine(caption.vector, one.vector) for i, one in references.items()}
        best = max(cosines, key=cosines.__getitem__)
        closeness = cosines[best] if self.mode.compat else max(cosines[best], 0.0)
        if score + closeness:
            ref_score: float | None = 2 * score * closeness / (score + closeness)
        else:
            ref_score = None if self.mode.compat else 0.0
        details["n_tokens"].append(references[best].n_tokens)
        details["truncated"].append(references[best].truncated)
        details |= {
            "ref_clipscore": ref_score,
            "reference_cosine": cosines[best],
            "best_reference": best,
            "n_references": len(references),
        }


def _reason_to_skip(sample: Sample) -> str | None:
    if sample.answer is None:
        return "missing_answer"
    return None if _image_of(sample) else "missing_image"


def _image_of(sample: Sample) -> str:
    image = sample.image if isinstance(sample, CaptionSample) else None
    return "" if image is None or is_blank(image) else image


def _cosine(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Cosine in float64; rounding noise does not pass 1."""
    a, b = one.astype(np.float64), other.astype(np.float64)
    value = float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))
    return max(-1.0, min(1.0, value))
