"""Files of a judge's grades and people's: tables, objects, and the samples that come out."""

from __future__ import annotations

import pytest
from judge_files import lines, read, samples

from handler import evaluate
from handler.errors import InputError
from handler.formats import Notices
from handler.samples import JudgedSample, Unreadable


def test_a_csv_table_is_all_text(tmp_path):
    header = "item_id,criterion,judge_score,human_1,human_2,length,camera"
    table = f"{header}\n7,clarity, 4 ,5,3/5,120,north\n8,clarity,2,,1,80,south\n"
    one, other = samples(tmp_path / "grades.csv", table)
    assert (one.sample_id, one.session_id, one.grade, one.people, one.lengths) == (
        "7",
        "clarity",
        4.0,
        (5.0, 3.0),
        (120.0,),
    )
    assert (one.answer, one.references) == ("4", ("mean 4 (of 5, 3)",))
    assert one.columns == {"length": "120", "camera": "north"}
    assert (other.people, other.references, other.line) == ((None, 1.0), ("1",), 3)


def test_json_lines_of_pairs_in_both_orders(tmp_path):
    record = {
        "index": 0, "scenario": "chat", "label": 1, "len_response_1": 158, "len_response_2": 118, "judge": 0,
        "judge_exchanged_order": 1,
    }  # fmt: skip
    (found,) = samples(tmp_path / "pairs.jsonl", lines(record))
    assert (found.grade, found.people, found.swapped, found.lengths) == (0.0, (1.0,), 1.0, (158.0, 118.0))
    assert (found.session_id, found.sample_id, found.columns["scenario"]) == ("pairs", "0", "chat")


@pytest.mark.parametrize(
    ("record", "grade", "people"),
    [
        ({"judge": "good", "human": ["good", "bad", None]}, "good", ("good", "bad", None)),
        ({"judge": "[[4]]", "ratings": [4, "5"]}, 4.0, (4.0, 5.0)),
        ({"llm_grade": True, "expert": "true"}, "true", ("true",)),
        ({"model_grade": "A", "rater_ann": "A", "rater_bob": "B"}, "A", ("A", "B")),
        ({"judge_label": "x", "human": {"ann": "x", "bob": "y"}}, "x", ("x", "y")),
        ({"judge": 3, "annotator_1": 3, "annotator_2": 4, "annotator_id": 99}, 3.0, (3.0, 4.0)),
        ({"judge": "a", "human_label": "b", "human_comment": "c"}, "a", ("b",)),
        ({"judge": "x", "human": "z", "rater_ann": "x", "rater_bob": "y"}, "x", ("x", "y")),
        ({"judge": "x", "human": "z", "rater_ann": "y"}, "x", ("z",)),
    ],
)
def test_usual_names(tmp_path, record, grade, people):
    (found,) = samples(tmp_path / "x.json", [record], format="judge")
    assert (found.grade, found.people) == (grade, people)


def test_a_list_of_people_in_a_cell(tmp_path):
    found = samples(tmp_path / "x.csv", 'judge,human\n4,"[4, 5, null]"\n[[3]],[[3]]\n')
    assert [(one.grade, one.people) for one in found] == [(4.0, (4.0, 5.0, None)), (3.0, (3.0,))]


@pytest.mark.parametrize(
    ("people", "words"),
    [
        (["good", "bad", "Bad"], ("bad (of good, bad, Bad)",)),
        (["good", "bad"], ("tied (good, bad)",)),
        ([3, 4, 4], ("mean 3.67 (of 3, 4, 4)",)),
        ([1, None], ("1",)),
        (["a"] * 13, ("a",)),
        (["b", *"a" * 12], (f"a (of b, {', '.join('a' * 11)}, … 13 in all)",)),
    ],
)
def test_what_people_come_to_is_what_is_shown(tmp_path, people, words):
    (found,) = samples(tmp_path / "x.jsonl", lines({"judge": "a", "human": people}))
    assert found.references == words


def test_the_worst_items_show_what_people_come_to():
    report = evaluate([{"judge": "good", "human": ["good", "bad", "bad"]}])
    (worst,) = report["metrics"]["judge.agreement"]["worst"]
    assert (worst["answer"], worst["references"]) == ("good", ["bad (of good, bad, bad)"])


