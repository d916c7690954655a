"""Every metric through every door: the same records give the same figures, worked out by hand."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient

from handler import evaluate, storage
from handler.api import create_app
from handler.cli import main
from handler.events import handle_uploads
from handler.jobs import Clock
from handler.metrics import list_metrics
from handler.settings import Settings
from tests.s3_fixtures import BUCKET

FRAME = {"answer": "A dog runs.", "reference": "A dog runs."}
SEQUENCE = {
    "sequence_id": "s",
    "coarse": {"question": "How many?", "type": "count", "answer": 2},
    "fine": [{"question": "Are they alike?", "answer": "yes"}],
}
EXAMPLES = {
    "vision.similarity": ([FRAME], "min_similarity", 1.0),
    "vision.hallucination": ([FRAME], "n_hallucinations", 0),
    "vision.claims": ([FRAME, {"answer": "No dog runs.", "reference": "A dog runs."}], "rate", 0.5),
    "pope": ([{"answer": "Yes", "label": "yes"}, {"answer": "Yes", "label": "no"}], "accuracy", 0.5),
    "vqa.accuracy": ([{"question_id": 1, "answer": "red", "answers": [{"answer": "red"}] * 10}], "accuracy", 1.0),
    "vlm2bench.hallucination": (
        [{"sequence_id": "s", "coarse": "2", "fine": ["yes"]}],
        "score_sum",
        1.0,
    ),
    "vlm2bench.native": ([{"q_id": "1", "question": "?", "model_answer": "3", "gt_answer": "3"}], "n_scored", 1),
    "captions.ngram": ([{"image_id": 1, "caption": "a red bus", "references": ["a red bus"]}], "rouge_l", 1.0),
    "speech.wer": ([{"hypothesis": "turn off the lights", "reference": "turn on the lights"}], "wer", 0.25),
    "retrieval.ranking": ([{"query_id": "q", "ranked": ["b", "a"], "relevant": ["a"]}], "mrr", 0.5),
    "judge.agreement": ([{"judge": "good", "human": "good"}, {"judge": "bad", "human": "good"}], "agreement", 0.5),
}
VBENCH = ("color", "multiple_objects", "object_class", "spatial_relationship", "temporal_flickering", "total")
QUESTIONS = {"vlm2bench.hallucination": [SEQUENCE]}
ELSEWHERE = {
    "captions.clipscore": "needs an exported CLIP: tests/metrics/test_clipscore.py",
    **dict.fromkeys(
        [f"vbench.{name}" for name in VBENCH],
        "reads what a detector saw in videos: tests/batch, tests/cli/test_videos.py, tests/video/test_evaluator.py",
    ),
}


def test_no_metric_is_forgotten():
    assert sorted(list_metrics()) == sorted([*EXAMPLES, *ELSEWHERE])


@pytest.mark.model
@pytest.mark.parametrize("metric", EXAMPLES)
def test_every_door_gives_the_same(metric, model, tmp_path, weed, folder, capsys):
    records, figure, expected = EXAMPLES[metric]
    request = {"metrics": [metric]}
    if metric in QUESTIONS:
        request["questions"] = put(f"{folder}/in/questions.json", QUESTIONS[metric])
    settings = Settings(model=model, output=f"{folder}/out", inputs=(f"{folder}/in",))
    found = {
        "python": by_python(request, records),
        "terminal": by_terminal(request, records, tmp_path, capsys),
        "http": by_http(request, records, settings),
        "sidecar": by_sidecar(request, records, settings, folder),
    }
    overall = {door: json.loads(json.dumps(report["metrics"][metric]["overall"])) for door, report in found.items()}
    assert overall["python"][figure] == pytest.approx(expected, abs=1e-6)
    for door, figures in overall.items():
        assert figures == overall["python"], door


def put(location, document):
    storage.write_bytes(location, json.dumps(document).encode())
    return location


def by_python(request, records):
    return evaluate(records, **request)


def by_terminal(request, records, tmp_path, capsys):
    path = tmp_path / "records.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records))
    words = ["evaluate", str(path), "--metrics", *request["metrics"], "--output", str(tmp_path / "out"), "--json"]
    if "questions" in request:
        words += ["--questions", request["questions"]]
    assert main(words) == 0
    return json.loads(capsys.readouterr().out)


def by_http(request, records, settings):
    answer = TestClient(create_app(settings)).post("/v1/evaluations", json={"sessions": records, **request})
    assert answer.status_code == 200, answer.text
    return answer.json()["report"]


def by_sidecar(request, records, settings, folder):
    put(f"{folder}/in/data.json", records)
    sidecar = put(f"{folder}/in/data.scenescore.json", {"input": "data.json", **request})
    thing = {"key": sidecar.removeprefix(f"s3://{BUCKET}/"), "eTag": "e"}
    record = {"eventName": "ObjectCreated:Put", "s3": {"bucket": {"name": BUCKET}, "object": thing}}
    status = handle_uploads("s3", {"Records": [record]}, settings, Clock())[0]
    assert status["state"] == "done", status
    return json.loads(storage.read_bytes(f"{status['location']}/report.json"))
