"""From token ids to a caption, as transformers' BertTokenizer decodes with its clean-up of spaces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["caption_of"]

_SPECIAL = {0, 100, 101, 102, 103}  # [PAD], [UNK], [CLS], [SEP], [MASK] of bert-base-uncased
_CLEANED = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)


def caption_of(ids: Iterable[int], vocabulary: Sequence[str]) -> str:
    """The text of token ids without the begin token.

    Special tokens are dropped, word pieces joined, and the spaces before punctuation and English clitics closed, in
    transformers' order (4.33.2, clean_up_tokenization).
    """
    text = " ".join(vocabulary[one] for one in ids if one not in _SPECIAL).replace(" ##", "").strip()
    for spaced, closed in _CLEANED:
        text = text.replace(spaced, closed)
    return text
