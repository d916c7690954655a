"""COCO captions as files: results and annotations, LLaVA's answers, whole records; what is missing, odd or wrong."""

from __future__ import annotations

import json

import pytest

from handler import evaluate
from handler.errors import InputError
from handler.formats import Notices, ReadOptions, open_records
from handler.formats.tasks import _captions
from handler.samples import CaptionSample

PEOPLE = [(7, "A red bus."), (3, "Two dogs play."), (7, "A bus in the street"), (9, "A blue car")]


def write(path, value):
    path.write_text(json.dumps(value))
    return str(path)


def lines(path, *values):
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return str(path)


def annotation(number, image, caption):
    return {"image_id": image, "id": number, "caption": caption}


def result(image_id, caption, **fields):
    return {"image_id": image_id, "caption": caption, **fields}


@pytest.fixture
def annotations(tmp_path):
    """Three pictures with captions and one without; two have a file name."""
    return write(
        tmp_path / "captions_val.json",
        {
            "info": {"year": 2017},
            "licenses": [],
            "images": [
                {"id": 3, "file_name": "000003.jpg", "height": 480},
                {"id": 7, "file_name": "000007.jpg"},
                {"id": 11, "file_name": "000011.jpg"},
            ],
            "annotations": [annotation(number, *one) for number, one in enumerate(PEOPLE)],
        },
    )


def read(path, notices=None, **options):
    return list(open_records(path, ReadOptions(**options), notices or Notices()))


def test_results_are_joined_by_image_and_references_keep_their_order(tmp_path, annotations):
    results = write(tmp_path / "results.json", [result(9, "a car"), result(7, "a bus"), result(3, "dogs")])
    samples = read(results, references=annotations)
    assert all(isinstance(one, CaptionSample) for one in samples)
    assert [(one.sample_id, one.answer, one.references, one.image) for one in samples] == [
        ("9", "a car", ("A blue car",), None),
        ("7", "a bus", ("A red bus.", "A bus in the street"), "000007.jpg"),
        ("3", "dogs", ("Two dogs play.",), "000003.jpg"),
    ]
    assert [one.index for one in samples] == [2, 0, 1]


def test_ids_as_text_are_the_same_ids(tmp_path, annotations):
    results = write(tmp_path / "results.json", [result("7", "a bus"), result("3", "dogs"), result("9", "a car")])
    assert [one.references[0] for one in read(results, references=annotations)] == [
        "A red bus.", "Two dogs play.", "A blue car",
    ]  # fmt: skip


def test_answers_as_llava_writes_them(tmp_path, annotations):
    answers = lines(
        tmp_path / "answers.jsonl",
        *(
            {"question_id": n, "image_id": image, "prompt": "Describe.", "text": "a bus", "model_id": "m"}
            for n, image in enumerate((3, 7, 9))
        ),
    )
    samples = read(answers, references=annotations)
    assert [(one.sample_id, one.answer, one.assistant_id) for one in samples] == [
        (image, "a bus", "m") for image in ("3", "7", "9")
    ]
    assert samples[0].columns == {"question": "Describe."}
    assert samples[1].line == 2


@pytest.mark.parametrize("key", ["references", "captions"])
def test_records_that_hold_everything(tmp_path, key):
    records = lines(
        tmp_path / "all.jsonl",
        result(1, "a dog", image="s3://bucket/dog.jpg", **{key: ["The dog", "A dog."]}),
        result("x", "", **{key: ["A cat"]}),
        result(2, "a", **{key: [{"caption": "A b"}]}),
    )
    samples = read(records)
    assert [(one.sample_id, one.answer, one.references, one.image) for one in samples] == [
        ("1", "a dog", ("The dog", "A dog."), "s3://bucket/dog.jpg"),
        ("x", "", ("A cat",), None),
        ("2", "a", ("A b",), None),
    ]


def test_results_name_the_picture_before_annotations_do(tmp_path, annotations):
    results = write(tmp_path / "results.json", [result(7, "a bus", image="mine/7.png")])
    assert read(results, references=annotations)[0].image == "mine/7.png"


