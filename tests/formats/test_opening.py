"""Bytes: compression, encodings, files that are something else, bounds."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from annotation_files import read_bytes, read_file, read_text
from mutations import flat

from handler.errors import InputError, RequestError, StorageError
from handler.formats import ReadOptions, _opening, detect

FLAT = json.dumps(flat(), ensure_ascii=False)
TABLE = "qa_id,assistant,reference\nf1,Zoë,é\n"


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (FLAT.encode(), {}),
        (gzip.compress(FLAT.encode(), mtime=0), {}),
        (gzip.compress(FLAT[:100].encode(), mtime=0) + gzip.compress(FLAT[100:].encode(), mtime=0) + b"\0" * 600, {}),
        (b"\xef\xbb\xbf" + FLAT.encode(), {}),
        (gzip.compress(b"\xef\xbb\xbf" + FLAT.encode(), mtime=0), {}),
        (FLAT.encode("utf-16"), {"encoding": "utf-16"}),
        (FLAT.encode("utf-16-be"), {"encoding": "utf-16-be"}),
        (FLAT.encode("utf-32"), {"encoding": "utf-32"}),
        (FLAT.encode(), {"encoding": "utf-8-sig"}),
        (gzip.compress(FLAT.encode("utf-16"), mtime=0), {"encoding": "utf-16"}),
    ],
)
def test_the_same_text_in_any_wrapping(data: bytes, options: dict[str, Any]) -> None:
    assert read_bytes(data, **options).samples == read_bytes(FLAT.encode()).samples


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (FLAT.encode("utf-16"), "UTF-16.*--encoding utf-16"),
        (FLAT.encode("utf-16-le"), "UTF-16.*--encoding utf-16-le"),
        (FLAT.encode("utf-16-be"), "UTF-16.*--encoding utf-16-be"),
        (FLAT.encode("utf-32"), "UTF-32.*--encoding utf-32"),
        (TABLE.encode("latin-1"), r"not UTF-8: byte 0xeb at offset 31 \(line 2\).*--encoding latin-1"),
        (b"\xef\xbb\xbf" + TABLE.encode("latin-1"), r"byte 0xeb at offset 34 \(line 2\)"),
        (gzip.compress(FLAT.encode(), mtime=0)[:-20], "gzip data ends too early"),
        (gzip.compress(FLAT.encode(), mtime=0)[:40] + b"\0" * 60, "damaged gzip"),
        (gzip.compress(FLAT.encode(), mtime=0) + b"junk", "damaged gzip"),
        (gzip.compress(gzip.compress(FLAT.encode(), mtime=0), mtime=0), "compressed twice"),
        (b"PK\x03\x04rest of a workbook", "Excel"),
        (b"PAR1....", "Parquet"),
        (b"\x28\xb5\x2f\xfdxxxx", "zstandard"),
        (b"answer,reference\na\0b,c\n", "binary"),
        (b"\0" * 400, "binary"),
        (b" " * 300_000 + b"[]", "begins with 262,144 blanks"),
        (b"<!doctype html><html>", "HTML"),
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (gzip.compress(b"", mtime=0), "the file is empty"),
        (b" \r\n\t\n", "no content"),
    ],
)
def test_refusals_say_what_the_file_is(data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_bytes(data)


def test_bytes_that_are_not_utf8_are_found_deep_in_a_file() -> None:
    row = b'{"assistant": "a", "reference": "b"}\n'
    data = row * 20_000 + b'{"assistant": "\xe9", "reference": "b"}\n'
    where = rf"offset {len(row) * 20_000 + 15} \(line 20001\)"
    with pytest.raises(InputError, match=where):
        read_bytes(data)
    with pytest.raises(InputError, match=where):
        read_bytes(data, format="csv", mapping={"answer": "#1", "references": "#2"})
    listed = b"[" + data.rstrip().replace(b"\n", b",\n") + b"]"
    with pytest.raises(InputError, match=rf"offset {len(row) * 20_000 + 20_000 + 16} \(line 20001\)"):
        read_bytes(listed)


def test_encodings_that_do_not_exist_or_do_not_fit() -> None:
    for name in ("klingon", "hex", "undefined"):
        with pytest.raises(RequestError, match="unknown encoding"):
            read_text(FLAT, encoding=name)
    with pytest.raises(InputError, match="not ascii"):
        read_text(FLAT, encoding="ascii")
    for n in (10, 600_000):  # in the first piece that is read, and in a later one
        with pytest.raises(InputError, match=f"not ascii: cannot decode the byte at offset {n}"):
            read_bytes(b'["' + b"a" * (n - 2) + b'\xe9"]', encoding="ascii")
    with pytest.raises(InputError, match="not utf-16"):
        read_bytes(FLAT.encode("utf-16")[:-1], encoding="utf-16")


def test_a_decompression_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_opening, "RATIO_FREE_BYTES", 1_000_000)
    bomb = gzip.compress(b"[" + b" " * 5_000_000 + b"]")
    with pytest.raises(InputError, match="decompression bomb"):
        read_bytes(bomb)


def test_missing_files_and_unknown_formats(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no such file"):
        read_file(tmp_path / "nothing.json")
    with pytest.raises(RequestError, match=r"unknown format 'xml'.*fair-forge, jsonl, csv"):
        read_text(FLAT, format="xml")


def test_the_stem_is_the_default_session(tmp_path: Path) -> None:
    for name in (
        "north gate.json",
        "north gate.jsonl.gz",
        "north gate.csv",
        "north gate.run",
        "north gate.qrels",
        "north gate",
    ):
        path = tmp_path / name
        path.write_text('{"assistant": "a", "reference": "b"}')
        assert read_file(path).samples[0].session_id == "north gate"


def test_detection_tells_what_and_why(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(gzip.compress(TABLE.replace(",", ";").encode("utf-16")))
    found = detect(str(path), ReadOptions(encoding="utf-16"))
    assert (found.format, found.compression, found.encoding, found.delimiter) == ("csv", "gzip", "utf-16", ";")
    assert found.has_header
    assert found.columns == ("qa_id", "assistant", "reference")
    assert "semicolon" in found.reason
    path.write_text(FLAT)
    assert (detect(str(path)).format, detect(str(path)).columns[0]) == ("fair-forge", "session_id")
    path.write_text('{"answer": "a"}\n{"answer": "b"}')
    assert detect(str(path)).format == "jsonl"
