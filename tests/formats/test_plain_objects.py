"""Objects as they are, for other readers, and readings that start in the middle of a file."""

from __future__ import annotations

import gzip
import json

import pytest

from handler import storage
from handler.errors import InputError
from handler.formats import LineMarks, Notices, Place, ReadOptions, open_descriptions, read_objects


def objects(path, text, **asked):
    path.write_text(text)
    return [tuple(one) for one in read_objects(str(path), ReadOptions(), **asked)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}\n\n{"a": 2}\n', [("", {"a": 1}, 1), ("", {"a": 2}, 3)]),
        ('[{"a": 1},\n {"a": 2}]', [("", {"a": 1}, 1), ("", {"a": 2}, 2)]),
        ("a,b\n1,x\n\n2,y\n", [("", {"a": "1", "b": "x"}, 2), ("", {"a": "2", "b": "y"}, 4)]),
        ('{"b": [{"a": 1}], "c": [{"a": 2}], "d": 3}', [("b", {"a": 1}, 1), ("c", {"a": 2}, 1)]),
    ],
)
def test_objects_of_every_form(tmp_path, text, found):
    assert objects(tmp_path / "x", text, lists=("b", "c")) == found


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (" \n", None, "the file is empty"),
        ('{"a": 1}\n{"a": \n', 2, "JSON"),
        ('[{"a": 1},\n7]', 2, "where an object is expected"),
        ("a,b\n1,x\n2\n", 3, "line 3 has 1 cell for 2 columns"),
        ('a,b\n"1"x,y\n', 2, "text follows a closing quote"),
        ('a,b\n1,"x\n', 2, "is not closed"),
    ],
)
def test_the_first_thing_that_cannot_be_read_ends_it(tmp_path, text, line, words):
    with pytest.raises(InputError) as caught:
        objects(tmp_path / "x", text)
    assert (caught.value.line, words in str(caught.value)) == (line, True), str(caught.value)


ROWS = '{"frame": "1", "answer": "a", "reference": "b"}\n' * 3


def marked(path, text):
    path.write_text(text)
    marks = LineMarks()
    whole = list(open_descriptions(str(path), ReadOptions(), Notices(), marks=marks))
    return marks, whole


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_reading_goes_on_at_any_line(tmp_path, form):
    path = tmp_path / f"x.{form}"
    rows = [(f"f{n}", f"seen {n} é" * 40, f"said {n}") for n in range(20_000)]  # some MB: several chunks
    if form == "csv":
        text = "frame,answer,reference\n" + "".join(f"{','.join(row)}\n" for row in rows)
    else:
        text = "".join(json.dumps(dict(zip(("frame", "answer", "reference"), row, strict=True))) + "\n" for row in rows)
    marks, whole = marked(path, text)
    lines = text.encode().split(b"\n")
    header = 1 if form == "csv" else 0
    for n in (2, 3, 4_321, 19_999, 20_000):
        place = marks.place_of(str(path), n, None)
        assert place == Place(sum(len(one) + 1 for one in lines[: n - 1]), n)
    rest = list(open_descriptions(str(path), ReadOptions(), Notices(), place=place))
    assert [(one.sample_id, one.answer, one.line) for one in rest] == [
        (one.sample_id, one.answer, one.line) for one in whole[20_000 - header - 1 :]
    ]
    path.write_text("short\n")
    with pytest.raises(storage.ChangedError, match="replaced while it was read"):
        marks.place_of(str(path), 3, None)


@pytest.mark.parametrize(
    ("encoded", "encoding"),
    [
        (("[" + ROWS.replace("}\n{", "},\n{") + "]").encode(), None),
        (gzip.compress(ROWS.encode(), mtime=0), None),
        (ROWS.encode("utf-16"), "utf-16"),
    ],
)
def test_what_must_be_read_in_order_has_no_places(tmp_path, encoded, encoding):
    path = tmp_path / "x.json"
    path.write_bytes(encoded)
    marks = LineMarks()
    whole = list(open_descriptions(str(path), ReadOptions(encoding=encoding), Notices(), marks=marks))
    assert [one.line for one in whole] == [1, 2, 3]
    assert marks.place_of(str(path), 2, None) is None
