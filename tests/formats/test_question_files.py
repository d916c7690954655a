"""Question and answer files: what each layout is taken for, and the samples that come out."""

from __future__ import annotations

import json

import pytest

from handler.errors import InputError
from handler.formats import Notices, ReadOptions, detect, open_records
from handler.formats.tasks import _joining, layout_of
from handler.formats.tasks._question_layouts import bare_layout
from handler.samples import BenchSample, SequenceSample, Unreadable, VqaSample, YesNoSample

POPE_QUESTION = {"question_id": 1, "image": "a.jpg", "text": "Is there a dog in the image?", "label": "yes"}
LLAVA = {
    "question_id": 1,
    "prompt": "Is there a dog?",
    "text": "Yes",
    "answer_id": "x",
    "model_id": "llava",
    "metadata": {},
}
PEOPLE = [{"answer": "red", "answer_id": n} for n in range(10)]
LMMS_POPE = {
    "doc_id": 3,
    "doc": {"question_id": "7", "question": "Is there a dog?", "answer": "no", "category": "adversarial"},
    "target": "no",
    "resps": [["No."]],
    "filtered_resps": ["No."],
}
LMMS_VQA = {
    "doc_id": 0,
    "doc": {
        "question_id": 9,
        "question": "Colour?",
        "question_type": "what",
        "answer_type": "other",
        "answers": PEOPLE,
    },
    "resps": [["red"]],
    "filtered_resps": [["Red"]],
}


def write(path, *records, as_list=False):
    text = json.dumps(list(records), indent=1) if as_list else "\n".join(json.dumps(one) for one in records)
    path.write_text(text)
    return str(path)


def read(path, **options):
    return list(open_records(path, ReadOptions(**options), Notices()))


@pytest.mark.parametrize(
    ("item", "name", "role"),
    [
        (POPE_QUESTION, "pope", "questions"),
        ({"question": "Is there a dog?", "answer": "Yes", "label": "yes"}, "pope", "answers"),
        (LLAVA, "llava", "answers"),
        (LMMS_POPE, "lmms-eval", "answers"),
        ({"question_id": 1, "answer": "red"}, "vqa", "answers"),
        ({"question_id": 1, "question_type": "what", "answers": PEOPLE}, "vqa", "references"),
        ({"q_id": "1_p", "gt_answer": "T", "model_answer": "T"}, "vlm2bench", "answers"),
        ({"q_id": "1_p", "gt_answer": "T", "image_seq_len": 2}, "vlm2bench", "questions"),
        ({"q_id": "1_p", "image_seq_len": 2}, "vlm2bench", "questions"),
        ({"sequence_id": "s", "coarse": "2", "fine": ["Yes"]}, "sequences", "answers"),
        ({"sequence_id": "s", "coarse": {"answer": "2"}, "fine": []}, "sequences", "questions"),
    ],
)
def test_layouts(item, name, role):
    layout = layout_of(item)
    assert (layout.name, layout.role) == (name, role)


@pytest.mark.parametrize(
    "item",
    [
        {"frame_id": "f", "caption": "A dog.", "label": "A dog runs."},
        {"session_id": "s", "conversation": []},
        {"text": "a", "human": "b"},
        {"question_id": 1, "text": "a dog"},
        {"data": {"text": "a dog"}},
        {"annotations": []},
        {"doc": {"page": 1}, "caption": "A dog.", "human": "A dog runs."},
        {"resps": [["A dog."]], "caption": "A dog.", "human": "A dog runs."},
        {"q_id": "1", "caption": "A dog.", "human": "A dog runs."},
        3,
    ],
)
def test_descriptions_are_no_answers(item):
    layout = layout_of(item)
    assert layout is None or layout.task is None


def test_an_id_and_a_text_are_no_answer_of_llava():
    assert bare_layout({"question_id": 1, "text": "a dog"}) is None
    assert bare_layout({"question_id": 1, "text": "a dog", "prompt": "What?"}).name == "llava"


