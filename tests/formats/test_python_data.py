"""Lists, generators, models and data frames."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from annotation_files import Read, read_text
from mutations import flat, sessions, streamed
from pydantic import BaseModel

from handler.errors import InputError
from handler.formats import Notices, ReadOptions, records_from_python


def read(data: Any, **options: Any) -> Read:
    notices = Notices()
    return Read(list(records_from_python(data, ReadOptions(**options), notices)), notices)


def without_lines(result: Read) -> list[Any]:
    for sample in result.samples:
        sample.line = None
    return result.records


@pytest.mark.parametrize("items", [sessions(), flat(), streamed()])
def test_python_data_reads_as_its_file_does(items: list[Any]) -> None:
    wanted = without_lines(read_text(json.dumps(items), name="data.json"))
    assert read(items).records == wanted
    assert read(item for item in items).records == wanted
    assert read(tuple(items)).records == wanted
    assert read(items[0]).records == without_lines(read_text(json.dumps(items[0]), name="data.json"))


def test_models() -> None:
    class Frame(BaseModel):
        qa_id: str
        assistant: str
        ground_truth_assistant: str

    class Dataset(BaseModel):
        session_id: str
        conversation: list[Frame]

    data = Dataset(session_id="s", conversation=[Frame(qa_id="1", assistant="a", ground_truth_assistant="b")])
    for given in (data, [data], {"session_id": "s", "conversation": data.conversation}):
        assert [(s.session_id, s.sample_id, s.answer) for s in read(given).samples] == [("s", "1", "a")]


TABLE = {
    "Frame": [1, 2, 3],
    "Prediction": ["a", None, "NA"],
    "reference_1": ["x", "y", None],
    "reference_2": ["z", None, None],
    "score": [0.5, None, 2.0],
}


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame(TABLE), pd.DataFrame(TABLE).convert_dtypes(), pd.DataFrame(TABLE, dtype=object), pl.DataFrame(TABLE)],
    ids=["pandas", "pandas-nullable", "pandas-object", "polars"],
)
def test_data_frames(frame: Any) -> None:
    result = read(frame, on_missing="skip")
    assert result.texts == [("a", ("x", "z")), (None, ("y",)), ("NA", ())]
    assert [s.sample_id for s in result.samples] == ["1", "2", "3"]
    assert [dict(s.columns) for s in result.samples] == [{"score": 0.5}, {}, {"score": 2.0}]
    assert [r.field for r in read(frame).unreadable] == ["Prediction", "reference_1"]


def test_data_frames_follow_the_rules_of_tables() -> None:
    frame = pd.DataFrame([["a", "b", "c"]], columns=["answer", "reference", "reference"])
    assert read(frame).texts == [("a", ("b", "c"))]
    assert read(pd.DataFrame({"x": ["a"], "y": ["b"]}), mapping={"answer": "#1", "references": "y"}).texts == [
        ("a", ("b",))
    ]
    with pytest.raises(InputError, match="no column holds the references"):
        read(pd.DataFrame({"answer": ["a"]}))
    assert read(pd.DataFrame({"answer": [], "reference": []})).records == []
    assert read(pd.DataFrame({"answer": [1.5], "reference": ["b"]})).unreadable[0].field == "answer"


def test_values_that_only_python_has() -> None:
    frame = {
        "id": np.int64(3),
        "answer": np.str_("a"),
        "references": np.array(["b", "c"]),
        "t": pd.Timestamp(0),
        "n": np.float32(0.5),
    }
    (sample,) = read([frame]).samples
    assert (sample.sample_id, sample.answer, sample.references) == ("3", "a", ("b", "c"))
    assert sample.columns == {"t": "1970-01-01T00:00:00", "n": 0.5}
    assert read([{**frame, "answer": pd.NaT}]).unreadable[0].field == "answer"
    assert read([{"answer": "a\ud83d", "reference": "b"}]).samples[0].answer == "a\ufffd"


def test_other_things_are_refused() -> None:
    for data in ("file.json", b"x", 3, None, pl.LazyFrame(TABLE)):
        with pytest.raises(InputError, match=r"cannot read samples from|collect\(\)"):
            read(data)
    assert [r.reason for r in read([3, "x"]).unreadable] == [
        "a number (3) where a session or a frame (an object) is expected",
        "text where a session or a frame (an object) is expected",
    ]
    loop: dict[str, Any] = {"answer": "a", "reference": "b"}
    loop["self"] = loop
    assert "nested more than" in read([loop]).unreadable[0].reason
