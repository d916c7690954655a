"""Files that do not go together, and entries that are not what their file is: each refused in words of its own."""

from __future__ import annotations

import json

import pytest

from handler.errors import InputError, RequestError
from handler.formats import Notices, ReadOptions, open_records, plan_items, plan_of, read_items
from handler.formats.tasks import read_plan
from handler.formats.tasks._ranked import judgements
from handler.samples import Unreadable

QUESTION = {"question_id": 1, "image": "a.jpg", "text": "Is there a dog?", "label": "yes"}
ANSWER = {"question_id": 1, "answer": "red"}
ANNOTATION = {"question_id": 1, "question_type": "what", "answers": [{"answer": "red"}]}
COARSE = {"type": "count", "question": "How many?", "answer": "2"}
SEQUENCE = {"sequence_id": "s", "coarse": COARSE, "fine": [{"question": "q", "answer": "yes"}]}
SAID = {"sequence_id": "s", "coarse": "2", "fine": ["Yes"]}
CAPTION = {"image_id": 7, "caption": "a dog"}


def write(folder, **files):
    """One file per name; JSON Lines of a list, else text."""
    found = {}
    for name, content in files.items():
        (folder / name).write_text(content if isinstance(content, str) else "\n".join(map(json.dumps, content)) + "\n")
        found[name] = str(folder / name)
    return found


def read(folder, answers, notices=None, **others):
    options = {name: others.pop(name) for name in list(others) if name not in ("questions", "references")}
    files = write(folder, input=answers, **others)
    options |= {name: files[name] for name in others}
    return list(open_records(files["input"], ReadOptions(**options), notices or Notices()))


@pytest.mark.parametrize(
    ("answers", "others", "words"),
    [
        ([{"a": 1}], {"questions": [QUESTION]}, "nothing here looks like what belongs to questions, which holds"),
        ([{"a": 1}], {"questions": [{"b": 2}]}, "nothing here looks like what belongs to questions"),
        ([QUESTION], {}, "this file holds questions, no answers"),
        ([QUESTION], {"references": [ANNOTATION]}, "this file holds questions, no answers"),
        ([ANSWER], {"questions": [ANSWER]}, "the questions file holds answers"),
        ([ANSWER], {"questions": [{"b": 2}]}, "holds nothing that answers can be joined with"),
        ([ANSWER], {"questions": [ANNOTATION], "references": [ANNOTATION]}, "two files hold references"),
        ([ANSWER], {"questions": [QUESTION], "references": [ANNOTATION]}, "the files do not belong together"),
        ([ANSWER], {}, "these are answers without their questions"),
        (
            [ANSWER],
            {"questions": '{"questions": [{"question_id": 1, "question": "Colour?"}]}'},
            "Add --references FILE",
        ),
        ([SAID], {}, "Add --questions FILE"),
        ([ANSWER], {"references": "\n"}, "the file is empty"),
    ],
)
def test_files_that_do_not_go_together(tmp_path, answers, others, words):
    with pytest.raises(InputError) as caught:
        read(tmp_path, answers, **others)
    assert words in f"{caught.value} {caught.value.hint}"


def test_one_file_is_not_two(tmp_path):
    files = write(tmp_path, input=[ANSWER])
    with pytest.raises(InputError, match="the same file is given as input and as questions"):
        plan_of([files["input"]], ReadOptions(questions=files["input"]))
    with pytest.raises(InputError, match="this is a folder"):
        plan_of([files["input"]], ReadOptions(questions=str(tmp_path)))


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a": [ANSWER], "b": [ANNOTATION], "c": [ANNOTATION]}, "two files hold references"),
        ({"a": [ANSWER], "b": [ANNOTATION], "c": [{"x": 1}]}, "this file holds no answers, and others here do"),
        ({"b": [ANNOTATION], "c": [QUESTION]}, "no file here holds answers"),
    ],
)
def test_folders_of_what_does_not_go_together(tmp_path, files, words):
    with pytest.raises(InputError, match=words):
        plan_of(list(write(tmp_path, **files).values()), ReadOptions())


