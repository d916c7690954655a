"""Transcripts from manifests, records and tables: alone, joined by id, joined by line."""

from __future__ import annotations

import json

import pytest

from handler import evaluate
from handler.errors import InputError
from handler.formats import Notices, ReadOptions, open_records
from handler.samples import SpeechSample, Unreadable


def write(path, *records):
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records))
    return str(path)


def read(path, notices=None, **options):
    return list(open_records(path, ReadOptions(**options), notices or Notices()))


def facts(record):
    assert isinstance(record, SpeechSample), record
    return record.sample_id, record.answer, record.references


def test_a_nemo_manifest(tmp_path):
    path = write(
        tmp_path / "manifest.json",
        {"audio_filepath": "a/1.wav", "duration": 2.5, "text": "turn on", "pred_text": "turn off", "lang": "en"},
        {"audio_filepath": "a/2.wav", "duration": 1, "text": "", "pred_text": ""},
    )
    first, second = read(path)
    assert facts(first) == ("a/1.wav", "turn off", ("turn on",))
    assert (first.columns, first.language, first.session_id, first.line) == ({"duration": 2.5}, "en", "manifest", 1)
    assert facts(second) == ("a/2.wav", "", ("",))


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"utt_id": "u", "hyp": "a", "ref": "b"}, ("u", "a", ("b",))),
        ({"utterance_id": 7, "hypothesis": "a", "reference": "b"}, ("7", "a", ("b",))),
        ({"id": "u", "prediction": "a", "transcription": "b"}, ("u", "a", ("b",))),
        ({"id": "u", "transcription": "a", "sentence": "b"}, ("u", "a", ("b",))),
        ({"path": "p.mp3", "hypothesis": "a", "sentence": "b"}, ("p.mp3", "a", ("b",))),
        ({"id": "u", "path": "p.mp3", "hypothesis": "a", "transcript": "b"}, ("u", "a", ("b",))),
        ({"hyp": "a", "references": ["b", "c"]}, ("1", "a", ("b", "c"))),
        ({"hyp": "a", "reference": "b", "reference_2": "c", "text": "no"}, ("1", "a", ("b", "c"))),
        ({"hyp": 5, "ref": 6.5}, ("1", "5", ("6.5",))),
        ({"Hypothesis": "a", "Reference": "b", "Utterance ID": "u"}, ("u", "a", ("b",))),
    ],
)
def test_the_usual_names(tmp_path, record, expected):
    (found,) = read(write(tmp_path / "f.jsonl", record), format="speech")
    assert facts(found) == expected


def test_names_that_are_mapped(tmp_path):
    record = {"key": "u", "whisper": "a", "hyp": "other", "gold": "b", "gold2": "c", "weight": 1}
    mapping = {"answer": "whisper", "references": "gold,gold2", "sample_id": "key"}
    (found,) = read(write(tmp_path / "f.jsonl", record), format="speech", mapping=mapping)
    assert facts(found) == ("u", "a", ("b", "c"))
    assert found.columns == {"hyp": "other"}
    (absent,) = read(write(tmp_path / "g.jsonl", record), format="speech", mapping={"answer": "nowhere"})
    assert isinstance(absent, Unreadable)
    assert absent.field == "answer"


def test_a_table(tmp_path):
    path = tmp_path / "asr.csv"
    path.write_text(',utt_id,reference,hypothesis,duration,model\n0,u1,"well, yes",well yes,1.5,m\n1,u2,007,,2,m\n')
    first, second = read(str(path))
    assert facts(first) == ("u1", "well yes", ("well, yes",))
    assert (first.assistant_id, first.columns["duration"]) == ("m", "1.5")
    assert facts(second) == ("u2", "", ("007",))


def test_two_files_are_joined_by_id(tmp_path):
    heard = write(tmp_path / "hyp.jsonl", {"utt_id": "b", "hyp": "two"}, {"utt_id": "a", "hyp": "won", "snr": 3})
    said = write(
        tmp_path / "ref.jsonl",
        {"utt_id": "a", "text": "one", "duration": 1.5},
        {"utt_id": "b", "text": "two", "duration": 2},
    )
    found = read(heard, references=said)
    assert [facts(one) for one in found] == [("b", "two", ("two",)), ("a", "won", ("one",))]
    assert [one.index for one in found] == [1, 0]
    assert found[1].columns == {"duration": 1.5, "snr": 3}
    assert {one.session_id for one in found} == {"ref"}


