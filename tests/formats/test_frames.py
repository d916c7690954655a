"""Fields of one frame: names, ids, references, weights, tags, columns, what is missing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from annotation_files import Read, read_text
from mutations import lines

from handler.errors import InputError, RequestError
from handler.formats import _watch
from handler.formats._fields import did_you_mean
from handler.formats._values import unreadable


def one(frame: dict[str, Any], **options: Any) -> Read:
    """The frame as JSON Lines, as a JSON list and inside a list of two: all must agree."""
    result = read_text(lines([frame]) * 2, **options)
    listed = read_text(json.dumps([frame]), **options)
    assert [r.reason for r in listed.unreadable] == [r.reason for r in result.unreadable[:1]]
    return listed


GOOD = {"id": "1", "answer": "a", "reference": "b"}


@pytest.mark.parametrize(
    "frame",
    [
        {"qa_id": "1", "assistant": "a", "ground_truth_assistant": "b"},
        {"Frame ID": "1", "Model Output": "a", "Ground-Truth": "b"},
        {"FRAME": 1, "caption": "a", "human": "b"},
        {"image_id": 1.0, "prediction": "a", "references": ["b"]},
        {"sample_id": "1", "answer": "a", "label": "b"},
        {"id": "1", "answer": "mine", "assistant": "a", "reference": "other", "ground_truth_assistant": "b"},
    ],
)
def test_accepted_names(frame: dict[str, Any]) -> None:
    (sample,) = one(frame).samples
    assert (sample.sample_id, sample.answer, sample.references) == ("1", "a", ("b",))


def test_ambiguous_names_ask_for_a_choice() -> None:
    frame = {"id": "1", "prediction": "a", "caption": "c", "reference": "b"}
    with pytest.raises(InputError, match=r"answer could be 'prediction' or 'caption'.*--map answer=COLUMN"):
        read_text(json.dumps([frame]))
    assert read_text(json.dumps([frame]), mapping={"answer": "caption"}).samples[0].answer == "c"
    later = read_text(lines([GOOD, frame, GOOD]))
    assert len(later.samples) == 2
    assert "could be" in later.unreadable[0].reason


def test_of_many_names_that_fit_six_are_told() -> None:
    names = ("prediction", "predicted", "response", "caption", "description", "output", "hypothesis", "candidate")
    with pytest.raises(InputError) as caught:
        read_text(json.dumps([dict.fromkeys(names, "a")]))
    told = "'prediction' or 'predicted' or 'response' or 'caption' or 'description' or 'output'"
    assert caught.value.message == f"answer could be {told}"


def test_a_name_is_compared_by_its_first_80_characters() -> None:
    """'answ' is near enough to 'answer', and 'ans' is not."""
    assert did_you_mean("answer", ["_" * 76 + "answ"])
    assert not did_you_mean("answer", ["_" * 77 + "answ"])


def test_the_mapping_wins_and_takes_loose_names() -> None:
    frame = {"id": "1", "assistant": "no", "My Words": "a", "w1": "b", "w2": "c", "ground_truth_assistant": "no"}
    mapping = {"assistant": "my_words", "references": "w1, w2"}
    (sample,) = read_text(json.dumps([frame]), mapping=mapping).samples
    assert (sample.answer, sample.references) == ("a", ("b", "c"))
    session = {"session_id": "s", "conversation": [{"q": 5, "text": "a", "ground_truth_assistant": "b"}]}
    (sample,) = read_text(json.dumps(session), mapping={"sample_id": "q", "answer": "text"}).samples
    assert (sample.sample_id, sample.answer) == ("5", "a")
    session = {"video": "s", "conversation": [{"assistant": "a", "ground_truth_assistant": "b"}]}
    assert read_text(json.dumps(session), mapping={"session_id": "video"}).samples[0].session_id == "s"


def test_mappings_that_cannot_be() -> None:
    with pytest.raises(InputError, match=r"answer is mapped to 'text'.*Columns: 'id', 'answer', 'reference'"):
        read_text(lines([GOOD]), mapping={"answer": "text"})
    with pytest.raises(RequestError, match=r"cannot map 'colour'.*Fields: session_id"):
        read_text(lines([GOOD]), mapping={"colour": "answer"})


@pytest.mark.parametrize(
    ("references", "wanted"),
    [
        ({"reference_1": "a", "reference_2": "b"}, ("a", "b")),
        ({"reference": "a", "reference2": "b"}, ("a", "b")),
        ({"references": ["a", "b", ""]}, ("a", "b", "")),
        ({"ground_truth_1": "a", "ground_truth_2": None, "ground_truth_3": "c"}, ("a", "c")),
        ({"human_1": "a", "human_2": ["b", "c"]}, ("a", "b", "c")),
    ],
)
def test_several_references(references: dict[str, Any], wanted: tuple[str, ...]) -> None:
    assert one({"answer": "x", **references}).samples[0].references == wanted


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"answer": None}, "answer", "session 'cam-1', sample '1': answer is null"),
        ({"answer": float("nan")}, "answer", "answer is NaN"),
        ({"reference": None}, "reference", "reference is null"),
        ({"reference": []}, "reference", "is an empty list"),
        ({"reference": ["a", None]}, "reference[1]", "reference[1] is null"),
        ({"reference": None, "reference_2": []}, "reference", "reference is null"),
    ],
)
def test_missing_texts_are_unreadable_or_skipped(change: dict[str, Any], field: str, words: str) -> None:
    (record,) = one({**GOOD, **change}).unreadable
    assert record.field == field
    assert words in record.reason
    (sample,) = one({**GOOD, **change}, on_missing="skip").samples
    assert sample.answer is None or sample.references in ((), ("a",))


def test_absent_texts_name_the_column_that_others_use() -> None:
    result = read_text(
        lines([{"id": 1, "caption": "a", "gold": "b"}, {"id": 2, "caption": "a"}, {"id": 3, "gold": "b"}])
    )
    assert [r.reason for r in result.unreadable] == [
        "session 'cam-1', sample '2': gold is missing",
        "session 'cam-1', sample '3': caption is missing",
    ]
    near = read_text(json.dumps([{"answr": "x", "reference": "b", "score": 1}])).unreadable[0]
    assert "answer is missing; did you mean 'answr'?" in near.reason
    far = read_text(json.dumps([{"words": "x", "reference": "b"}])).unreadable[0]
    assert "answer is missing; there is 'words'" in far.reason


@pytest.mark.parametrize("value", [3, 0.5, True, ["a"], {"a": 1}])
def test_a_wrong_type_stays_unreadable(value: Any) -> None:
    for on_missing in ("error", "skip"):
        assert "not text" in one({**GOOD, "answer": value}, on_missing=on_missing).unreadable[0].reason
    if not isinstance(value, list):
        assert "not text" in one({**GOOD, "reference": value}, on_missing="skip").unreadable[0].reason
    assert "not text" in one({**GOOD, "reference": [value]}, on_missing="skip").unreadable[0].reason


@pytest.mark.parametrize("weight", [-1, -0.1, float("nan"), float("inf"), "heavy", True, [1]])
def test_bad_weights(weight: Any) -> None:
    (record,) = one({**GOOD, "weight": weight}).unreadable
    assert record.field == "weight"


@pytest.mark.parametrize("weight", [0, 1, 2.5, None])
def test_good_weights_change_nothing(weight: Any) -> None:
    assert one({**GOOD, "weight": weight}).samples == one(GOOD).samples


def test_tags_and_columns() -> None:
    extra = {"score": 1.5, "day": True, "note": "x", "none": None, "nan": float("nan"), "list": [1], "object": {"a": 1}}
    blobs = {
        "query": "q",
        "context": "c",
        "observation": "o",
        "agentic": {},
        "ground_truth_agentic": {},
        "logprobs": {},
    }
    result = one({**GOOD, **extra, **blobs, "tags": {"camera": "7", "night": False, "gone": None}})
    assert result.samples[0].columns == {"score": 1.5, "day": True, "note": "x"}
    assert result.samples[0].tags == {"camera": "7", "night": False}
    assert result.notices.unknown_fields == list(extra)
    for tags in ("x", [1], 3, {"a": [1]}):
        assert one({**GOOD, "tags": tags}).unreadable[0].field in ("tags", "tags.a")


def test_ids() -> None:
    huge = read_text('[{"id": 123456789012345678901234567890, "answer": "a", "reference": "b"}]')
    assert huge.samples[0].sample_id == "123456789012345678901234567890"
    in_lines = read_text('{"id": 123456789012345678901234567890, "answer": "a", "reference": "b"}\n' * 2)
    assert "write it as text" in in_lines.unreadable[0].reason  # never an id that only looks right
    assert one({**GOOD, "id": 12.5}).samples[0].sample_id == "12.5"
    assert one({**GOOD, "id": ""}).samples[0].sample_id == "1"
    assert one({**GOOD, "id": False}).unreadable[0].field == "id"
    assert one({**GOOD, "session_id": ["x"]}).unreadable[0].field == "session_id"


def test_every_frame_of_a_session_without_usable_id_is_counted() -> None:
    session = {"session_id": {"x": 1}, "conversation": [{"assistant": "a", "ground_truth_assistant": "b"}] * 3}
    assert [r.field for r in read_text(json.dumps(session)).unreadable] == ["session_id"] * 3


def test_duplicate_ids_are_noticed_per_session_and_assistant() -> None:
    frames = [{**GOOD, "session_id": s, "model": m} for s in "xy" for m in "ab"]
    assert not read_text(lines(frames)).notices.counts
    twice = read_text(lines([*frames, frames[0]])).notices
    assert twice.examples["duplicate_sample_id"] == ["session 'x', sample '1'"]
    assert twice.counts == {"duplicate_sample_id": 1}  # cameras that take turns in one file are ordinary


def test_the_duplicate_check_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_watch, "MAX_CHECKED_IDS", 10)
    notices = read_text(lines([{**GOOD, "id": n % 15} for n in range(40)])).notices
    assert notices.counts == {"duplicate_check_stopped": 1}


def test_returning_sessions_are_noticed_once() -> None:
    session = {"session_id": "s", "conversation": [{"assistant": "a", "ground_truth_assistant": "b"}]}
    other = {**session, "session_id": "o"}
    for form in (json.dumps([session, session]), lines([session, other, session, session])):
        assert read_text(form).notices.counts == {"repeated_session": 1}
    compared = [{**session, "assistant_id": m} for m in "ab"]
    assert not read_text(json.dumps(compared)).notices.counts


def test_half_surrogates_in_every_form() -> None:
    for text in (
        '[{"answer": "x\\ud83d", "reference": "\\uDE00y", "note": "\\ud83d\\ude42"}]',
        '{"answer": "x\\ud83d", "reference": "\\uDE00y", "note": "\\ud83d\\ude42"}\n{"answer": "a", "reference": "b"}',
    ):
        result = read_text(text)
        assert (result.texts[0], result.samples[0].columns) == (("x\ufffd", ("\ufffdy",)), {"note": "🙂"})
        assert result.notices.counts == {"lone_surrogate": 2}


def test_messages_stay_on_one_line() -> None:
    frame = {"id": "x\ny", "answer": 3, "reference": "b", "session_id": "a\u2028b"}
    assert read_text(json.dumps([frame])).unreadable[0].reason.isprintable()
    odd = read_text(json.dumps([{**GOOD, "an\nswer": 1}]), mapping={"answer": "an\nswer"}).unreadable[0]
    assert odd.reason.isprintable()


def test_messages_are_kept_short() -> None:
    """A field to 200 characters, a reason to 1,000: both may repeat what a file holds."""
    whole = unreadable(1, None, "f" * 200, "r" * 1000)
    assert (whole.field, whole.reason) == ("f" * 200, "r" * 1000)
    cut = unreadable(1, None, "f" * 201, "r" * 1001)
    assert (cut.field, cut.reason) == ("f" * 200 + "…", "r" * 1000 + "…")
