"""Comma, semicolon, tab and pipe separated files."""

from __future__ import annotations

import pytest
from annotation_files import read_text

from handler.errors import InputError
from handler.formats._table import shape_of

HEADER = "session_id,qa_id,assistant,ground_truth_assistant"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(delimiter: str, newline: str) -> None:
    rows = [HEADER, "s,f1,one; two | three,x", "s,f2,a,b"] if delimiter == "," else [HEADER, "s,f1,a,b", "s,f2,c,d"]
    text = newline.join(row.replace(",", delimiter) for row in rows)
    result = read_text(text)
    assert [s.sample_id for s in result.samples] == ["f1", "f2"]
    assert [s.line for s in result.samples] == [2, 3]


def test_cells_are_text() -> None:
    result = read_text(HEADER + "\ns,1,NA,null\ns,2,None,nan\ns,3,, \ns,4,12,true\n")
    assert result.texts == [("NA", ("null",)), ("None", ("nan",)), ("", (" ",)), ("12", ("true",))]


def test_header_only_and_final_blank_lines() -> None:
    assert read_text(HEADER + "\r\n").records == []
    assert len(read_text(HEADER + "\n\ns,1,a,b\n\n\n").samples) == 1
    assert read_text(HEADER + "\n\ns,1,a,b\n").samples[0].line == 3


def test_an_absent_column_is_named() -> None:
    with pytest.raises(
        InputError, match=r"no column holds the references.*Columns: 'qa_id', 'assistant'.*--map references="
    ):
        read_text("qa_id,assistant\n1,a\n")
    assert read_text("qa_id,assistant\n1,a\n", on_missing="skip").texts == [("a", ())]
    with pytest.raises(InputError, match="no column holds the answer or the references"):
        read_text("x,y\n1,a\n", on_missing="skip")


def test_of_many_columns_twenty_are_told() -> None:
    for n, last in ((20, r"'x19'\. Choose"), (21, r"'x19' and 1 more\. Choose"), (30, r"'x19' and 10 more\. Choose")):
        columns = ["answer", *(f"x{place}" for place in range(1, n))]
        with pytest.raises(InputError, match=last):
            read_text(",".join(columns) + "\n" + ",".join("a" * n) + "\n")


def test_without_a_header() -> None:
    mapping = {"sample_id": "#1", "answer": "#2", "references": "#3,#4"}
    result = read_text("f1,a,b,c\nf2,d,e,f\n", mapping=mapping)
    assert [(s.sample_id, s.answer, s.references) for s in result.samples] == [
        ("f1", "a", ("b", "c")),
        ("f2", "d", ("e", "f")),
    ]
    assert result.notices.counts == {"no_header": 1}
    named = read_text("frame,answer,x,y\nf1,a,b,c\n", mapping=mapping)
    assert len(named.samples) == 1
    with pytest.raises(InputError, match="mapped to '#9'"):
        read_text("f1,a\n", mapping={"answer": "#1", "references": "#9"})


def test_repeated_headers_and_several_references() -> None:
    text = "answer,reference,reference,reference_7,camera,camera\na,b,c,d,1,2\n"
    (sample,) = read_text(text).samples
    assert sample.references == ("b", "c", "d")
    assert sample.columns == {"camera": "1", "camera_2": "2"}
    with pytest.raises(InputError, match=r"two columns are named 'answer'.*--map answer=#N"):
        read_text("answer,answer,reference\na,b,c\n")
    assert read_text("answer,answer,reference\na,b,c\n", mapping={"answer": "#2"}).texts == [("b", ("c",))]


def test_tags_and_weights_in_cells() -> None:
    text = 'answer,reference,tags,weight\na,b,"{""camera"": ""7""}",0.5\na,b,,\na,b,night,1\na,b,,-2\n'
    result = read_text(text)
    assert [dict(s.tags) for s in result.samples] == [{"camera": "7"}, {}]
    assert [(r.line, r.field) for r in result.unreadable] == [(4, "tags"), (5, "weight")]


def test_ragged_and_badly_quoted_rows_cost_one_row() -> None:
    rows = [HEADER, "s,1,a,b", "s,2,a", 's,3,"He said "stop" now",b', "s,4,a,b,c", 's,5,"a\nb",c', "s,6,a,b"]
    result = read_text("\n".join(rows))
    assert [(s.sample_id, s.line) for s in result.samples] == [("1", 2), ("5", 6), ("6", 8)]
    assert [r.line for r in result.unreadable] == [3, 4, 5]
    assert "write a quote twice" in result.unreadable[1].reason


def test_a_quote_that_is_never_closed() -> None:
    with pytest.raises(InputError, match="quote opened in the row at line 3 is not closed"):
        read_text(HEADER + '\ns,1,a,b\ns,2,"a,b\ns,3,a,b\n')
    with pytest.raises(InputError, match="line 2 is not closed within 1,000,000"):
        read_text(HEADER + '\ns,2,"a,b' + "\nsome more text" * 100_000)


def test_the_sep_line_decides() -> None:
    assert shape_of('"sep=;"\r\na,b;c\r\n', {}).columns == ("a,b", "c")
    assert read_text("sep=,\nanswer,reference\na,b\n").samples[0].line == 3
