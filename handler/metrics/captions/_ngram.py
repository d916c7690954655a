"""`captions.ngram`: how far captions say what people said, word by word."""

from __future__ import annotations

from typing import Any

from handler.metrics._base import BaseMetric
from handler.metrics._registry import register
from handler.metrics.captions._bleu import bleu_counts
from handler.metrics.captions._grams import words_of
from handler.metrics.captions._ngram_tally import NgramTally
from handler.metrics.captions._ptb import tokenised
from handler.metrics.captions._rouge import rouge_of
from handler.results import MetricResult
from handler.samples import Sample

__all__ = ["NgramMetric"]


@register("captions.ngram")
class NgramMetric(BaseMetric):
    """BLEU-1 to BLEU-4, ROUGE-L and CIDEr-D (x10) of captions, as the COCO caption evaluation computes them, without Java.

    A row's score is ROUGE-L, 0..1, with the caption's own BLEU beside it; CIDEr-D needs the document frequencies of all
    images and is in the summaries, where BLEU is of the corpus: neither is a mean over rows. Rows say what was compared:
    tokens, lower-cased, without punctuation. Any sample with references will do; `sample_id` is the image's.

    An image without a caption is skipped and no part of the set, as where the evaluation's `image_id` parameter lists
    the images with a result. Of several captions of an image all are scored, and its references enter the document
    frequencies once (the evaluation ends in an error). A caption without words scores 0, with `empty_answer` as warning.
    Fewer than 100 images make CIDEr-D unstable (`small_set` in the summary); of one image it is always 0.

    `compat:coco` is the evaluation to 1e-6. Strict differs where a letter is written as two characters (Unicode NFC comes
    first) and where a reference has no words: it is passed over, not counted as a person who said nothing.
    METEOR and SPICE are left out: both are Java programs with data of their own, and METEOR's paraphrase table and SPICE's
    parser have no equal elsewhere. Source: Chen et al., Microsoft COCO Captions (2015); pycocoevalcap 1.2.
    """

    title = "Captions against people's: BLEU-1..4, ROUGE-L and CIDEr-D (x10), the COCO caption evaluation without Java"
    ancestors = ("coco",)

    def tally(self) -> NgramTally:
        """BLEU's counts, and the captions that CIDEr-D needs together."""
        return NgramTally()

    def compute(self, sample: Sample) -> MetricResult:
        """Score one caption."""
        if sample.answer is None:
            return self._skip(sample, "missing_answer")
        if not sample.references:
            return self._skip(sample, "missing_reference")
        read = tokenised if self.mode.compat else words_of
        people = [read(one) for one in sample.references]
        if not self.mode.compat:
            people = [one for one in people if one]
        if not people:
            return self._skip(sample, "empty_reference")
        caption = read(sample.answer)
        counts = bleu_counts(caption, people)
        details: dict[str, Any] = {
            **{f"bleu_{n}": score for n, score in enumerate(counts.scores, 1)},
            "rouge_l": rouge_of(caption, people).score,
            "n_tokens": [counts.length, counts.reference_length],
            "n_references": len(people),
            "compared": {"image_id": sample.sample_id, "caption": caption, "references": people},
            "bleu_counts": list(counts),
        }
        if not caption:
            details["warnings"] = ["empty_answer"]
        return MetricResult(self.name, details["rouge_l"], details)
