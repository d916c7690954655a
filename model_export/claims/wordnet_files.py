"""Reads WordNet's database files (wndb(5WN)) from a folder or from Debian's `wordnet-base` package."""

from __future__ import annotations

import io
import lzma
import re
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from handler.errors import InputError

__all__ = ["POS_NAMES", "Synset", "WordNet", "read_wordnet"]

POS_NAMES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_SENSE_POS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}  # the digit after "%" of a sense key
_ATTRIBUTIVE = re.compile(r"\([a-z]+\)$")  # adjective markers: (p), (a), (ip)

Key = tuple[str, int]
"""Part of speech and byte offset: what names a synset."""


@dataclass(frozen=True, slots=True)
class Synset:
    """words: as written; field: number of the lexicographer's file; pointers: symbol, target, and the word numbers
    (from 1; 0 for the whole synset) on either side."""

    words: tuple[str, ...]
    field: int
    pointers: tuple[tuple[str, Key, int, int], ...]


@dataclass(frozen=True, slots=True)
class WordNet:
    """senses: synsets of (lemma, part of speech), the most frequent first; counts: how often it was tagged; exceptions:
    irregular form and part of speech to base forms; notice: the licence at the head of the files."""

    synsets: dict[Key, Synset] = field(default_factory=dict)
    senses: dict[tuple[str, str], tuple[Key, ...]] = field(default_factory=dict)
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    exceptions: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    notice: str = ""


def read_wordnet(source: Path) -> WordNet:
    """source: a folder with data.*, index.*, *.exc and cntlist.rev, or a .deb that holds one. InputError when a file is
    missing or a line cannot be read."""
    read = _package_reader(source) if source.suffix == ".deb" else _folder_reader(source)
    synsets: dict[Key, Synset] = {}
    senses: dict[tuple[str, str], tuple[Key, ...]] = {}
    exceptions: dict[tuple[str, str], tuple[str, ...]] = {}
    for pos, name in POS_NAMES.items():
        for fields in _lines(f"data.{name}", read, source):
            offset, synset = _synset(fields)
            synsets[pos, offset] = synset
        for fields in _lines(f"index.{name}", read, source):
            senses[fields[0].lower(), pos] = tuple((pos, int(offset)) for offset in fields[-int(fields[2]) :])
        for fields in _lines(f"{name}.exc", read, source):
            exceptions[fields[0].lower(), pos] = tuple(base.lower() for base in fields[1:])
    counts: dict[tuple[str, str], int] = {}
    for key, _, count in _lines("cntlist.rev", read, source):
        lemma, rest = key.split("%")
        word = (lemma, _SENSE_POS[rest[0]])
        counts[word] = counts.get(word, 0) + int(count)
    return WordNet(synsets, senses, counts, exceptions, _notice(read("data.noun")))


def _synset(fields: list[str]) -> tuple[int, Synset]:
    n_words = int(fields[3], 16)
    words = tuple(_ATTRIBUTIVE.sub("", fields[4 + 2 * i]) for i in range(n_words))
    at = 4 + 2 * n_words
    pointers = []
    for i in range(int(fields[at])):
        symbol, offset, pos, ends = fields[at + 1 + 4 * i : at + 5 + 4 * i]
        target = ("a" if pos == "s" else pos, int(offset))
        pointers.append((symbol, target, int(ends[:2], 16), int(ends[2:], 16)))
    return int(fields[0]), Synset(words, int(fields[1]), tuple(pointers))


def _lines(name: str, read: Callable[[str], str], source: Path) -> Iterator[list[str]]:
    for number, line in enumerate(read(name).splitlines(), start=1):
        if line.startswith(" ") or not line.strip():
            continue
        fields = line.split(" | ", 1)[0].split()
        if len(fields) < 2:
            raise InputError(f"{name} is no WordNet file", file=str(source), line=number)
        yield fields


def _notice(data: str) -> str:
    head = [line[4:].strip() if line[:4].strip() else line.strip() for line in data.splitlines() if line[:1] == " "]
    return "\n".join(head).strip() + "\n"


def _folder_reader(folder: Path) -> Callable[[str], str]:
    def read(name: str) -> str:
        try:
            return (folder / name).read_text("latin-1")
        except OSError as error:
            raise InputError(
                f"{name} is missing or cannot be read",
                file=str(folder),
                hint="Give the folder with data.noun, index.noun, noun.exc and cntlist.rev (Debian: /usr/share/wordnet)",
            ) from error

    return read


def _package_reader(package: Path) -> Callable[[str], str]:
    try:
        members = dict(_archive_members(package.read_bytes()))
        with tarfile.open(fileobj=io.BytesIO(lzma.decompress(members["data.tar.xz"]))) as tar:
            texts = {
                PurePosixPath(member.name).name: found.read().decode("latin-1")
                for member in tar
                if member.isfile() and (found := tar.extractfile(member)) is not None
            }
    except (OSError, KeyError, ValueError, lzma.LZMAError, tarfile.TarError) as error:
        raise InputError("this is no Debian package of WordNet's files", file=str(package)) from error

    def read(name: str) -> str:
        if name not in texts:
            raise InputError(f"the package holds no {name}", file=str(package), hint="Give Debian's wordnet-base")
        return texts[name]

    return read


def _archive_members(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Members of a Unix `ar` archive, as a .deb is one: 60-byte headers, contents padded to even length."""
    if not content.startswith(b"!<arch>\n"):
        raise ValueError("no ar archive")
    at = 8
    while at + 60 <= len(content):
        name, size = content[at : at + 16].decode("ascii").strip().rstrip("/"), int(content[at + 48 : at + 58])
        yield name, content[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
