"""The container task: an array and a reduce leave what one evaluation leaves, wherever files lie and whatever happens."""

from __future__ import annotations

import json
import random
import shutil
import signal
import time
from pathlib import Path

import pytest

from handler import evaluate, storage
from handler.batch_task import STOPPED, main
from handler.video import read_detections
from tests.batch.videos import N_READABLE, essence, manifest, run_task, start_task
from tests.s3_fixtures import BUCKET

SIZE = 3


def local(clips, tiny_grit, out):
    return {
        "SCENESCORE_MANIFEST": str(clips / "videos.csv"),
        "SCENESCORE_OUTPUT": str(out),
        "SCENESCORE_DETECTOR": str(tiny_grit),
        "SCENESCORE_ARRAY_SIZE": str(SIZE),
    }


def check(out, undisturbed):
    """The result and the detections are byte for byte those of one evaluation, and nothing else is left."""
    result = out / "videos.csv" / undisturbed.name
    assert essence(result, lambda at: Path(at).read_bytes()) == undisturbed.essence
    assert {path.name for path in result.rglob("*") if path.is_file()} == undisturbed.left
    found = out / "_detections"
    assert {path.name: path.read_bytes() for path in found.rglob("*.json")} == undisturbed.files


def test_what_one_evaluation_says(undisturbed):
    """Every video has its state; of the rest only noise can be said, which is no object."""
    (report, rows, errors), files = undisturbed.essence, undisturbed.files
    assert (report["counts"]["n_samples"], errors, len(files)) == (7, b"", N_READABLE)
    states = {row["sample_id"]: row["metrics"]["vbench.object_class"] for row in rows}
    assert states["broken.mkv"] == {"state": "error", "score": None, "error": "not_a_video"}
    assert states["nowhere.mkv"]["error"] == "video_not_found"
    assert states["a red car-0.mkv"]["skipped"] == "other_dimension"
    flickering = report["metrics"]["vbench.temporal_flickering"]["overall"]
    assert (flickering["n_scored"], flickering["n_error"], flickering["n_frame_pairs"]) == (1, 0, 3)
    assert flickering["score"] == pytest.approx(2 / 3, abs=0.01)  # noise differs by a third of the range


def test_three_shares_and_a_reduce(clips, tiny_grit, tmp_path, undisturbed, monkeypatch):
    for name, value in local(clips, tiny_grit, tmp_path).items():
        monkeypatch.setenv(name, value)
    assert main(["reduce"]) == 3, "shares are missing"
    for index in (2, 0, 1):
        monkeypatch.setenv("AWS_BATCH_JOB_ARRAY_INDEX", str(index))
        assert main(["--threads", "1"]) == 0
    assert main(["reduce"]) == 0
    check(tmp_path, undisturbed)
    assert [main(["reduce"]), main([])] == [0, 0], "what is done stays done"
    check(tmp_path, undisturbed)


def test_the_same_on_s3(clips, tiny_grit, undisturbed, weed, folder, seaweedfs_server):
    for path in (clips / "clips").iterdir():
        storage.write_bytes(f"{folder}/in/clips/{path.name}", path.read_bytes())
    storage.write_bytes(f"{folder}/in/videos.csv", manifest().encode())
    environment = {
        **seaweedfs_server.environment(),
        "SCENESCORE_INPUTS": f"{folder}/in",
        "SCENESCORE_MANIFEST": f"{folder}/in/videos.csv",
        "SCENESCORE_OUTPUT": f"{folder}/out",
        "SCENESCORE_DETECTOR": str(tiny_grit),
        "SCENESCORE_ARRAY_SIZE": str(SIZE),
    }
    for index in range(SIZE):
        code, logged = run_task(**environment, AWS_BATCH_JOB_ARRAY_INDEX=str(index))
        assert (code, logged[-1]["message"]) == (0, "share done"), logged
    code, logged = run_task("reduce", **environment)
    assert (code, logged[-1]["message"]) == (0, "report written"), logged
    assert essence(logged[-1]["result"], storage.read_bytes) == undisturbed.essence
    found = {storage.name_of(one.location): one.location for one in storage.list_objects(f"{folder}/out/_detections/")}
    assert found.keys() == undisturbed.files.keys()
    for name, location in found.items():
        seen, known = read_detections(location), json.loads(undisturbed.files[name])
        assert seen.source.startswith(f"s3://{BUCKET}/")
        assert json.loads(storage.read_bytes(location)) == {**known, "source": seen.source}


def test_a_video_that_requests_may_not_read(tiny_grit, weed, folder, seaweedfs_server):
    rows = [f"s3://{BUCKET}/elsewhere/1.mkv", "/etc/hostname", "../../elsewhere/1.mkv"]
    text = "video,prompt\n" + "".join(f"{row},a dog\n" for row in rows)
    storage.write_bytes(f"{folder}/in/videos.csv", text.encode())
    environment = {
        **seaweedfs_server.environment(),
        "SCENESCORE_INPUTS": f"{folder}/in",
        "SCENESCORE_MANIFEST": f"{folder}/in/videos.csv",
        "SCENESCORE_OUTPUT": f"{folder}/out",
        "SCENESCORE_DETECTOR": str(tiny_grit),
    }
    assert run_task(**environment)[0] == 0
    code, logged = run_task("reduce", **environment)
    assert code == 0, logged
    samples = [json.loads(line) for line in storage.read_bytes(f"{logged[-1]['result']}/samples.jsonl").splitlines()]
    assert [row["metrics"]["vbench.object_class"]["error"] for row in samples] == ["video_forbidden"] * 3


