"""The room's verbs: open, detect."""

from __future__ import annotations

from collections.abc import Iterator

from handler.formats._contract import Detection, Notices, ReadOptions
from handler.formats._detect import READERS, detect_source
from handler.formats._opening import open_source
from handler.samples import Record


def detect(location: str, options: ReadOptions | None = None) -> Detection:
    """What the file is and how it would be read. Raises InputError, StorageError or RequestError."""
    options = options or ReadOptions()
    with open_source(location, options) as source:
        return detect_source(source, options)


def open_records(
    location: str, options: ReadOptions, notices: Notices, *, if_match: str | None = None
) -> Iterator[Record]:
    """The records of a file in its order, read as they are asked for.

    if_match: the etag an S3 object must have, so that what is scored is what was named.
    Raises InputError where the file, or the rest of it, cannot be read; StorageError when it is not there; RequestError
    for options that do not exist. Nothing is opened before the first record is asked for.
    """
    with open_source(location, options, if_match) as source:
        detection = detect_source(source, options)
        yield from READERS[detection.format].read(source, options, notices)