def test_a_folder_with_the_references_among_the_answers(tmp_path):
    files = write(tmp_path, a=[ANSWER], b=[ANNOTATION], c="\n", d=[{"question_id": 2, "answer": "blue"}])
    plan = plan_of(list(files.values()), ReadOptions())
    assert (plan.answers, plan.references) == ((files["a"], files["d"]), files["b"])


def test_a_format_asked_for_takes_the_task_of_what_it_finds(tmp_path):
    [one] = read(tmp_path, [{"question_id": 1, "text": "Yes"}], format="pope", references=[QUESTION])
    assert (one.answer, one.references) == ("Yes", ("yes",))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"coarse": "2", "task": "t"}, "not an object with question, type and answer"),
        ({"fine": "yes"}, "fine is text, not a list of questions"),
        ({"coarse": {**COARSE, "type": "sum"}}, "use one of count, mcq, tf, text"),
        ({"coarse": {"type": "count"}}, "coarse.answer is missing"),
        ({"fine": [{"answer": "perhaps"}]}, "fine[0].answer is 'perhaps', not yes or no"),
        ({"fine": [None]}, "fine[0].answer is None, not yes or no"),
    ],
)
def test_sequences_that_are_none(tmp_path, change, words):
    with pytest.raises(InputError) as caught:
        read(tmp_path, [SAID], questions=[SEQUENCE, {**SEQUENCE, "sequence_id": "t", **change}])
    assert (caught.value.line, words in str(caught.value)) == (2, True), str(caught.value)


def test_answers_about_sequences_need_the_questions_and_may_lack_parts(tmp_path):
    with pytest.raises(RequestError, match="need their questions"):
        read(tmp_path, [SAID], format="sequences")
    both = [SEQUENCE, {**SEQUENCE, "sequence_id": "t"}]
    silent, wrong = read(tmp_path, [{**SAID, "fine": None}, {**SAID, "sequence_id": "t", "coarse": []}], questions=both)
    assert (silent.fine_answers, silent.fine_labels) == ((), ("yes",))
    assert "not text (sequence 't')" in wrong.reason


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"answers": "red"}, "answers", "not a list"),
        ({"answers": [{"answer": 3}]}, "answers[0]", "not text"),
        ({"answers": []}, "answers", "is missing or empty"),
    ],
)
def test_answers_of_people_that_are_none(tmp_path, change, field, words):
    with pytest.raises(InputError) as caught:
        read(tmp_path, [ANSWER], references=[ANNOTATION, {**ANNOTATION, "question_id": 2, **change}])
    assert (caught.value.field, caught.value.line, words in str(caught.value)) == (field, 2, True)


def test_one_label_stands_for_people(tmp_path):
    only = {"question_id": 1, "question_type": "what", "answers": [], "multiple_choice_answer": "red"}
    one = read(tmp_path, [ANSWER], references=[ANNOTATION | {"question_id": 2}, only])[0]
    assert (one.answer, one.references) == ("red", ("red",))


def test_answers_beside_those_of_people(tmp_path):
    beside = {**ANSWER, "answers": [{"answer": "red"}]}
    rows = [beside, beside, {**ANSWER, "answers": None}, {**ANSWER, "answers": "red"}]
    people, _, none, text = read(tmp_path, rows, format="vqa")
    assert people.references == ("red",)
    assert none.reason == "reference is missing (sample '1')"
    assert (text.field, text.reason) == ("answers", "answers is text, not a list")


def test_answers_beside_labels(tmp_path):
    labelled = {"question_id": 1, "question": "A dog?", "answer": "Yes", "label": "yes"}
    whole, number, odd, count = read(
        tmp_path,
        [
            {**labelled, "split": "random"},
            {**labelled, "label": 7},
            {**labelled, "answer": ["Yes"]},
            {**labelled, "answer": 2},
        ],
    )
    assert (whole.references, whole.session_id, count.session_id) == (("yes",), "random", "input")
    assert ("not yes or no" in number.reason, odd.field, count.answer) == (True, "answer", "2")


