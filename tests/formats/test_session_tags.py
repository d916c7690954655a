"""Tags of a session belong to each of its frames; a frame's own tags win."""

from __future__ import annotations

import json

import pytest

from handler.errors import InputError
from handler.formats import Notices, ReadOptions, open_records, records_from_python
from handler.samples import Sample, Unreadable

HEAD = {"session_id": "s", "assistant_id": "a", "language": "english", "tags": {"site": "north", "light": "day"}}
FRAME = {"qa_id": "f", "assistant": "x", "ground_truth_assistant": "y"}
CONVERSATION = [FRAME, {**FRAME, "tags": {"light": "night"}}]


def tags_of(records):
    return [dict(record.tags) for record in records if isinstance(record, Sample)]


EXPECTED = [{"site": "north", "light": "day"}, {"site": "north", "light": "night"}]


@pytest.mark.parametrize("name", ["s.json", "s.jsonl"])
def test_tags_of_a_session_reach_its_frames(tmp_path, name):
    session = {**HEAD, "conversation": CONVERSATION}
    path = tmp_path / name
    path.write_text(json.dumps(session if name.endswith("l") else [session]))
    assert tags_of(open_records(str(path), ReadOptions(), Notices())) == EXPECTED
    assert tags_of(records_from_python([session], ReadOptions(), Notices())) == EXPECTED
    streamed = [{"metadata": HEAD, "batch": frame} for frame in CONVERSATION]
    assert tags_of(records_from_python(streamed, ReadOptions(), Notices())) == EXPECTED


def test_tags_after_the_frames_are_refused_not_dropped(tmp_path):
    session = {key: value for key, value in HEAD.items() if key != "tags"}
    path = tmp_path / "s.json"
    path.write_text(json.dumps([{**session, "conversation": CONVERSATION, "tags": {"site": "south"}}]))
    with pytest.raises(InputError, match=r"tags comes after frames.*before the conversation"):
        list(open_records(str(path), ReadOptions(), Notices()))


def test_tags_of_the_wrong_kind_name_the_field():
    session = {**HEAD, "tags": ["north"], "conversation": CONVERSATION}
    found = list(records_from_python([session], ReadOptions(), Notices()))
    assert [type(one) for one in found] == [Unreadable, Unreadable]
    assert found[0].field == "tags"
