"""Odd video files, FastVideo's clip with its reference score, and VBench's tables of frames and sizes."""

from __future__ import annotations

import json
import time

import pytest

pytest.importorskip("av", reason="PyAV is not installed: pip install scenescore[video]")

from handler.metrics import get_metric
from handler.samples import VideoSample
from handler.video import VBENCH_UINT8, VideoError, VideoReader, local_video, middle_indices, resized_size

LIMIT = 10  # seconds within which every odd file is answered
NOT_READ = {
    "zero_bytes.mp4": "empty_file",
    "text_renamed.mp4": "not_a_video",
    "truncated_no_moov.mp4": "not_a_video",
    "audio_only.mp4": "no_video",
    "audio_with_cover_art.m4a": "no_video",  # OpenCV takes the cover picture for a video of one frame
}
NOTES = {
    "alpha_vp9.webm": "alpha_dropped",
    "animated.gif": "fewer_frames_than_asked",
    "interlaced.ts": "interlaced",
    "one_frame.mp4": "single_frame",
    "rotated90.mp4": "turned_upright",
    "ten_bit_h264.mp4": "reduced_to_8_bits",
    "truncated_tail_60pct.mp4": "fewer_frames_than_promised",
    "vfr.mp4": "variable_frame_rate",
}
# What the recorded flickering cannot be compared on: OpenCV 5.0 fails to convert interlaced frames and gives the same
# picture 25 times, and it stops two frames before ffprobe and we do in the truncated file.
OTHER_FRAMES = {"interlaced.ts", "truncated_tail_60pct.mp4"}


@pytest.fixture(scope="module")
def folder(cases):
    return cases / "10-vbench" / "odd-videos"


@pytest.fixture(scope="module")
def expected(folder):
    return json.loads((folder / "expected.json").read_text())


@pytest.fixture(scope="module")
def reader():
    with VideoReader() as reader:
        yield reader


def read(reader, path, **asked):
    started = time.monotonic()
    try:
        with local_video(str(path)) as video:
            return reader.read(video, differences=True, **asked)
    finally:
        assert time.monotonic() - started < LIMIT


def flickering(found, mode="compat:vbench"):
    facts = found.reading
    measured = {name: facts[name] for name in ("frame_difference", "n_frame_pairs")}
    return get_metric("vbench.temporal_flickering", mode=mode).compute(
        VideoSample(0, "s", "a", "v", None, (), **measured)
    )


def test_every_file_is_known(folder, expected):
    assert {path.name for path in folder.iterdir()} - {"SOURCE.md", "expected.json"} == set(expected)
    assert set(NOT_READ) | set(NOTES) <= set(expected)


@pytest.mark.parametrize(("name", "reason"), NOT_READ.items())
def test_a_file_without_frames_is_a_named_error(folder, expected, reader, name, reason):
    with pytest.raises(VideoError) as caught:
        read(reader, folder / name)
    assert (caught.value.reason, caught.value.file) == (reason, str(folder / name))
    opened = expected[name]["opencv"]["opened"]
    assert opened == (name == "audio_with_cover_art.m4a")


def test_every_other_file_gives_frames(folder, expected, reader):
    for name, wanted in expected.items():
        if name in NOT_READ:
            continue
        found = read(reader, folder / name)
        facts, stream = found.reading, wanted["ffprobe"]["streams"][0]
        assert facts["frames_decoded"] == int(stream["nb_read_frames"]), name
        height, width, _ = wanted["opencv"]["frame_shape_hwc"]
        assert found.size == (width, height), name
        assert facts["frames_promised"] in (None, int(stream.get("nb_frames", 0))), name
        assert found.sampling.indices == middle_indices(16, facts["frames_decoded"])
        assert len(found.frames) == len(set(found.sampling.indices)) == 16 - facts["frames_substituted"]
        assert NOTES.get(name) in (None, *facts["notes"]), name
        start = float(stream["start_time"])
        assert found.frames[0].pts == pytest.approx(start + found.frames[0].index / 25, abs=0.2), name


def test_flickering_of_odd_files(folder, expected, reader):
    """The recorded numbers allow 1e-3 between decoder builds."""
    compared = 0
    for name, wanted in expected.items():
        if name in NOT_READ or name in OTHER_FRAMES:
            continue
        result = flickering(read(reader, folder / name))
        if wanted["vbench_temporal_flickering"] is None:
            assert result.details == {"skipped": "single_frame"}, name
            continue
        assert result.score == pytest.approx(wanted["vbench_temporal_flickering"], abs=1e-3), name
        compared += 1
    assert compared == 8


def test_fastvideos_clip(cases, reader):
    folder = cases / "10-vbench" / "fastvideo-ltx2"
    expected = json.loads((folder / "expected.json").read_text())
    found = read(reader, folder / "ltx2.mp4")
    for mode in ("strict", "compat:vbench", "compat:fastvideo"):
        score = flickering(found, mode).score
        assert score == pytest.approx(expected["temporal_flickering_reference"], abs=1e-4)
        assert score == pytest.approx(expected["temporal_flickering_recomputed_here"], abs=1e-7)
    assert found.reading["frames_decoded"] == expected["opencv"]["frames_read"]
    assert found.sampling.indices == middle_indices(16, 120)


def test_frames_and_sizes_are_vbenchs(cases):
    path = cases.parent / "grit" / "vbench_rules_cases.json"
    if not path.is_file():
        pytest.skip("the recorded VBench rules are not here")
    rules = json.loads(path.read_text())
    for case in rules["frame_indices_middle"]:
        assert list(middle_indices(case["n"], case["T"])) == case["indices"]
    for case in rules["resize_rule"]:
        assert resized_size((case["w"], case["h"]), VBENCH_UINT8) == (case["new_w"], case["new_h"])