@pytest.mark.parametrize(
    ("references", "words"),
    [
        ([CAPTION, {"image_id": 7}], "caption is missing"),
        ([CAPTION, {"image_id": None, "caption": "x"}], "image_id is missing"),
        ([CAPTION, {"image_id": 8, "references": ["x", None]}], "references[1] is missing"),
        ([CAPTION, {"image_id": 8, "caption": 3}], "not text"),
        (json.dumps(CAPTION) + '\n{"image_id": \n', "JSON"),
        ('{"images": [{"id": 7, "file_name": "7.jpg"}], "annotations": []}', "there is no caption in this file"),
    ],
)
def test_reference_captions_that_are_none(tmp_path, references, words):
    with pytest.raises(InputError) as caught:
        read(tmp_path, [CAPTION], references=references, format="coco-captions")
    assert words in str(caught.value)


def test_captions_take_their_pictures_from_where_they_are_named(tmp_path):
    images = '{"images": [{"id": 7, "file_name": "7.jpg"}, {"id": 8}], '
    [one] = read(tmp_path, [CAPTION], references=images + '"annotations": [{"image_id": 7, "caption": "A dog."}]}')
    assert one.image == "7.jpg"
    several = [{"image_id": 7, "references": ["A dog.", {"caption": "A cat."}], "image": "b.jpg"}]
    [one] = read(tmp_path, [CAPTION], references=several, format="coco-captions")
    assert (one.references, one.image) == (("A dog.", "A cat."), "b.jpg")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"ranked": {"d1", "d2"}}, "is a set, which has no order"),
        ({"ranked": [{"doc_id": "d1", "score": 1}, {"doc_id": "d2"}]}, "has scores for 1 of 2 documents"),
        ({"ranked": [{"doc_id": "d1"}, {"name": "d2"}]}, "has no doc_id"),
    ],
)
def test_rankings_that_are_none(row, words):
    item = {"query_id": "1", "relevant": ["d1"], **row}
    plan = plan_items({"query_id": "1", "relevant": ["d1"], "ranked": ["d1"]}, ReadOptions())
    [one] = read_items(plan, [item], ReadOptions(), Notices())
    assert isinstance(one, Unreadable)
    assert words in one.reason


@pytest.mark.parametrize(
    ("qrels", "words"),
    [
        ([{"query_id": 1, "doc_id": "d1"}], "relevance is missing"),
        (
            [{"query_id": 1, "doc_id": "d1", "relevance": 1}, {"query_id": 1, "doc_id": "d1", "relevance": 2}],
            "two grades",
        ),
    ],
)
def test_judgements_that_are_none(tmp_path, qrels, words):
    with pytest.raises(InputError, match=words):
        read(tmp_path, "1 Q0 d1 1 0.5 run\n", references=qrels)


def test_nothing_relevant_is_a_judgement(tmp_path):
    [one] = read(tmp_path, '{"query_id": 1, "ranked": ["d1"]}', references='{"1": null}')
    assert one.relevant == {}


@pytest.mark.parametrize(
    ("info", "words"),
    [
        ([{"prompt_en": "a", "dimension": ["color"]}, {"prompt_en": " "}], "prompt is missing"),
        ([{"prompt_en": "a", "dimension": ["color"]}, {"prompt_en": "b", "dimension": [3]}], "not a text or a list"),
        ([{"prompt_en": "a", "dimension": ["color"]}, {"prompt_en": "b", "auxiliary_info": 3}], "not an object"),
    ],
)
def test_full_info_files_that_are_none(tmp_path, info, words):
    (tmp_path / "a-0.mp4").write_bytes(b"")
    (tmp_path / "info.json").write_text(json.dumps(info))
    options = ReadOptions(questions=str(tmp_path / "info.json"))
    plan = plan_of([str(tmp_path / "a-0.mp4")], options)
    with pytest.raises(InputError) as caught:
        list(read_plan(plan, [(str(tmp_path / "a-0.mp4"), None)], options, Notices()))
    assert words in str(caught.value)


def test_queries_may_have_any_name():
    named = list(judgements({"relevant": ["d1"], "q2": ["d2"]}, {}, 7))
    assert [(one.query, one.document, one.grade) for one in named] == [("relevant", "d1", 1), ("q2", "d2", 1)]
    assert [one.query for one in judgements({"relevant": ["d1"]}, {}, 7)] == ["7"]
