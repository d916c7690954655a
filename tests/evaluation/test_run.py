"""The one path: folders, repeats, refusals, groups, on the real model where scores matter."""

from __future__ import annotations

import json
import random

import pytest

from handler import evaluate
from handler.errors import InputError, RequestError, StorageError
from handler.evaluation._ledger import Ledger
from handler.metrics import get_metric
from handler.results import MetricResult
from handler.samples import EmptySession, Sample

pytestmark = pytest.mark.model

FRAMES = [
    {
        "session_id": f"cam-{n % 3}",
        "assistant_id": "vlm",
        "qa_id": f"f{n}",
        "assistant": f"{who} is {what} the entrance{' again' * (n % 4)}.",
        "ground_truth_assistant": f"{other} is {what} the entrance.",
        "tags": {"light": "night" if n % 2 else "day"},
    }
    for n, (who, what, other) in enumerate(
        (who, what, other)
        for who in ("A man", "A dog", "Nobody")
        for what in ("leaving", "near", "waiting at")
        for other in ("A woman", "A dog")
    )
]


def write(path, frames):
    path.write_text("".join(json.dumps(frame) + "\n" for frame in frames))
    return path


def scores(report):
    return {
        row["sample_id"]: [row["metrics"][name]["score"] for name in ("vision.similarity", "vision.hallucination")]
        for row in report.samples
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory, model):
    folder = tmp_path_factory.mktemp("whole")
    return evaluate(write(folder / "frames.jsonl", FRAMES), output=folder / "out", group_by=["light"], model=model)


def test_the_folder_holds_what_the_design_says(whole, tmp_path):
    assert whole.location.split("/")[-2] == "frames.jsonl"
    content, _, request = whole.location.split("/")[-1].partition("-")
    assert (len(content), len(request)) == (16, 12)
    with open(f"{whole.location}/report.json", encoding="utf-8") as file:
        document = json.load(file)
    assert document == dict(whole)
    assert document["schema"] == "scenescore.report/1"
    assert document["counts"] == {"n_samples": 18, "n_sessions": 3, "n_unreadable": 0}
    with open(f"{whole.location}/samples.jsonl", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    assert [row["index"] for row in rows] == list(range(18))
    similarity = rows[0]["metrics"]["vision.similarity"]
    assert similarity.keys() >= {"state", "score", "n_tokens", "truncated"}
    verdict = rows[0]["metrics"]["vision.hallucination"]
    assert verdict.keys() >= {"state", "score", "is_hallucination", "similarity_score", "threshold"}
    assert verdict["similarity_score"] == similarity["score"]
    with open(f"{whole.location}/errors.jsonl", encoding="utf-8") as file:
        assert file.read() == ""


def test_order_split_and_neighbours_change_no_bit(whole, tmp_path, model):
    expected = scores(whole)
    shuffled = random.Random(7).sample(FRAMES, len(FRAMES))
    assert scores(evaluate(shuffled, model=model)) == expected
    halves = [evaluate(FRAMES[:7], model=model), evaluate(FRAMES[7:], model=model)]
    assert scores(halves[0]) | scores(halves[1]) == expected
    crowd = [{**frame, "qa_id": f"x{n}", "assistant": "A crowd. " * n} for n, frame in enumerate(FRAMES)]
    mixed = scores(evaluate([one for pair in zip(FRAMES, crowd, strict=True) for one in pair], model=model))
    assert {key: mixed[key] for key in expected} == expected


def test_threads_change_nothing(whole, model):
    for threads in (1, 2):
        assert scores(evaluate(FRAMES, threads=threads, model=model)) == scores(whole)


def test_groups_sum_to_the_whole(whole):
    metric = whole["metrics"]["vision.hallucination"]
    assert [(one["by"], one["value"]) for one in metric["groups"]] == [("light", "day"), ("light", "night")]
    for part in ("groups", "sessions"):
        assert sum(one["n_hallucinations"] for one in metric[part]) == metric["overall"]["n_hallucinations"]


def test_the_same_question_is_answered_once(whole, tmp_path, model):
    path = write(tmp_path / "frames.jsonl", FRAMES)
    output = whole.location.rsplit("/", 2)[0]
    again = evaluate(path, output=output, group_by=["light"], model=model)
    assert (again.already_done, again.location, dict(again)) == (True, whole.location, dict(whole))
    forced = evaluate(path, output=output, group_by=["light"], model=model, force=True)
    assert (forced.already_done, forced.location) == (False, whole.location)
    other = evaluate(path, output=output, group_by=["light"], threshold=0.6, model=model)
    assert other.location != whole.location


def test_worst_frames_come_first(whole):
    worst = whole["metrics"]["vision.similarity"]["worst"]
    rows = sorted(row["metrics"]["vision.similarity"]["score"] for row in whole.samples)
    assert [one["score"] for one in worst] == rows[:10]


def test_bad_lines_go_to_errors_up_to_the_rate(tmp_path, model):
    path = tmp_path / "frames.jsonl"
    lines = [json.dumps(frame) for frame in FRAMES]
    lines[4] = '{"assistant": '
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"frames.jsonl:5") as caught:
        evaluate(path, output=tmp_path / "out", model=model)
    folder = next((tmp_path / "out" / "frames.jsonl").iterdir())
    assert sorted(file.name for file in folder.iterdir()) == ["error.json", "errors.jsonl"]
    assert json.loads((folder / "error.json").read_text()) == caught.value.document()
    report = evaluate(path, output=tmp_path / "out", max_error_rate=0.1, model=model)
    assert report["counts"] == {"n_samples": 17, "n_sessions": 3, "n_unreadable": 1}
    assert [row["line"] for row in report.errors] == [5]
    expected = {row["sample_id"]: row for row in evaluate(FRAMES, model=model).samples}
    assert all(row["metrics"] == expected[row["sample_id"]]["metrics"] for row in report.samples)


