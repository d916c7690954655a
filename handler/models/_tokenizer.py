"""A tokenizer.json, and what truncation does to a text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from handler.errors import ModelError

__all__ = ["Tokenizer"]


class Tokenizer:
    """Token ids as the model reads them: special tokens included, cut at `max_tokens` with the end token kept."""

    def __init__(self, path: Path, max_tokens: int) -> None:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        import tokenizers

        self._max_tokens = max_tokens
        try:
            self._whole: Any = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise ModelError(f"cannot read the tokenizer: {error}", file=str(path), hint="Export it again") from error
        # A tokenizer.json may carry its own limits: all-mpnet-base-v2's says 128 tokens and pads to 128.
        self._whole.no_padding()
        self._whole.no_truncation()

    def ids(self, texts: Sequence[str]) -> list[tuple[list[int], int]]:
        """Of each text, the ids (at most `max_tokens`) and the number of tokens before truncation."""
        texts = [_encodable(text) for text in texts]
        tokenized = [encoding.ids for encoding in self._whole.encode_batch(texts)]
        return [
            (ids, len(ids)) if len(ids) <= self._max_tokens else (self._cutting.encode(text).ids, len(ids))
            for text, ids in zip(texts, tokenized, strict=True)
        ]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Of each id of the text, the characters it stands for: (start, end), both 0 for special tokens."""
        text = _encodable(text)
        offsets: list[tuple[int, int]] = self._whole.encode(text).offsets
        return offsets if len(offsets) <= self._max_tokens else self._cutting.encode(text).offsets

    @cached_property
    def _cutting(self) -> Any:
        """The same with truncation: few inputs hold a text that needs it, and each start would pay for it."""
        one = type(self._whole).from_str(self._whole.to_str())
        one.enable_truncation(self._max_tokens)
        return one

    def pair(self, first: str, second: str) -> tuple[list[int], list[int]]:
        """The ids of two texts as one input, at most `max_tokens` (the longer text is cut), and which text each is of."""
        encoding = self._cutting.encode(_encodable(first), _encodable(second))
        return encoding.ids, encoding.type_ids


def _encodable(text: str) -> str:
    """The text with lone surrogates replaced: the tokenizer knows no half characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
