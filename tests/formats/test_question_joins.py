"""Answers and questions joined by id: ids that come twice, ids that are missing, answers of the wrong type."""

from __future__ import annotations

import json
import uuid

import pytest

from handler import storage
from handler.errors import InputError
from handler.formats import Notices, ReadOptions, open_records
from handler.samples import SequenceSample, Unreadable, YesNoSample
from handler.storage import NotFoundError
from tests.s3_fixtures import BUCKET


def write(path, *records):
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return str(path)


def read(path, notices=None, **options):
    return list(open_records(path, ReadOptions(**options), notices or Notices()))


def question(number, label="yes", **fields):
    return {"question_id": number, "text": f"Is there a dog in image {number}?", "label": label, **fields}


def sequence(name, answer="2"):
    return {
        "sequence_id": name,
        "coarse": {"type": "count", "answer": answer},
        "fine": [{"question": "?", "answer": "no"}],
    }


def answer(number, text="Yes"):
    return {"question_id": number, "text": text, "model_id": "m"}


@pytest.fixture
def answers(tmp_path):
    return write(tmp_path / "answers.jsonl", answer(3, "No"), answer(2), answer(1, "yes"))


def test_an_id_that_stands_for_two_questions_is_refused(tmp_path, answers):
    questions = write(tmp_path / "q.json", question(1), question(2), question(3), question(1, "no"))
    with pytest.raises(InputError, match=r"id '1' .*entries 1 \(line 1\) and 4 \(line 4\)") as caught:
        read(answers, questions=questions)
    assert caught.value.line == 4
    by_line = read(answers, questions=questions, as_original=True)
    assert [one.sample_id for one in by_line] == ["1", "2", "3", "1"]


def test_a_question_that_comes_twice_counts_once(tmp_path, answers):
    notices = Notices()
    questions = write(tmp_path / "q.json", question(1), question(2), question(3, "no"), question(1))
    samples = read(answers, notices, questions=questions)
    assert [(one.sample_id, one.index, one.answer) for one in samples] == [
        ("3", 2, "No"),
        ("2", 1, "Yes"),
        ("1", 0, "yes"),
    ]
    assert notices.counts == {"duplicate_question": 1}


def test_a_question_without_an_id_does_not_change_how_the_others_are_joined(tmp_path, answers):
    notices = Notices()
    nameless = {key: value for key, value in question(9).items() if key != "question_id"}
    questions = write(tmp_path / "q.json", question(1), nameless, question(2), question(3, "no"))
    *samples, problem = read(answers, notices, questions=questions)
    assert [(one.sample_id, one.index) for one in samples] == [("3", 3), ("2", 2), ("1", 0)]
    assert isinstance(problem, Unreadable)
    assert problem.reason.startswith("question 2 has no id")
    assert notices.counts == {"question_without_id": 1}


def test_an_answer_without_an_id_does_not_change_how_the_others_are_joined(tmp_path):
    questions = write(tmp_path / "q.json", question(1), question(2))
    bare = {"text": "Yes", "model_id": "m", "question_id": None}
    first, second, third, unanswered = read(
        write(tmp_path / "a.jsonl", bare, answer(2), {"question_id": ""} | bare), questions=questions
    )
    assert (first.field, third.field) == ("question_id", "question_id")
    assert isinstance(second, YesNoSample)
    assert second.sample_id == "2"
    assert unanswered.reason == "question '1' has no answer"


@pytest.mark.parametrize(("without", "n"), [("questions", 2), ("answers", 2)])
def test_lines_count_where_one_side_has_no_ids_at_all(tmp_path, without, n):
    asked, said = [question(1), question(2)], [answer(2), answer(1)]
    for one in {"questions": asked, "answers": said}[without]:
        del one["question_id"]
    said = [{"prompt": "?", **one} for one in said] if without == "answers" else said
    samples = read(write(tmp_path / "a.jsonl", *said), questions=write(tmp_path / "q.json", *asked), format="pope")
    assert [one.index for one in samples] == list(range(n))


def test_vqa_annotations_with_one_id_are_refused_or_kept_once(tmp_path):
    def annotation(word):
        return {"question_id": 1, "answers": [{"answer": word, "answer_id": n} for n in range(10)]}

    results = write(tmp_path / "r.jsonl", {"question_id": 1, "answer": "red"})
    assert len(read(results, references=write(tmp_path / "a.jsonl", annotation("red"), annotation("red")))) == 1
    with pytest.raises(InputError, match="two different things"):
        read(results, references=write(tmp_path / "a.jsonl", annotation("red"), annotation("blue")))


