"""Videos at the terminal: detect them, then score them, from files that are there or on the way."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("av", reason="PyAV is not installed: pip install scenescore[video]")

from handler.cli import main
from tests.batch.videos import make_clips, manifest
from tests.video.clips import make_clip


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    make_clips(tmp_path / "clips")
    (tmp_path / "videos.csv").write_text(manifest())
    return tmp_path


def test_detect_then_evaluate(place, tiny_grit, capsys):
    detect = ["detect", "clips", "--model", str(tiny_grit), "--threads", "1"]
    assert main(detect) == 0
    shown = capsys.readouterr()
    assert "5 videos looked at, 1 unreadable" in shown.out
    assert "clips/broken.mkv: this is no video" in shown.err
    assert main([*detect, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["state"] for one in document["videos"]].count("present") == 5
    assert document["pictures"] == []
    files = {one["file"]: one["n_detections"] for one in document["videos"] if one["file"]}
    assert len(files) == len(list((place / "scenescore-detections").glob("*.json"))) == 5
    evaluate = ["evaluate", "videos.csv", "--metrics", "vbench", "--json"]
    assert main([*evaluate, "--detector", str(tiny_grit), "--threads", "1"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert len(list((place / "scenescore-detections").glob("*.json"))) == 5, "all were there"
    assert main(evaluate) == 0, "detections alone will do"
    assert json.loads(capsys.readouterr().out)["metrics"] == report["metrics"]
    assert report["metrics"]["vbench.object_class"]["overall"]["n_error"] == 2
    assert report["request"]["metrics"][-1] == "vbench.total"


def test_the_table_is_about_videos(place, tiny_grit, capsys):
    arguments = ["evaluate", "videos.csv", "--detector", str(tiny_grit), "--threads", "1", "--metrics", "object_class"]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "videos.csv: 7 videos in 2 sessions" in shown
    assert "Lowest scores\n  0.000  videos / a dog-0.mkv\n         asked : a dog\n" in shown
    assert "model" not in shown


def test_a_folder_of_videos(place, capsys):
    assert main(["evaluate", "clips", "--metrics", "temporal_flickering", "--json"]) == 0
    overall = json.loads(capsys.readouterr().out)["metrics"]["vbench.temporal_flickering"]["overall"]
    assert (overall["n_scored"], overall["skipped"], overall["n_error"]) == (4, {"single_frame": 1}, 1)


def test_without_a_detector_it_says_what_to_do(place, capsys):
    assert main(["evaluate", "videos.csv"]) == 2
    assert "Give --detector DIR" in capsys.readouterr().err
    assert main(["evaluate", "videos.csv", "--detections", "nowhere"]) == 2
    assert "nothing says what is in the videos" in capsys.readouterr().err
    (place / "frames.jsonl").write_text('{"answer": "Yes", "label": "yes"}\n')
    assert main(["evaluate", "frames.jsonl", "--detections", "here"]) == 2
    assert "no metric of this request reads detections" in capsys.readouterr().err


def test_what_would_take_long_is_not_guessed(place, tiny_grit, capsys):
    assert main(["evaluate", "videos.csv", "--detector", str(tiny_grit), "--dry-run"]) == 2
    assert "how long videos take is not estimated" in capsys.readouterr().err
    assert main(["inspect", "videos.csv"]) == 0
    shown = capsys.readouterr().out
    assert "videos and what their prompts ask for" in shown
    assert "7 videos in 2 sessions" in shown


def test_a_video_made_anew_is_looked_at_anew(place, capsys):
    evaluate = ["evaluate", "videos.csv", "--metrics", "temporal_flickering", "--json"]

    def score():
        assert main(evaluate) == 0
        return json.loads(capsys.readouterr().out)["metrics"]["vbench.temporal_flickering"]["overall"]["score"]

    first = score()
    assert score() == first
    make_clip(place / "clips" / "a cat and a dog-0.mkv", [np.zeros((48, 64, 3), np.uint8)] * 2)
    assert score() == 1.0 != first


def test_records_in_memory(place, tiny_grit):
    from handler import evaluate

    rows = [{"video": "clips/a dog-0.mkv", "prompt": "a dog", "dimension": ["object_class"]}]
    report = evaluate(rows, detector=tiny_grit, threads=1, metrics=["vbench.object_class"])
    assert report["metrics"]["vbench.object_class"]["overall"]["n_frames"] == 16
    assert report.samples[0]["columns"] == {"video": "clips/a dog-0.mkv", "prompt": "a dog"}


def test_videos_and_pictures_together(tiny_grit, tmp_path, capsys):
    image = pytest.importorskip("PIL.Image", reason="reading pictures needs the images extra")
    noise = np.random.default_rng(1).integers(0, 256, (48, 64, 3), np.uint8)
    (tmp_path / "both").mkdir()
    make_clip(tmp_path / "both" / "clip.mkv", [noise])
    image.fromarray(noise).save(tmp_path / "both" / "still.png")
    out = ["--model", str(tiny_grit), "--threads", "1", "--output", str(tmp_path / "out")]
    assert main(["detect", str(tmp_path / "both"), *out]) == 0
    shown = capsys.readouterr().out
    assert "1 picture looked at" in shown
    assert "1 video looked at" in shown
    (tmp_path / "broken.mp4").write_bytes(b"x")
    assert main(["detect", str(tmp_path / "broken.mp4"), *out]) == 2
    assert "no video could be read" in capsys.readouterr().err
