"""The summary of `captions.ngram`: BLEU and CIDEr-D are of a whole set, so the set is what is kept."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Self

from handler.counting import many
from handler.metrics._base import Tally
from handler.metrics.captions._bleu import BleuCounts
from handler.metrics.captions._cider import Consensus, frequencies_of
from handler.statistics import mean_interval

__all__ = ["SMALL_SET", "NgramTally"]

SMALL_SET = 100  # images under which CIDEr-D says more about the choice of images than about the captions

Candidate = list[Any]
"""[image id, which of its lists of references, tokenised caption, ROUGE-L]"""


class NgramTally(Tally):
    """Sums of BLEU's counts, and the tokenised captions of all images, which CIDEr-D needs together.

    The state holds every distinct caption and reference once per slice: some 0.5 KB per image with five references, so
    the 5,000 images of COCO's test split are 2.5 MB, and 100,000 are 50 MB. Captions come from `details["compared"]`.
    """

    fields = ("references", "candidates", "bleu")

    def __init__(self) -> None:
        super().__init__()
        self.references: dict[str, list[list[str]]] = {}
        self.candidates: list[Candidate] = []
        self.bleu: list[Any] = list(BleuCounts())

    def summary(self) -> dict[str, Any]:
        """bleu_1 to bleu_4 (corpus level), rouge_l and cider (means over captions; cider is CIDEr-D x10, 0..10) with
        intervals; n_images and n_references that were compared with; warnings: small_set under 100 images."""
        scores = _bleu_counts(self.bleu).scores if self.candidates else (None,) * 4
        rouge, rouge_interval = _mean([one[3] for one in self.candidates])
        cider, cider_interval = _mean([score for _, score in self.cider_scores()])
        n_images = len(self._documents())
        return {
            **{f"bleu_{n}": score for n, score in enumerate(scores, 1)},
            "rouge_l": rouge,
            "cider": cider,
            "n_images": n_images,
            "n_references": sum(map(len, self._documents())),
            "summary": _sentence(scores[3], rouge, cider, n_images),
            **self.counts(),
            "warnings": ["small_set"] if 0 < n_images < SMALL_SET else [],
            "intervals": {"rouge_l": rouge_interval, "cider": cider_interval},
        }

    def cider_scores(self) -> list[tuple[str, float]]:
        """(image id, CIDEr-D x10) of each caption, by the document frequencies of all images together.

        An image counts once however many captions it has.
        """
        asked = tuple((caption, tuple(self.references[image][which])) for image, which, caption, _ in self.candidates)
        scores = _cider_scores(tuple(map(tuple, self._documents())), asked)
        return [(image, score) for (image, *_), score in zip(self.candidates, scores, strict=True)]

    def _documents(self) -> list[list[str]]:
        return [people for lists in self.references.values() for people in lists]

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        compared = details["compared"]
        self._keep(compared["image_id"], compared["references"], compared["caption"], score)
        self.bleu = list(_bleu_counts(self.bleu).plus(_bleu_counts(details["bleu_counts"])))

    def _keep(self, image: str, people: list[str], caption: str, rouge: float) -> None:
        lists = self.references.setdefault(image, [])
        if people not in lists:
            lists.append(people)
        self.candidates.append([image, lists.index(people), caption, rouge])

    def _merge_scores(self, other: Self) -> None:
        for image, which, caption, rouge in other.candidates:
            self._keep(image, other.references[image][which], caption, rouge)
        self.bleu = list(_bleu_counts(self.bleu).plus(_bleu_counts(other.bleu)))


@lru_cache(maxsize=1)  # a session that is alone and the whole set are the same captions
def _cider_scores(
    documents: tuple[tuple[str, ...], ...], asked: tuple[tuple[str, tuple[str, ...]], ...]
) -> tuple[float, ...]:
    consensus = Consensus(frequencies_of(documents))
    return tuple(consensus.of(caption, people) for caption, people in asked)


def _bleu_counts(parts: Sequence[Any]) -> BleuCounts:
    matches, totals, length, reference_length = parts
    return BleuCounts(tuple(matches), tuple(totals), length, reference_length)


def _mean(scores: Sequence[float]) -> tuple[float | None, dict[str, Any] | None]:
    """The mean, None of nothing, and its interval, None of fewer than two; in any order the same bits."""
    n = len(scores)
    if n == 0:
        return None, None
    mean = math.fsum(scores) / n
    if n == 1:
        return mean, None
    found = mean_interval(mean, math.sqrt(math.fsum((one - mean) ** 2 for one in scores) / (n - 1)), n)
    return mean, found._replace(low=max(0.0, found.low))._asdict() if found else None


def _sentence(bleu_4: float | None, rouge: float | None, cider: float | None, n_images: int) -> str:
    if bleu_4 is None:
        return "There is nothing to average: no caption was scored."
    text = f"CIDEr-D (x10) {cider:.3f}, BLEU-4 {bleu_4:.3f}, ROUGE-L {rouge:.3f} over {many(n_images, 'image')}."
    if n_images == 1:
        return f"{text} CIDEr-D of one image is always 0: no word is rarer than another."
    if n_images < SMALL_SET:
        return f"{text} CIDEr-D is unstable under {SMALL_SET} images."
    return text