def test_a_sequence_that_comes_twice_is_not_one_without_an_answer(tmp_path):
    predictions = write(tmp_path / "p.jsonl", {"sequence_id": "s", "coarse": "2", "fine": ["No"]})
    (sample,) = read(predictions, questions=write(tmp_path / "s.jsonl", sequence("s"), sequence("s")))
    assert isinstance(sample, SequenceSample)
    assert sample.answer == "2"
    with pytest.raises(InputError, match="two different things"):
        read(predictions, questions=write(tmp_path / "s.jsonl", sequence("s"), sequence("s", "3")))


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"coarse": "2", "fine": [True]}, "fine[0]"),
        ({"coarse": "2", "fine": ["no", {"answer": "no"}]}, "fine[1]"),
        ({"coarse": "2", "fine": "no"}, "fine"),
        ({"coarse": True, "fine": ["no"]}, "coarse"),
        ({"coarse": {"answer": "2"}, "fine": ["no"]}, "coarse"),
    ],
)
def test_a_sequence_answer_of_a_wrong_type_is_unreadable(tmp_path, said, field):
    questions = write(tmp_path / "s.jsonl", sequence("r"), sequence("s"))
    predictions = [{"sequence_id": "r", "coarse": 2, "fine": [None]}, {"sequence_id": "s", **said}]
    good, bad = read(write(tmp_path / "p.jsonl", *predictions), questions=questions)
    assert good.fine_answers == (None,)
    assert (bad.field, bad.line) == (field, 2)
    assert "(sequence 's')" in bad.reason


def test_an_odd_first_entry_does_not_speak_for_the_file(tmp_path, answers):
    odd = write(tmp_path / "q.json", question(1, "maybe"), question(2), question(3, "no"))
    assert [one.references for one in read(answers, questions=odd)] == [("no",), ("yes",), ("maybe",)]
    broken = write(tmp_path / "q.json", question(1, 3), question(2), question(3, "no"))
    with pytest.raises(InputError, match="label is a number") as caught:
        read(answers, questions=broken)
    assert (caught.value.line, caught.value.field) == (1, "label")


@pytest.mark.parametrize("indent", [None, 1])
def test_a_first_annotation_without_answers_is_named(tmp_path, indent):
    annotations = [
        {"question_id": n, "answers": [{"answer": "red", "answer_id": k} for k in range(10)] if n else []}
        for n in range(3)
    ]
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps({"annotations": annotations}, indent=indent))
    results = write(tmp_path / "r.jsonl", *({"question_id": n, "answer": "red"} for n in range(3)))
    with pytest.raises(InputError, match="answers is missing or empty") as caught:
        read(results, references=str(path))
    assert caught.value.field == "answers"
    assert caught.value.line == (1 if indent is None else 3)


def test_one_label_that_looks_like_yes_makes_no_question_file_of_descriptions(tmp_path):
    texts = ["a dog", "a cat", "yes", "a bus"]
    path = write(tmp_path / "frames.jsonl", *({"answer": one, "label": one} for one in texts))
    assert not any(isinstance(one, YesNoSample) for one in read(path, mapping={"references": "label"}))


@pytest.mark.parametrize("name", ["folder", "folder/"])
@pytest.mark.parametrize("options", [{}, {"format": "pope"}])
def test_a_folder_of_questions_is_refused_in_words(tmp_path, answers, name, options):
    (tmp_path / "folder").mkdir()
    write(tmp_path / "folder" / "q.json", question(1))
    with pytest.raises(InputError, match="this is a folder") as caught:
        read(answers, questions=f"{tmp_path}/{name}", **options)
    assert "--questions" in str(caught.value.hint)


def test_a_prefix_of_questions_is_refused_in_words(moto_server, use, answers):
    use(moto_server)
    prefix = f"s3://{BUCKET}/questions-{uuid.uuid4().hex}"
    storage.write_bytes(f"{prefix}/q.json", json.dumps(question(1)).encode())
    for location in (prefix, f"{prefix}/"):
        with pytest.raises(InputError, match="this is a folder"):
            read(answers, questions=location)
    with pytest.raises(NotFoundError, match="no such object"):
        read(answers, questions=f"{prefix}/missing.json")
