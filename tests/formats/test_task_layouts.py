"""Which task a file is for, told by its first objects, whatever form they have."""

from __future__ import annotations

import json

import pytest

from handler.errors import InputError, RequestError
from handler.evaluation import EvaluationRequest
from handler.evaluation import run as evaluate
from handler.formats import ReadOptions, detect, plan_of
from handler.samples import CaptionSample, JudgedSample, RankingSample, SpeechSample, YesNoSample

ANNOTATIONS = json.dumps(
    {"images": [{"id": 7, "file_name": "7.jpg"}], "annotations": [{"id": 1, "image_id": 7, "caption": "A dog."}]}
)


def task_of(tmp_path, text, references=None):
    path = tmp_path / "input"
    path.write_text(text)
    if references is not None:
        (tmp_path / "references").write_text(references)
        references = str(tmp_path / "references")
    plan = plan_of([str(path)], ReadOptions(references=references))
    return plan.sample if plan else None


@pytest.mark.parametrize(
    ("text", "references", "sample"),
    [
        ('[{"image_id": 7, "caption": "a dog"}]', ANNOTATIONS, CaptionSample),
        ("image_id,caption\n7,a dog\n", "image_id,caption\n7,A dog.\n", CaptionSample),
        ('{"image_id": 7, "caption": "a dog", "references": ["A dog."]}', None, CaptionSample),
        ('{"image_id": 7, "caption": "a dog", "image": "7.jpg"}', None, CaptionSample),
        ('{"question_id": 1, "image_id": 7, "prompt": "Describe.", "text": "a dog"}', ANNOTATIONS, CaptionSample),
        ("[]", ANNOTATIONS, CaptionSample),
        ("id,hypothesis,reference\n1,go,go\n", None, SpeechSample),
        ("id,hypothesis,reference\n", None, SpeechSample),
        ('{"audio_filepath": "a.wav", "text": "go", "pred_text": "go"}', None, SpeechSample),
        ('{"id": 1, "prediction": "go", "transcription": "go"}', None, SpeechSample),
        ('{"id": 1, "hypothesis": "go"}', '{"id": 1, "text": "go"}', SpeechSample),
        ("1 Q0 d1 1 0.5 run\n", "1 0 d1 1\n", RankingSample),
        ('{"1": {"d1": 0.5}}', '{"1": "d1"}', RankingSample),
        ('{"query_id": 1, "ranked": ["d1"], "relevant": ["d1"]}', None, RankingSample),
        ("item;judge;human\n1;4;5\n", None, JudgedSample),
        ('[{"id": 1, "data": {"text": "x"}, "annotations": [{"result": []}]}]', None, JudgedSample),
        ("question_id,answer,label\n1,Yes.,yes\n", None, YesNoSample),
        ("frame,answer,reference\n1,a dog,A dog.\n", None, None),
        ("frame,answer,reference,model_score,label\n1,a dog,A dog.,0.9,dog\n", None, None),
        ('{"prediction": "a dog", "human": "A dog."}', None, None),
        ('{"tags": {"camera": 7}, "answer": "a dog", "reference": "A dog."}', None, None),
    ],
)
def test_the_task_is_told_by_content(tmp_path, text, references, sample):
    assert task_of(tmp_path, text, references) is sample


def test_objects_longer_than_what_is_looked_at(tmp_path):
    ids = [f"d{n}" for n in range(60_000)]
    assert task_of(tmp_path, json.dumps({"query_id": 1, "ranked": ids, "relevant": ["d0"]})) is RankingSample
    assert task_of(tmp_path, json.dumps({"pred_text": "ab " * 90_000, "text": "ab"})) is SpeechSample
    assert task_of(tmp_path, json.dumps({"1": dict.fromkeys(ids, 0.5)}), '{"1": "d1"}') is RankingSample
    assert task_of(tmp_path, json.dumps({"answer": "ab " * 90_000, "reference": "ab"})) is None


def test_tables_say_how_they_divide(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text("item;judge;human\n1;4;5\n")
    found = detect(str(path))
    assert (found.format, found.delimiter, found.columns) == ("judge", ";", ("item", "judge", "human"))
    assert (found.holds, found.noun) == ("grades of a judge and of people", "item")


def test_what_does_not_belong_together_is_said(tmp_path):
    with pytest.raises(InputError, match="nothing here looks like what belongs to references, which holds COCO annot"):
        task_of(tmp_path, '{"1": "a dog"}', ANNOTATIONS)
    path = str(tmp_path / "input")
    with pytest.raises(InputError, match="the same file is given as input and as references"):
        plan_of([path], ReadOptions(references=path))


def test_captions_without_an_id_are_not_joined_by_line(tmp_path):
    results = tmp_path / "results.json"
    results.write_text('[{"image_id": null, "caption": "a dog"}]')
    (tmp_path / "annotations.json").write_text(ANNOTATIONS)
    request = EvaluationRequest(input=str(results), references=str(tmp_path / "annotations.json"))
    with pytest.raises(InputError, match="image_id is missing"):
        evaluate(request)


def test_metrics_of_texts_do_not_read_words_for_rankings():
    records = [{"query_id": 1, "ranked": ["d1"], "relevant": ["d1"]}]
    with pytest.raises(RequestError, match=r"speech\.wer reads descriptions, and the input holds rankings"):
        evaluate(EvaluationRequest(sessions=records, metrics=["speech.wer"]))


def test_a_request_for_uploads_is_no_data(tmp_path):
    path = tmp_path / "frames.scenescore.json"
    path.write_text('{"input": "frames.jsonl"}')
    with pytest.raises(RequestError, match="a request for uploads"):
        evaluate(EvaluationRequest(input=str(path)))
