"""The vision metrics against fair-forge's recorded results, through the Python API and through the one path."""

from __future__ import annotations

import json

import pytest

from handler import evaluate
from handler.vision import Dataset, Retriever, VisionHallucination, VisionSimilarity

pytestmark = pytest.mark.model

RUNNERS = {"VisionSimilarity": VisionSimilarity, "VisionHallucination": VisionHallucination}
METRICS = {"VisionSimilarity": "vision.similarity", "VisionHallucination": "vision.hallucination"}


def collect(root):
    """(name, dataset path, expected runs) of every case of the folder."""
    found = []
    for folder in sorted((root / "01-fair-forge").iterdir()):
        expected = json.loads((folder / "expected.json").read_text())
        if folder.name == "behaviour":
            found += [(f"behaviour/{name}", folder / f"{name}.json", {0.75: run}) for name, run in expected.items()]
        else:
            runs = {float(k.removeprefix("threshold_")): v for k, v in expected.items() if k.startswith("threshold_")}
            found.append((folder.name, folder / "dataset.json", runs))
    return found


@pytest.fixture(scope="module")
def recorded(cases):
    found = collect(cases)
    assert len(found) >= 12
    return found


def retriever_of(path):
    class FileRetriever(Retriever):
        def load_dataset(self):
            return [Dataset.model_validate(one) for one in json.loads(path.read_text())]

    return FileRetriever


def assert_session(actual, expected):
    """Every rounded field within 1e-4; whole numbers, texts and verdicts equal."""
    for key, value in expected.items():
        if key == "interactions":
            assert len(actual[key]) == len(value)
            for one, other in zip(actual[key], value, strict=True):
                assert_session(one, other)
        elif isinstance(value, float):
            assert actual[key] == pytest.approx(value, abs=1e-4), key
        else:
            assert actual[key] == value, key


def test_unrounded_similarities(recorded, model):
    seen = 0
    for name, path, runs in recorded:
        for threshold, run in runs.items():
            values = run["unrounded_similarities"]
            report = evaluate(str(path), threshold=threshold, mode="strict", model=model)
            scores = [row["metrics"]["vision.similarity"]["score"] for row in report.samples]
            for score, value in zip(scores, values, strict=True):
                if score is not None:  # strict skips blank references
                    assert score == pytest.approx(value, abs=1e-5), name
                    seen += 1
    assert seen >= 30


@pytest.mark.parametrize("metric", RUNNERS)
def test_compat_equals_the_original_through_the_python_api(recorded, metric):
    for name, path, runs in recorded:
        for threshold, run in runs.items():
            results = RUNNERS[metric].run(retriever_of(path), threshold=threshold, mode="compat:fair-forge")
            if "raises" in run[metric]:
                # Where the original divides by zero: a result that says there was nothing to average.
                empty = [one for one in results if one.n_samples == 0]
                assert empty, name
                assert all(one.mean_similarity is None for one in empty)
                assert "no frame was scored" in empty[0].summary
                continue
            assert len(results) == len(run[metric]), name
            for result, expected in zip(results, run[metric], strict=True):
                assert_session(result.model_dump(), expected)


@pytest.mark.parametrize("metric", METRICS)
def test_compat_equals_the_original_through_the_one_path(recorded, model, metric):
    for name, path, runs in recorded:
        for threshold, run in runs.items():
            if "raises" in run[metric]:
                continue
            report = evaluate(str(path), metrics=["vision"], threshold=threshold, mode="compat", model=model)
            sessions = report["metrics"][METRICS[metric]]["sessions"]
            assert len(sessions) == len(run[metric]), name
            for session, expected in zip(sessions, run[metric], strict=True):
                assert_session(session, {key: value for key, value in expected.items() if key != "interactions"})


def test_rounding_before_comparing_is_compat_only(model):
    """0.558967... against 0.559: the original rounds first and calls it no hallucination."""
    frame = {
        "answer": "A person is lying motionless on the floor near the entrance.",
        "reference": "A person fell near the entrance and requires assistance.",
    }
    rates = {
        mode: evaluate([frame], threshold=0.559, mode=mode, model=model)["metrics"]["vision.hallucination"]["overall"]
        for mode in ("strict", "compat")
    }
    assert rates["strict"]["n_hallucinations"] == 1
    assert rates["compat"]["n_hallucinations"] == 0