@pytest.mark.parametrize("as_list", [False, True])
def test_llava_answers_join_pope_questions_in_lines_or_a_list(tmp_path, as_list):
    questions = write(
        tmp_path / "coco_pope_random.json", POPE_QUESTION, {**POPE_QUESTION, "question_id": 2}, as_list=as_list
    )
    answers = write(tmp_path / "a.jsonl", {**LLAVA, "question_id": "2"}, LLAVA, as_list=as_list)
    second, first = read(answers, questions=questions)
    assert isinstance(first, YesNoSample)
    assert (first.index, first.sample_id, first.answer, first.references) == (0, "1", "Yes", ("yes",))
    assert (first.session_id, first.assistant_id, second.index) == ("coco_pope_random", "llava", 1)
    assert detect(answers, ReadOptions(questions=questions)).format == "llava"


def test_answers_without_ids_are_joined_by_line_and_strange_questions_are_noted(tmp_path):
    questions = write(
        tmp_path / "q.json", POPE_QUESTION, {**POPE_QUESTION, "question_id": 2, "text": "Is there a cat?"}
    )
    answers = write(
        tmp_path / "a.json",
        {"question": POPE_QUESTION["text"], "answer": "Yes"},
        {"question": "Is there a bus?", "answer": "No"},
    )
    notices = Notices()
    samples = list(open_records(answers, ReadOptions(questions=questions), notices))
    assert [one.sample_id for one in samples] == ["1", "2"]
    assert notices.counts == {"question_differs": 1}


def test_what_has_no_counterpart_is_unreadable_or_skipped_as_asked(tmp_path):
    questions = write(tmp_path / "q.json", POPE_QUESTION, {**POPE_QUESTION, "question_id": 2})
    answers = write(tmp_path / "a.jsonl", {**LLAVA, "question_id": 5}, LLAVA)
    surplus, sample, unanswered = read(answers, questions=questions)
    assert isinstance(surplus, Unreadable)
    assert "'5' has no question" in surplus.reason
    assert isinstance(sample, YesNoSample)
    assert unanswered.reason == "question '2' has no answer"
    surplus, _, unanswered = read(answers, questions=questions, on_missing="skip")
    assert (surplus.references, surplus.index) == ((), 2)
    assert (unanswered.answer, unanswered.index) == (None, 1)


def test_a_broken_line_costs_that_line_only(tmp_path):
    questions = write(tmp_path / "q.json", POPE_QUESTION)
    path = tmp_path / "a.jsonl"
    path.write_text(f"{json.dumps(LLAVA)}\n{{broken\n")
    sample, broken = read(str(path), questions=questions)
    assert isinstance(sample, YesNoSample)
    assert broken.line == 2


def test_bytes_that_are_not_utf8_are_found_deep_in_answers(tmp_path):
    questions = write(tmp_path / "q.json", POPE_QUESTION)
    path = tmp_path / "a.jsonl"
    row = json.dumps(LLAVA).encode() + b"\n"
    path.write_bytes(row * 4_000 + b'{"text": "\xe9"}\n')
    with pytest.raises(InputError, match=rf"offset {len(row) * 4_000 + 10} \(line 4001\)"):
        read(str(path), questions=questions)


def test_a_broken_question_stops_the_run(tmp_path):
    answers = write(tmp_path / "a.jsonl", LLAVA)
    questions = write(tmp_path / "q.json", POPE_QUESTION, {"question_id": 2, "text": "?", "label": 3})
    with pytest.raises(InputError, match="label is a number") as caught:
        read(answers, questions=questions)
    assert caught.value.line == 2


def test_lmms_eval_samples(tmp_path):
    (sample,) = read(write(tmp_path / "pope.jsonl", LMMS_POPE))
    assert isinstance(sample, YesNoSample)
    assert (sample.session_id, sample.sample_id, sample.answer, sample.references) == (
        "adversarial",
        "7",
        "No.",
        ("no",),
    )
    (tmp_path / "old.json").write_text(json.dumps({"args": {"tasks": "pope"}, "logs": [LMMS_POPE]}, indent=2))
    assert read(str(tmp_path / "old.json"))[0].references == ("no",)
    (sample,) = read(write(tmp_path / "vqa.jsonl", LMMS_VQA))
    assert isinstance(sample, VqaSample)
    assert (sample.answer, len(sample.references), sample.question_type) == ("Red", 10, "what")


