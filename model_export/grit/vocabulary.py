"""The decoder's vocabulary: bert-base-uncased, found by its hash in what is already on this machine."""

from __future__ import annotations

import hashlib
from pathlib import Path

from handler.errors import ModelError
from model_export.grit.sizes import GRIT_B, GritSizes
from model_export.known import MPNET
from model_export.stamps import cache_folder

__all__ = ["VOCABULARY_SHA256", "find_vocabulary"]

VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
_LINES_BEFORE = 16  # searched for where the vocabulary begins
_HINT = "Name the vocab.txt of bert-base-uncased with --vocabulary FILE, or run `make model` first"


def find_vocabulary(sizes: GritSizes, path: Path | None = None) -> bytes:
    """The content of vocab.txt: one word piece a line, in the order of their ids.

    path: a file that is the vocabulary or holds it as a run of lines; by default the vocabulary of all-mpnet-base-v2 in
    the cache of weights, which is bert-base-uncased's with four lines before it and one behind. For a network of the
    released size the content must have the sha256 of bert-base-uncased's; for another the number of lines must fit.
    Raises ModelError when there is none.
    """
    where = path or cache_folder() / "weights" / MPNET.name / "vocab.txt"
    try:
        content = where.read_bytes()
    except OSError as error:
        raise ModelError(
            f"the vocabulary cannot be read: {error.strerror or error}", file=str(where), hint=_HINT
        ) from error
    lines = content.splitlines(keepends=True)
    if sizes.words != GRIT_B.words and len(lines) == sizes.words:
        return content
    for start in range(min(len(lines) - sizes.words, _LINES_BEFORE) + 1):
        found = b"".join(lines[start : start + sizes.words])
        if hashlib.sha256(found).hexdigest() == VOCABULARY_SHA256:
            return found
    raise ModelError(
        f"this is not the vocabulary of the decoder: no {sizes.words} of its {len(lines)} lines are the expected ones",
        file=str(where),
        hint=_HINT,
    )