def test_decimal_commas_and_percents_are_numbers(tmp_path):
    notices = Notices()
    found = samples(tmp_path / "x.csv", "id;judge;human\n1;3,5;4,0\n2;2;2,25\n", notices)
    assert [(one.grade, one.people) for one in found] == [(3.5, (4.0,)), (2.0, (2.25,))]
    assert notices.counts == {"decimal_comma": 3}
    assert "'3,5' in judge" in notices.examples["decimal_comma"]
    notices = Notices()
    found = samples(tmp_path / "y.csv", "id,judge,human\n1,80%,60 %\n", notices)
    assert [(one.grade, one.people, notices.counts) for one in found] == [(80.0, (60.0,), {})]


def test_items_without_ids_are_numbered(tmp_path):
    notices = Notices()
    rows = [{"judge": "a", "human": "b"}] * 3
    assert [one.sample_id for one in samples(tmp_path / "x.jsonl", lines(*rows), notices)] == ["1", "2", "3"]
    report = evaluate(rows)
    assert [one["sample_id"] for one in report["metrics"]["judge.agreement"]["worst"]] == ["1", "2", "3"]
    assert "duplicate_sample_id" not in {*notices.counts, *(one["code"] for one in report["warnings"])}


def test_ids_that_come_twice_are_noticed(tmp_path):
    notices = Notices()
    samples(tmp_path / "x.jsonl", lines(*[{"id": 7, "judge": "a", "human": "b"}] * 2), notices)
    assert notices.counts == {"duplicate_sample_id": 1}


def test_mapped_columns_win(tmp_path):
    record = {"judge": 1, "human": 2, "mine": 3, "p": 4, "q": 5, "about": "tone", "key": "k9", "who": "gpt"}
    mapping = {"answer": "mine", "references": "p,q", "session_id": "about", "sample_id": "key", "assistant_id": "who"}
    (found,) = samples(tmp_path / "x.json", [record], mapping=mapping)
    assert (found.grade, found.people) == (3.0, (4.0, 5.0))
    assert (found.session_id, found.sample_id, found.assistant_id) == ("tone", "k9", "gpt")


def test_lengths_of_the_texts_themselves(tmp_path):
    pair = {"judge": "A", "human": "B", "response 1": "four", "response 2": "fourteen"}
    single = {"judge": 2, "human": 3, "response": "four"}
    assert [one.lengths for one in samples(tmp_path / "x.jsonl", lines(pair, single))] == [(4.0, 8.0), (4.0,)]


def test_missing_grades_are_unreadable_unless_skipped(tmp_path):
    text = lines({"judge": 1, "human": 1}, {"judge": None, "human": 1}, {"judge": 1, "human": [None, ""]})
    found = read(tmp_path / "x.jsonl", text)
    assert [type(one) for one in found] == [JudgedSample, Unreadable, Unreadable]
    assert "the judge's grade" in found[1].reason
    assert "people's grades" in found[2].reason
    kept = samples(tmp_path / "x.jsonl", text, on_missing="skip")
    assert [(one.index, one.answer, one.references) for one in kept] == [
        (0, "1", ("1",)),
        (1, None, ("1",)),
        (2, "1", ()),
    ]


def test_a_column_that_nothing_names_is_asked_for(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("judge_score,wisdom,human_comment\n1,2,fine\n")
    with pytest.raises(InputError, match="--map references=COLUMN"):
        evaluate(path, format="judge")


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"judge": [1, 2], "human": 1}, "a list, not a number or a label"),
        ({"judge": "x" * 201, "human": 1}, "201 characters"),
        ({"judge": 1, "human": 1e300}, "is beyond"),
        ({"judge": 1, "human": 1, "length": "long"}, "not a length"),
        ({"judge": "4/10", "human": "4/5"}, "out of"),
    ],
)
def test_what_is_no_grade(tmp_path, record, reason):
    good = {"judge": 1, "human": 1}
    found = read(tmp_path / "x.jsonl", lines(good, record, good))
    assert reason in found[1].reason
    assert [one.index for one in (found[0], found[2])] == [0, 1]