def test_a_picture_without_a_caption_is_a_sample_without_an_answer(tmp_path, annotations):
    notices = Notices()
    results = write(tmp_path / "results.json", [result(7, "a bus"), result(9, None)])
    samples = read(results, notices, references=annotations)
    assert [(one.sample_id, one.answer) for one in samples] == [("7", "a bus"), ("9", None), ("3", None)]
    assert notices.counts["unanswered_question"] == 1


def test_a_caption_of_a_picture_nobody_described_is_a_sample_without_references(tmp_path, annotations):
    notices = Notices()
    results = write(tmp_path / "results.json", [result(n, "a bus") for n in (7, 3, 9, 11, 404)])
    samples = read(results, notices, references=annotations)
    assert [(one.sample_id, one.references) for one in samples[3:]] == [("11", ()), ("404", ())]
    assert notices.counts["answer_without_question"] == 2


def test_two_captions_of_a_picture_are_both_read(tmp_path, annotations):
    notices = Notices()
    results = write(tmp_path / "results.json", [result(7, "a bus"), result(3, "b"), result(9, "c"), result(7, "d")])
    assert [one.answer for one in read(results, notices, references=annotations)] == ["a bus", "b", "c", "d"]
    assert notices.counts["duplicate_sample_id"] == 1


def test_everything_at_once_is_reported_and_never_a_crash(tmp_path, annotations):
    results = write(
        tmp_path / "results.json", [result(7, ""), result(7, "a bus"), result("404", "x"), result(9, "...")]
    )
    report = evaluate(results, references=annotations, metrics=["captions.ngram"])
    found = report["metrics"]["captions.ngram"]["overall"]
    assert (found["n_scored"], found["skipped"]) == (3, {"missing_answer": 1, "missing_reference": 1})
    assert found["n_images"] == 2
    assert {one["code"]: one["count"] for one in report["warnings"]}.items() >= {
        ("duplicate_sample_id", 1),
        ("empty_answer", 2),
        ("answer_without_question", 1),
        ("unanswered_question", 1),
    }


def test_files_given_the_wrong_way_round(tmp_path, annotations):
    results = write(tmp_path / "results.json", [result(7, "a bus"), result(3, "b"), result(9, "c")])
    assert [one.answer for one in read(annotations, references=results)] == ["a bus", "b", "c"]


def test_map_names_other_keys(tmp_path, annotations):
    results = lines(tmp_path / "r.jsonl", {"pic": 7, "said": "a bus"}, {"pic": 3, "said": "b"})
    samples = read(
        results,
        references=annotations,
        format="coco-captions",
        mapping={"sample_id": "pic", "answer": "said"},
    )
    assert [(one.sample_id, one.answer) for one in samples[:2]] == [("7", "a bus"), ("3", "b")]


@pytest.mark.parametrize(
    ("entry", "match"),
    [
        ({"image_id": 1, "id": 5}, "caption is missing"),
        ({"id": 5, "caption": "a"}, "image_id is missing"),
        ({"image_id": 1, "caption": 5}, r"caption is a number \(5\), not text"),
        ({"image_id": [1], "caption": "a"}, "image_id is a list, not an id"),
        ("a dog", "text where an object is expected"),
    ],
)
def test_annotations_must_be_whole(tmp_path, entry, match):
    whole = [annotation(n, n, "a dog") for n in range(3)]
    annotations = write(tmp_path / "captions.json", {"images": [], "annotations": [*whole, entry]})
    results = write(tmp_path / "results.json", [result(1, "a dog")])
    with pytest.raises(InputError, match=match):
        read(results, references=annotations)


def test_more_annotations_than_are_held_in_memory_are_refused(tmp_path, annotations, monkeypatch):
    results = write(tmp_path / "results.json", [result(7, "a bus")])
    monkeypatch.setattr(_captions, "MAX_JOINED", 7)  # three pictures and four captions
    assert len(read(results, references=annotations)) == 3
    monkeypatch.setattr(_captions, "MAX_JOINED", 6)
    with pytest.raises(InputError, match="more than 6 entries"):
        read(results, references=annotations)


def test_one_wrong_caption_is_one_unreadable_item(tmp_path, annotations):
    results = write(tmp_path / "results.json", [result(7, "a"), result(3, ["b"]), result(9, "c")])
    found = read(results, references=annotations)
    assert [getattr(one, "reason", None) for one in found] == [None, "caption is a list, not text", None, None]
