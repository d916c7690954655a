"""Looking at videos: what is found again, what is decoded ahead, what is wrong with one and what with all."""

from __future__ import annotations

import json
import threading
import time

import numpy as np
import pytest

from handler.detection import Look, Watcher, look_at, open_watcher, resize_rule
from handler.errors import InputError, OutOfTimeError
from handler.models.dense import CaptionOptions
from handler.samples import VideoSample
from handler.video import VBENCH_FLOAT, VBENCH_UINT8, VideoReader, local_video, read_detections
from tests.video.clips import gray_frames, make_clip


@pytest.fixture(scope="module")
def watcher(tiny_grit):
    return open_watcher(tiny_grit, provider="cpu", threads=1)


@pytest.fixture
def clips(tmp_path):
    random = np.random.default_rng(5)
    frames = [random.integers(0, 256, (48, 64, 3), np.uint8) for _ in range(3)]
    paths = [make_clip(tmp_path / f"{number}.mkv", frames[:number]) for number in (1, 2, 3)]
    (tmp_path / "none.mkv").write_bytes(b"")
    return [*paths[:2], str(tmp_path / "none.mkv"), str(tmp_path / "gone.mkv"), paths[2]]


def looks(paths):
    return [Look(place, path, VBENCH_FLOAT) for place, path in enumerate(paths)]


def test_each_video_is_looked_at_once_and_in_order(clips, watcher, tmp_path):
    folder = str(tmp_path / "found")
    first = list(look_at(looks(clips), watcher=watcher, folder=folder))
    assert [one.look.at for one in first] == [0, 1, 2, 3, 4]
    assert [one.state for one in first] == ["detected", "detected", "unreadable", "unreadable", "detected"]
    assert [one.reason for one in first[2:4]] == ["empty_file", "video_not_found"]
    second = list(look_at(looks(clips), watcher=watcher, folder=folder))
    assert [one.state for one in second] == ["present", "present", "unreadable", "unreadable", "present"]
    for one, other in zip(first, second, strict=True):
        assert one.detections == other.detections
        if one.file:
            assert read_detections(f"{folder}/{one.file}") == one.detections
    assert first[4].detections.reading["n_frame_pairs"] == 2


def test_what_is_seen_does_not_depend_on_neighbours(clips, watcher):
    together = list(look_at(looks(clips), watcher=watcher, folder=None))
    alone = [one for path in clips for one in look_at(looks([path]), watcher=watcher, folder=None)]
    assert [one.detections for one in together] == [one.detections for one in alone]


def test_without_a_detector_files_are_found_or_frames_measured(clips, watcher, tmp_path):
    folder = str(tmp_path / "found")
    seen = list(look_at(looks(clips[:1]), watcher=watcher, folder=folder))
    found = list(look_at(looks(clips[:2]), watcher=None, folder=folder))
    assert [one.state for one in found] == ["present", "measured"]
    assert found[0].detections == seen[0].detections
    assert found[1].reading["n_frame_pairs"] == 1
    assert [one.reading for one in look_at(looks(clips[:2]), watcher=None, folder=None, measure=False)] == [{}, {}]


def test_two_detectors_are_not_mixed_up(clips, watcher, tiny_grit, tmp_path):
    folder = str(tmp_path / "found")
    other = open_watcher(tiny_grit, provider="cpu", threads=1, options=CaptionOptions(max_detections=1))
    for one in (watcher, other):
        list(look_at(looks(clips[:1]), watcher=one, folder=folder))
    with pytest.raises(InputError, match="several detectors looked at this video"):
        list(look_at(looks(clips[:1]), watcher=None, folder=folder))
    (found,) = look_at(looks(clips[:1]), watcher=other, folder=folder)
    assert found.state == "present"
    assert len(found.detections.frames[0].detections) <= 1


@pytest.mark.parametrize(("budget", "n_decoded"), [(1, 1), (48 * 64 * 3 + 1, 2), (1 << 30, 3)])
def test_the_budget_holds_decoding_back(clips, watcher, monkeypatch, budget, n_decoded):
    """What is decoded while the first video, of one frame, is looked at; all the same all are seen."""
    decoded, at_first_look = [], []
    read, look = VideoReader.read, Watcher.look

    def counted(self, video, **asked):
        found = read(self, video, **asked)
        decoded.append(video.source)
        return found

    def patient(self, frames, **asked):
        deadline = time.monotonic() + 10
        while len(decoded) < n_decoded and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)  # in which nobody may decode more
        at_first_look.append(len(decoded))
        return look(self, frames, **asked)

    monkeypatch.setattr(VideoReader, "read", counted)
    monkeypatch.setattr(Watcher, "look", patient)
    paths = [clips[0], clips[1], clips[4]]
    seen = list(look_at(looks(paths), watcher=watcher, folder=None, budget=budget))
    assert at_first_look[0] == n_decoded
    assert [one.state for one in seen] == ["detected"] * 3


def test_told_to_stop_while_a_decoder_hangs(tmp_path, watcher, monkeypatch):
    """A file that takes minutes holds nobody up."""
    path = make_clip(tmp_path / "long.mkv", gray_frames([1, 2]))
    began, go_on = threading.Event(), threading.Event()

    def slow(location):
        began.set()
        go_on.wait(20)
        return local_video(location)

    monkeypatch.setattr("handler.detection._look.local_video", slow)
    asked = iter([False, True])

    def must_stop():
        assert began.wait(20)
        stop = next(asked)
        if stop:
            go_on.set()
        return stop

    with pytest.raises(OutOfTimeError):
        list(look_at(looks([path]), watcher=watcher, folder=None, must_stop=must_stop))


def test_the_resize_rule_is_that_of_what_is_asked():
    def rule(**asked):
        return resize_rule(VideoSample(0, "s", "a", "v", None, (), **asked))

    assert rule(dimensions=("color",)) == rule(color="red") == VBENCH_UINT8
    assert rule(dimensions=("color", "temporal_flickering"), color="red") == VBENCH_UINT8
    assert rule(dimensions=("color", "object_class")) == VBENCH_FLOAT
    assert rule(color="red", relationship="above") == rule(object="dog") == rule() == VBENCH_FLOAT


def test_a_damaged_partial_file_is_looked_at_again(clips, watcher, tmp_path):
    from handler.detection._partial import keep_partial, read_partial

    (seen,) = look_at(looks(clips[:1]), watcher=watcher, folder=None)
    key, found = seen.detections.key, [seen.detections.frames[0].detections]
    folder = str(tmp_path / "kept")
    assert read_partial(folder, key) == []
    keep_partial(folder, key, found)
    assert read_partial(folder, key) == found
    (file,) = (tmp_path / "kept" / "_partial").iterdir()
    for damage in (b"{", json.dumps({"key": "other", "frames": []}).encode()):
        file.write_bytes(damage)
        assert read_partial(folder, key) == []