def test_a_stopped_share_looks_at_no_frame_again(clips, tiny_grit, tmp_path, undisturbed):
    """Whenever it is told to stop: each frame is looked at once, but for those that were to be described with the next."""
    from handler.detection import Watcher
    from handler.errors import OutOfTimeError
    from handler.evaluation import EvaluationRequest, Machine, look_at_share, open_videos, reduce_videos
    from handler.models.dense import CaptionOptions, DenseCaptioner

    looked = []

    class Counted(DenseCaptioner):
        def _look(self, frame, options):
            looked.append(frame.tobytes())
            return super()._look(frame, options)

    request = EvaluationRequest(
        input=str(clips / "videos.csv"), output=str(tmp_path), detections=str(tmp_path / "_detections")
    )
    work = open_videos(request, Machine(detector=tiny_grit, threads=1))
    counted = Watcher(Counted(tiny_grit, provider="cpu", threads=1), CaptionOptions())
    object.__setattr__(work, "watcher", counted)
    stops = 0
    for patience in (1, 4, 2, 3, 9, 5, 6, 100):
        left = iter(range(patience))
        try:
            look_at_share(work, 0, 1, must_stop=lambda left=left: next(left, None) is None)
            break
        except OutOfTimeError:
            stops += 1
    assert stops >= 3
    assert len(looked) == len(set(looked)) == 1 + 2 + 3 + 4 + 5
    reduce_videos(work, Machine(detector=tiny_grit, threads=1), 1)
    check(tmp_path, undisturbed)


def test_a_killed_task_is_carried_on(clips, tiny_grit, tmp_path, undisturbed):
    kill_and_carry_on(clips, tiny_grit, tmp_path, [signal.SIGTERM, signal.SIGKILL], seed=2)
    check(tmp_path, undisturbed)


@pytest.mark.full
def test_killed_at_twenty_random_moments(clips, tiny_grit, tmp_path, undisturbed):
    kills = [signal.SIGTERM, signal.SIGKILL] * 10
    kill_and_carry_on(clips, tiny_grit, tmp_path, kills, seed=20)
    check(tmp_path, undisturbed)


def kill_and_carry_on(clips, tiny_grit, out, kills, *, seed):
    """End a task by each signal at a random moment of its work, then let it and its reduce go through.

    A task that was faster than the signal begins again from nothing, so that every signal meets one at work.
    """
    environment = {**local(clips, tiny_grit, out), "SCENESCORE_ARRAY_SIZE": "1"}
    moments = random.Random(seed)
    left = list(kills)
    while left:
        process = start_task(**environment)
        wait_for_files(out / "_detections", moments.randrange(N_READABLE), process)
        time.sleep(moments.uniform(0, 0.3))
        process.send_signal(left[0])
        process.communicate(timeout=300)
        assert process.returncode in (0, -signal.SIGTERM, -signal.SIGKILL, STOPPED), process.returncode
        if process.returncode == 0:
            shutil.rmtree(out)
        else:
            left.pop(0)
    assert run_task(**environment)[0] == 0
    process = start_task("reduce", **environment)
    time.sleep(moments.uniform(0.5, 2.0))
    process.kill()
    process.communicate(timeout=300)
    assert run_task("reduce", **environment)[0] == 0


def wait_for_files(folder, n, process):
    """Until there are more than n detections files, or the task is over."""
    while process.poll() is None and len(list(folder.glob("*.json"))) <= n:
        time.sleep(0.02)


def test_a_share_without_a_detector_measures(clips, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "none"))
    arguments = [str(clips / "videos.csv"), "--output", str(tmp_path / "out"), "--metrics", "temporal_flickering"]
    assert [main(["detect", *arguments]), main(["reduce", *arguments])] == [0, 0]
    (result,) = (tmp_path / "out").rglob("report.json")
    whole = evaluate(clips / "videos.csv", metrics=["temporal_flickering"])
    assert json.loads(result.read_text())["metrics"] == json.loads(json.dumps(whole["metrics"]))
    assert main(["detect", str(clips / "videos.csv"), "--output", str(tmp_path / "out")]) == 2, "nothing to see with"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "there is no manifest"),
        (["nowhere.csv"], 2, "there is no such file"),
        (["{clips}", "--index", "3", "--size", "3"], 2, "there is no share 3 of 3"),
        (["{clips}", "--provider", "tpu"], 2, "invalid choice"),
        (["{frames}"], 2, "the input holds no videos"),
    ],
)
def test_wrong_calls(clips, tiny_grit, tmp_path, monkeypatch, capsys, arguments, code, words):
    (tmp_path / "frames.jsonl").write_text('{"answer": "a", "reference": "b"}\n')
    places = {"clips": clips / "videos.csv", "frames": tmp_path / "frames.jsonl"}
    monkeypatch.setenv("SCENESCORE_OUTPUT", str(tmp_path / "out"))
    monkeypatch.setenv("SCENESCORE_DETECTOR", str(tiny_grit))
    monkeypatch.chdir(tmp_path)
    assert main([one.format(**places) for one in arguments]) == code
    *_, line = capsys.readouterr().err.splitlines()
    assert words in json.loads(line)["error"]
