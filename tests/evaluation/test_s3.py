"""Evaluation from and to S3, against a real server."""

from __future__ import annotations

import json
import threading

import pytest

from handler import evaluate, storage
from handler.errors import StorageError
from tests.conftest import EXAMPLE
from tests.s3_fixtures import BUCKET
from tests.servers import NOBODY, READER

pytestmark = pytest.mark.model

AWKWARD = "cam 1/a+b (2) Ł%41.json"


@pytest.fixture
def uploaded(weed, folder):
    location = f"{folder}/{AWKWARD}"
    storage.write_bytes(location, EXAMPLE.read_bytes())
    return location


def names(location):
    return [info.location.removeprefix(location) for info in storage.list_objects(location)]


def scores(report):
    return [round(row["metrics"]["vision.similarity"]["score"], 3) for row in report.samples]


def test_s3_in_and_out(weed, folder, uploaded, model):
    report = evaluate(uploaded, output=f"{folder}/results", model=model)
    assert scores(report) == [0.559, 0.291]
    etag = storage.stat(uploaded).etag
    key = uploaded.removeprefix(f"s3://{BUCKET}/")
    assert report.location.startswith(f"{folder}/results/{key}/{etag}-")
    assert sorted(names(report.location + "/")) == ["errors.jsonl", "report.html", "report.json", "samples.jsonl"]
    latest = json.loads(storage.read_bytes(f"{folder}/results/{key}/latest.json"))
    assert latest["folder"] == report.location.rsplit("/", 1)[-1]
    again = evaluate(uploaded, output=f"{folder}/results", model=model)
    assert (again.already_done, dict(again)) == (True, dict(report))


def test_a_prefix_is_one_evaluation(weed, folder, model):
    lines = [{"assistant": f"A dog {n}.", "ground_truth_assistant": "A dog."} for n in range(6)]
    for name, part in (("b.jsonl", lines[:2]), ("a.jsonl", lines[2:4]), ("deeper/c.jsonl.gz", lines[4:])):
        data = "".join(json.dumps(one) + "\n" for one in part).encode()
        storage.write_bytes(f"{folder}/in/{name}", __import__("gzip").compress(data) if name.endswith("gz") else data)
    storage.write_bytes(f"{folder}/in/notes.txt", b"not annotations")
    storage.write_bytes(f"{folder}/in/a.scenescore.json", b"{}")
    storage.write_bytes(f"{folder}/in-another/d.jsonl", b"broken")
    for location in (f"{folder}/in", f"{folder}/in/"):
        report = evaluate(location, model=model)
        assert report["counts"] == {"n_samples": 6, "n_sessions": 3, "n_unreadable": 0}
        assert report["input"]["n_files"] == 3
        assert [row["index"] for row in report.samples] == list(range(6))
        assert [row["session_id"] for row in report.samples] == ["a", "a", "b", "b", "c", "c"]


def test_what_is_not_there_or_not_allowed_is_named(seaweedfs_server, use, folder, uploaded, model):
    with pytest.raises(StorageError, match=r"missing.json: there is no such object"):
        evaluate(f"{folder}/missing.json", model=model)
    use(seaweedfs_server, READER)
    with pytest.raises(StorageError, match="results"):
        evaluate(uploaded, output=f"{folder}/results", model=model)
    use(seaweedfs_server, NOBODY)
    with pytest.raises(StorageError, match=r"41\.json"):
        evaluate(uploaded, model=model)


def test_an_object_replaced_after_it_was_named_is_not_scored(weed, folder, uploaded, model, monkeypatch):
    real_read, seen = storage.open_read, []

    def replace_first(location, *arguments, **options):
        if location == uploaded and not seen:
            seen.append(location)
            storage.write_bytes(uploaded, b"[]")
        return real_read(location, *arguments, **options)

    monkeypatch.setattr(storage, "open_read", replace_first)
    with pytest.raises(StorageError, match=r"changed|another version"):
        evaluate(uploaded, model=model)
    assert seen


def test_two_writers_of_one_result_leave_one_complete_result(weed, folder, uploaded, model):
    reports, problems = [], []

    def work():
        try:
            reports.append(evaluate(uploaded, output=f"{folder}/results", force=True, model=model))
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert len({report.location for report in reports}) == 1
    assert scores(evaluate(uploaded, output=f"{folder}/results", model=model)) == [0.559, 0.291]
    assert sorted(names(reports[0].location + "/")) == ["errors.jsonl", "report.html", "report.json", "samples.jsonl"]


def test_a_refused_file_leaves_error_json(weed, folder, model):
    location = f"{folder}/broken.json"
    storage.write_bytes(location, b'[{"assistant": "x",]')
    with pytest.raises(Exception, match=r"broken.json:1:\d+"):
        evaluate(location, output=f"{folder}/results", model=model)
    found = [one for one in storage.list_objects(f"{folder}/results/") if one.location.endswith("error.json")]
    document = json.loads(storage.read_bytes(found[0].location))
    assert (document["schema"], document["line"]) == ("scenescore.error/1", 1)
