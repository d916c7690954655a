"""Training texts read as the run time reads them, and the tables that reading needs: mean word vectors, rarity of words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from handler.claims._analysis import analyse
from handler.claims._compare import compare
from handler.claims._features import Compared, sentence_cosines
from handler.claims._reading import Reading, read_text
from handler.claims._vectors import LAYERS
from model_export.claims.encoding import Encodings
from model_export.claims.pairs import Pair

__all__ = ["RAREST", "Library", "mean_vectors", "rarity_of_words"]

RAREST = 255  # rarity is kept in steps of 1/255


class Library:
    """Readings of texts, made once. encodings: holds every text that is asked for."""

    def __init__(self, encodings: Encodings, means: Mapping[int, NDArray[np.float32]]) -> None:
        self._encodings, self._means = encodings, means
        self._read: dict[str, Reading] = {}

    def __getitem__(self, text: str) -> Reading:
        if text not in self._read:
            self._read[text] = read_text(text, self._encodings[text], means=self._means)
        return self._read[text]

    def compared(self, pair: Pair) -> Compared | None:
        """The pair's sentence (of several: the one at `pair.sentence`) beside its nearest reference sentence; None where a
        text has no words."""
        given, expected = self[pair.answer].sentences, self[pair.reference].sentences
        if len(given) <= pair.sentence or not expected:
            return None
        one = given[pair.sentence]
        return compare(one, expected[int(sentence_cosines([one], list(expected))[0].argmax())])


def mean_vectors(encodings: Encodings, texts: Iterable[str]) -> dict[int, NDArray[np.float32]]:
    """Per layer, the mean of all token vectors of the texts, special tokens left out."""
    sums: dict[int, NDArray[np.float64]] = {}
    n_tokens = 0
    for text in texts:
        tokens = encodings[text]
        inside = [at for at, (first, last) in enumerate(tokens.spans) if last > first]
        n_tokens += len(inside)
        for layer in LAYERS:
            sums[layer] = sums.get(layer, 0.0) + tokens.layers[layer][inside].sum(axis=0, dtype=np.float64)
    return {layer: (total / n_tokens).astype(np.float32) for layer, total in sums.items()}


def rarity_of_words(texts: Iterable[str]) -> dict[str, int]:
    """Inverse document frequency of the texts' content words by base form, 0 to RAREST, the rarest (one text) at most.

    Words of one text alone are left out: an unknown word is as rare as can be.
    """
    counts: Counter[str] = Counter()
    n_texts = 0
    for text in texts:
        n_texts += 1
        counts.update({one.words[index].lemma for one in analyse(text) for index in one.content})
    scale = RAREST / math.log(n_texts + 1)
    return {
        lemma: round(scale * math.log((n_texts + 1) / (count + 1)))
        for lemma, count in sorted(counts.items())
        if count > 1 and "\n" not in lemma
    }