def test_nothing_to_score_is_an_answer(tmp_path, model):
    path = tmp_path / "empty.json"
    path.write_text("[]")
    report = evaluate(path, output=tmp_path / "out", model=model)
    assert report["counts"]["n_samples"] == 0
    assert report["metrics"]["vision.similarity"]["overall"]["mean_similarity"] is None


def test_limit(model):
    assert len(evaluate(FRAMES, limit=5, model=model).samples) == 5
    assert len(evaluate(iter(FRAMES), limit=99, model=model).samples) == 18


def test_python_data_of_every_kind_gives_one_result(tmp_path, model):
    """A list, a generator and data frames of the same frames: same rows, and the same folder."""
    import pandas
    import polars

    flat = [{key: value for key, value in frame.items() if key != "tags"} for frame in FRAMES]
    forms = [flat, iter(flat), pandas.DataFrame(flat), polars.DataFrame(flat)]
    reports = [evaluate(form, output=tmp_path, model=model) for form in forms]
    assert len({report.location for report in reports}) == 1
    assert [report.already_done for report in reports] == [False, True, True, True]
    assert scores(reports[0]) == scores(evaluate(flat, model=model))


def test_missing_fields_are_errors_or_skipped(model):
    frames = [FRAMES[0], {key: value for key, value in FRAMES[1].items() if key != "ground_truth_assistant"}]
    with pytest.raises(InputError, match="ground_truth_assistant"):
        evaluate(frames, model=model)
    overall = evaluate(frames, on_missing="skip", model=model)["metrics"]["vision.similarity"]["overall"]
    assert (overall["n_scored"], overall["skipped"]) == (1, {"missing_reference": 1})


def test_an_option_of_a_metric_wins_over_the_common_threshold(model):
    report = evaluate(FRAMES[:1], options={"vision.hallucination": {"threshold": -1.0}}, model=model)
    assert report["metrics"]["vision.hallucination"]["overall"]["threshold"] == -1.0


@pytest.mark.parametrize(
    ("request_fields", "message"),
    [
        ({"metrics": ["bleu"]}, "no metric 'bleu'"),
        ({"threshold": "NaN"}, "threshold"),
        ({"threshold": 2}, "threshold"),
        ({"mode": "compat:pope"}, "compat:fair-forge"),
        ({"options": {"vision.hallucination": {"speed": 1}}}, "no option 'speed'"),
        ({"options": {"pope": {}}}, "not evaluated"),
        ({"unknown": 1}, "unknown"),
        ({"references": "r.json"}, "references"),
    ],
)
def test_requests_that_do_not_fit_are_refused(request_fields, message, model):
    with pytest.raises(RequestError, match=message):
        evaluate(FRAMES[:1], model=model, **request_fields)


def test_a_missing_file_is_named(model):
    with pytest.raises(StorageError, match=r"nowhere.json: there is no such file"):
        evaluate("nowhere.json", model=model)


def test_ledgers_of_shards_merge_into_the_whole():
    class Stub:
        def score(self, pairs):
            raise AssertionError("not asked")

        def signature_parts(self):
            return {}

    metric = get_metric("vision.similarity", pairs=Stub())
    results = [(Sample(i, f"s{i % 4}", "a", str(i), "x", ("y",), tags={"t": i % 2}), i / 50 - 0.3) for i in range(50)]
    whole, shards = Ledger(metric, ["t"]), [Ledger(metric, ["t"]) for _ in range(7)]
    for ledger in (whole, shards[0]):
        ledger.open_session(EmptySession("empty", "a"))
    for i, (one, score) in enumerate(results):
        result = MetricResult("vision.similarity", score, {"warnings": ["empty_answer"]} if i % 5 == 0 else {})
        for ledger in (whole, shards[i * 7 // 50]):
            ledger.add_all([one], [result], {(one.session_id, one.assistant_id): [0]})
    merged = Ledger(metric, ["t"])
    for shard in shards:
        merged.merge_from(shard)
    one, other = merged.report(), whole.report()
    assert one["worst"] == other["worst"]
    assert merged.warnings == whole.warnings == {"empty_answer": 10}
    assert merged.examples == whole.examples
    assert {row["session_id"] for row in one["sessions"]} == {row["session_id"] for row in other["sessions"]}
    for left, right in [(one["overall"], other["overall"]), *zip(one["groups"], other["groups"], strict=True)]:
        for key in ("mean_similarity", "min_similarity", "max_similarity", "std_similarity", "n_scored"):
            assert left[key] == pytest.approx(right[key], abs=1e-12)