def test_two_files_of_the_same_names_are_joined_when_asked(tmp_path):
    heard = write(tmp_path / "hyp.jsonl", {"id": "a", "text": "won", "model": "m"})
    said = write(tmp_path / "ref.jsonl", {"id": "a", "text": "one"})
    (found,) = read(heard, references=said, format="speech")
    assert facts(found) == ("a", "won", ("one",))
    assert found.assistant_id == "m"


def test_two_files_without_ids_are_joined_by_line(tmp_path):
    heard = tmp_path / "hyp.csv"
    heard.write_text("hypothesis\na b\nc\n")
    said = tmp_path / "ref.csv"
    said.write_text("reference\na b\nd\n")
    found = read(str(heard), references=str(said), format="speech")
    assert [facts(one) for one in found] == [("1", "a b", ("a b",)), ("2", "c", ("d",))]


def test_what_has_no_counterpart_is_named(tmp_path):
    heard = write(tmp_path / "hyp.jsonl", {"utt_id": "a", "hyp": "x"}, {"utt_id": "zz", "hyp": "y"})
    said = write(tmp_path / "ref.jsonl", {"utt_id": "a", "text": "x"}, {"utt_id": "b", "text": "y"})
    notices = Notices()
    found = read(heard, notices, references=said)
    problems = [one for one in found if isinstance(one, Unreadable)]
    assert ["zz" in problems[0].reason, "'b' has no answer" in problems[1].reason] == [True, True]
    assert notices.counts == {"answer_without_question": 1, "unanswered_question": 1}
    skipping = read(heard, references=said, on_missing="skip")
    assert [facts(one) for one in skipping] == [("a", "x", ("x",)), ("zz", "y", ()), ("b", None, ("y",))]
    one_said = write(tmp_path / "one.jsonl", {"utt_id": "a", "text": "x"})
    surplus = read(heard, references=one_said, on_missing="skip")[1]
    assert (surplus.sample_id, surplus.session_id, surplus.index) == ("zz", "one", 1)


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ({"hyp": None, "ref": "a"}, "answer"),
        ({"hyp": "a", "ref": None}, "reference"),
        ({"hyp": ["a"], "ref": "a"}, "hyp"),
        ({"hyp": "a", "references": ["a", {}]}, "references[1]"),
        ({"hyp": "a", "ref": True}, "ref"),
        ({"hyp": "a", "ref": "a", "utt_id": [1]}, "utt_id"),
    ],
)
def test_a_record_that_cannot_be_read_names_its_field(tmp_path, record, field):
    (found,) = read(write(tmp_path / "f.jsonl", record), format="speech")
    assert isinstance(found, Unreadable)
    assert (found.field, found.line) == (field, 1)
    assert field in found.reason


def test_a_reference_file_must_be_whole(tmp_path):
    heard = write(tmp_path / "hyp.jsonl", {"utt_id": "a", "hyp": "x"})
    said = write(tmp_path / "ref.jsonl", {"utt_id": "a", "text": "x"}, {"utt_id": "b", "text": None})
    with pytest.raises(InputError, match=r"ref\.jsonl:2.*reference is missing"):
        read(heard, references=said)


def test_the_page_s_utterances_through_the_one_path(tmp_path):
    path = write(
        tmp_path / "asr.jsonl",
        {"utt_id": "1", "text": "book a table for two at eight", "hyp": "book table for two at eight", "room": "x"},
        {"utt_id": "2", "text": "turn on the lights", "hyp": "turn off the lights", "room": "y"},
        {"utt_id": "3", "text": "", "hyp": "thanks", "room": "y"},
    )
    report = evaluate(path, group_by=["room"])
    found = report["metrics"]["speech.wer"]
    assert [round(row["metrics"]["speech.wer"]["score"], 3) for row in report.samples[:2]] == [0.143, 0.25]
    assert found["overall"]["wer"] == 3 / 11
    assert [(one["value"], one["wer"]) for one in found["groups"]] == [("x", 1 / 7), ("y", 2 / 4)]
    assert [one["sample_id"] for one in found["worst"]] == ["2", "1"]
    basic = evaluate(path, options={"speech.wer": {"normaliser": "basic"}})
    assert "normaliser:basic" in json.dumps(basic["signature"])
    assert evaluate(path, mode="compat:jiwer")["metrics"]["speech.wer"]["overall"]["wer"] == 3 / 11