@pytest.mark.parametrize("first", ["info", "annotations"])
def test_vqa_documents_are_read_whatever_the_order_of_their_keys(tmp_path, first):
    annotation = {"question_id": 1, "question_type": "what", "answer_type": "other", "answers": PEOPLE}
    document = {"annotations": [annotation], "info": {"year": 2017}}
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps({first: document.pop(first), **document}, indent=1))
    (tmp_path / "questions.json").write_text(json.dumps({"questions": [{"question_id": 1, "question": "Colour?"}]}))
    results = write(tmp_path / "results.json", {"question_id": 1, "answer": "red"}, as_list=True)
    (sample,) = read(results, references=str(path), questions=str(tmp_path / "questions.json"))
    assert (sample.question, sample.answer_type, sample.session_id) == ("Colour?", "other", "annotations")
    assert len(set(sample.record_keys)) == 10


def test_vlm2bench_files(tmp_path):
    rows = [
        {"q_id": "tf_8_p", "gt_answer": "T", "model_answer": "T"},
        {"q_id": "gc_1", "gt_answer": "F", "model_answer": "F"},
        {"q_id": "c_1", "gt_answer": 3, "model_answer": "3", "image_seq_len": 4},
        {"q_id": "g_1", "gt_answer": "A) None", "model_answer": "A"},
    ]
    samples = read(write(tmp_path / "a.jsonl", *rows))
    assert all(isinstance(one, BenchSample) for one in samples)
    assert [one.kind for one in samples] == ["comparison", "matching", "counting", "grouping"]
    assert [(one.pair, one.half) for one in samples[:2]] == [("8", "p"), ("gc_1", "n")]
    assert samples[2].n_images == 4


@pytest.mark.parametrize("wanted", [True, 10**20, "9" * 5000])
def test_a_count_that_is_none_is_unreadable(tmp_path, wanted):
    rows = [{"q_id": f"c_{n}", "gt_answer": one, "model_answer": "3"} for n, one in enumerate([3, wanted])]
    good, bad = read(write(tmp_path / "a.jsonl", *rows))
    assert isinstance(good, BenchSample)
    assert (bad.field, bad.line) == ("gt_answer", 2)


def test_a_sequence_that_nothing_was_said_about_is_a_sample(tmp_path):
    sequence = {
        "task": "counting",
        "coarse": {"type": "count", "answer": 2},
        "fine": [{"question": "?", "answer": "no"}],
    }
    questions = write(tmp_path / "s.jsonl", {"sequence_id": "a", **sequence}, {"sequence_id": "b", **sequence})
    said, silent = read(
        write(tmp_path / "p.jsonl", {"sequence_id": "a", "coarse": 2, "fine": ["No"]}), questions=questions
    )
    assert isinstance(said, SequenceSample)
    assert (said.answer, said.references, said.fine_answers, said.fine_labels) == ("2", ("2",), ("No",), ("no",))
    assert (silent.sample_id, silent.answer) == ("b", None)


def test_a_format_asked_for_wins_over_what_the_content_shows(tmp_path):
    questions = write(tmp_path / "q.json", POPE_QUESTION)
    answers = write(tmp_path / "a.jsonl", {"question_id": 1, "answer": "Yes", "label": "no"})
    assert detect(answers).format == "pope"
    (sample,) = read(answers, format="pope", questions=questions)
    assert sample.references == ("yes",)
    (sample,) = read(answers, format="jsonl")
    assert type(sample).__name__ == "Sample"


def test_more_questions_than_are_held_in_memory_are_refused(tmp_path, monkeypatch):
    questions = write(tmp_path / "q.json", POPE_QUESTION, {**POPE_QUESTION, "question_id": 2})
    monkeypatch.setattr(_joining, "MAX_JOINED", 2)
    assert len(read(write(tmp_path / "a.jsonl", LLAVA), questions=questions)) == 2
    monkeypatch.setattr(_joining, "MAX_JOINED", 1)
    with pytest.raises(InputError, match="more than 1 entries"):
        read(write(tmp_path / "a.jsonl", LLAVA), questions=questions)
