"""Options that several verbs share."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handler import storage
from handler.errors import RequestError
from handler.formats import FORMATS

__all__ = [
    "add_reading",
    "assignment",
    "check_threads",
    "content_of",
    "local_input",
    "mapping",
    "print_json",
    "reading_words",
]

MOST_BYTES = 1_000_000  # of a text given as an option: the report repeats it


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How to read the file."""
    add = parser.add_argument
    add("--questions", metavar="F", help="the questions that INPUT answers, e.g. POPE's, or gated sequences")
    add("--references", metavar="F", help="what people said, where it is a file of its own, e.g. VQA annotations")
    add("--format", default="auto", metavar="F", help=f"the file's format (auto): {', '.join(FORMATS[1:])}")
    add("--map", action="append", default=[], metavar="FIELD=COLUMN", help="read FIELD from COLUMN or #n; repeatable")
    add("--encoding", help="text encoding of the file (utf-8)")


def reading_words(options: argparse.Namespace) -> list[str]:
    """The same options as they would be typed again, but for the files beside the input."""
    words = [word for one in options.map for word in ("--map", one)]
    if options.format != "auto":
        words += ["--format", options.format]
    return words + (["--encoding", options.encoding] if options.encoding else [])


def content_of(text: str) -> str:
    """The text, or what the file of this name holds, without the line breaks at its end, as "$(cat FILE)" gives it.

    Raises StorageError for the name of a file that is not there, RequestError for a folder and for what is no short text.
    """
    if "\n" not in text and os.path.isdir(text):
        raise RequestError("this is a folder; name a file in it", file=text)
    is_name = len(text.split()) == 1 and (storage.is_remote(text) or text.endswith((".md", ".txt")))
    if is_name or ("\n" not in text and os.path.isfile(text)):
        content = storage.read_bytes(text)
        if len(content) > MOST_BYTES:
            raise RequestError(f"{len(content):,} bytes are too many for an option (at most {MOST_BYTES:,})", file=text)
        try:
            return content.decode("utf-8-sig").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise RequestError("the file is not UTF-8 text", file=text) from error
    return text


def check_threads(options: argparse.Namespace) -> None:
    """Raises RequestError for a number of cores that there cannot be."""
    if options.threads is not None and options.threads < 1:
        raise RequestError("--threads must be at least 1", field="threads")


@contextmanager
def local_input(location: str) -> Iterator[str]:
    """The location, or for `-` a file with what stdin holds: an input is read twice, to name it and to score it."""
    if location != "-":
        yield location
        return
    with tempfile.TemporaryDirectory(prefix="scenescore-") as folder:
        path = Path(folder, "stdin")
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield str(path)


def print_json(data: bytes) -> None:
    """JSON on stdout as UTF-8, whatever the terminal's encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


def mapping(given: list[str]) -> dict[str, str]:
    """The --map options as {field: column}."""
    return dict(assignment(one, "--map") for one in given)


def assignment(text: str, option: str) -> tuple[str, str]:
    """NAME=VALUE, split. Raises RequestError naming the option."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise RequestError(f"{option} {text!r} is not NAME=VALUE", field=option.lstrip("-"))
    return name, value
