"""Reading videos: which frames, in which orientation, what is noted, and what is refused in which words."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from clips import gray_frames, levels, make_clip, read, with_matrix
from pictures import picture

from handler import storage
from handler.errors import RequestError
from handler.video import (
    UNRESIZED,
    VBENCH_FLOAT,
    VBENCH_UINT8,
    Detection,
    Detector,
    VideoReader,
    find_detections,
    local_video,
    resize,
    store_detections,
)


@pytest.fixture(scope="module")
def reader():
    with VideoReader() as reader:
        yield reader


def test_frames_are_those_that_the_rule_picks(reader, tmp_path):
    path = make_clip(tmp_path / "clip.mkv", gray_frames(range(0, 240, 8)))
    found = read(reader, path, n=4)
    assert found.sampling.indices == (3, 10, 18, 25)  # bounds 0, 7, 15, 22, 30
    assert levels(found) == {index: 8 * index for index in found.sampling.indices}
    assert [frame.pts for frame in found.frames] == pytest.approx([index / 25 for index in found.sampling.indices])
    assert (found.size, found.resize) == ((64, 48), UNRESIZED)
    facts = found.reading
    assert (facts["frames_asked"], facts["frames_decoded"], facts["frames_substituted"]) == (4, 30, 0)
    assert facts["notes"] == []


def test_a_tag_that_is_not_utf8_spoils_nothing(reader, tmp_path):
    path = tmp_path / "clip.mkv"
    make_clip(path, gray_frames([80]), title="caf?")
    content = path.read_bytes()
    assert content.count(b"caf?") == 1
    path.write_bytes(content.replace(b"caf?", b"caf\xe9"))  # Latin-1
    assert levels(read(reader, path, n=1)) == {0: 80}


def test_b_frames_come_in_order_of_presentation(reader, tmp_path):
    path = make_clip(
        tmp_path / "b.mp4", gray_frames(range(0, 240, 8)), codec="libx264", pixel_format="yuv444p", options={"qp": "0"}
    )
    found = read(reader, path, n=30)
    seen = [levels(found)[index] for index in range(30)]
    assert np.abs(np.array(seen) - np.arange(0, 240, 8)).max() <= 1  # YUV rounds
    assert [frame.pts for frame in found.frames] == pytest.approx([index / 25 for index in range(30)])


def test_few_frames_are_repeated_and_counted(reader, tmp_path):
    three = read(reader, make_clip(tmp_path / "three.mkv", gray_frames([10, 20, 30])), n=5)
    assert three.sampling.indices == (0, 1, 2, 2, 2)
    assert levels(three) == {0: 10, 1: 20, 2: 30}
    assert three.reading["frames_substituted"] == 2
    assert three.reading["notes"] == ["fewer_frames_than_asked"]
    one = read(reader, make_clip(tmp_path / "one.mkv", gray_frames([10])), differences=True)
    assert one.sampling.indices == (0,) * 16
    assert (one.reading["n_frame_pairs"], one.reading["frame_difference"]) == (0, None)
    assert "single_frame" in one.reading["notes"]


def test_a_varying_frame_rate_is_sampled_by_time(reader, tmp_path):
    times = [*range(0, 100, 10), 100, 900]  # milliseconds
    path = make_clip(tmp_path / "vfr.mkv", gray_frames(range(0, 120, 10)), times=times)
    by_frames, by_time = read(reader, path, n=4), read(reader, path, n=4, rule="time")
    assert by_frames.sampling.indices == (1, 4, 7, 10)
    assert set(by_time.sampling.indices) == {10}
    assert by_time.sampling.rule == "time"
    assert by_time.reading["notes"] == ["variable_frame_rate"]


@pytest.mark.parametrize(
    ("matrix", "upright"),
    [
        ((1, 0, 0, 1), lambda image: image),
        ((0, 1, -1, 0), lambda image: np.rot90(image, -1)),  # (p, q) goes to (-q, p): a clockwise turn, y goes down
        ((-1, 0, 0, -1), lambda image: np.rot90(image, 2)),
        ((0, -1, 1, 0), lambda image: np.rot90(image, 1)),
        ((-1, 0, 0, 1), lambda image: image[:, ::-1]),
        ((1, 0, 0, -1), lambda image: image[::-1]),
        ((0, 1, 1, 0), lambda image: image.transpose(1, 0, 2)),
    ],
)
def test_frames_are_turned_upright(reader, tmp_path, matrix, upright):
    path = tmp_path / "turned.mp4"
    make_clip(path, [picture(64, 48)] * 2, codec="libx264rgb", pixel_format="rgb24", options={"qp": "0"})
    plain = read(reader, path).frames[0].pixels
    assert np.array_equal(plain, picture(64, 48))
    with_matrix(path, matrix)
    found = read(reader, path)
    assert np.array_equal(found.frames[0].pixels, upright(picture(64, 48)))
    assert found.size == found.frames[0].pixels.shape[1::-1]
    assert ("turned_upright" in found.reading["notes"]) == (matrix != (1, 0, 0, 1))


@pytest.mark.parametrize(("width", "height"), [(161, 121), (2, 2), (63, 1)])
def test_odd_sizes(reader, tmp_path, width, height):
    path = make_clip(tmp_path / "odd.mkv", [picture(width, height)] * 3)
    assert np.array_equal(read(reader, path).frames[0].pixels, picture(width, height))


def test_more_than_8_bits_and_alpha_are_noted(reader, tmp_path):
    ten = make_clip(tmp_path / "ten.mkv", gray_frames([0, 128, 255]), pixel_format="yuv444p10le")
    found = read(reader, ten, n=3)
    assert np.abs(np.array(list(levels(found).values())) - [0, 128, 255]).max() <= 1
    assert (found.reading["bits"], found.reading["notes"]) == (10, ["reduced_to_8_bits"])
    alpha = make_clip(tmp_path / "alpha.mkv", gray_frames([7, 8]), pixel_format="bgra")
    assert read(reader, alpha, n=2).reading["notes"] == ["alpha_dropped"]


def test_the_size_of_most_frames_is_that_of_the_video(reader, tmp_path):
    parts = []
    for name, size, n in (("one", (96, 80), 2), ("other", (64, 48), 6)):
        frames = gray_frames([50] * n, width=size[0], height=size[1])
        make_clip(tmp_path / f"{name}.ts", frames, codec="mpeg2video", pixel_format="yuv420p")
        parts.append((tmp_path / f"{name}.ts").read_bytes())
    (tmp_path / "both.ts").write_bytes(b"".join(parts))
    found = read(reader, tmp_path / "both.ts", n=8, differences=True)
    assert {frame.pixels.shape for frame in found.frames} == {(48, 64, 3)}
    assert (found.reading["width"], found.reading["height"]) == (64, 48)
    assert "size_changes" in found.reading["notes"]
    assert found.reading["n_frame_pairs"] == found.reading["frames_decoded"] - 2  # two sizes have no difference


def test_a_gif_and_still_pictures(reader, tmp_path):
    gif = make_clip(tmp_path / "clip.gif", gray_frames([0, 255] * 8), codec="gif", pixel_format="gray", rate=10)
    assert list(levels(read(reader, gif)).values()) == [0, 255] * 8
    for codec, name in (("png", "p.png"), ("bmp", "p.bmp")):
        path = make_clip(
            tmp_path / name, [picture(40, 30)], codec=codec, pixel_format="rgb24" if codec == "png" else "bgr24"
        )
        found = read(reader, path, n=1, rule="image")
        assert np.array_equal(found.frames[0].pixels, picture(40, 30))
        assert (found.sampling.indices, found.sampling.rule) == ((0,), "image")


def test_the_difference_of_frames(reader, tmp_path):
    path = make_clip(tmp_path / "steps.mkv", gray_frames([0, 10, 40, 40]))
    facts = read(reader, path, differences=True).reading
    assert (facts["frame_difference"], facts["n_frame_pairs"]) == (pytest.approx((10 + 30 + 0) / 3), 3)
    assert "frame_difference" not in read(reader, path).reading


@pytest.mark.parametrize("rule", [VBENCH_UINT8, VBENCH_FLOAT])
def test_large_frames_are_resized_and_small_ones_say_that_they_are_not(reader, tmp_path, rule):
    large = read(reader, make_clip(tmp_path / "large.mkv", [picture(1040, 780)]), resize=rule)
    assert (large.resize, large.size) == (rule, (960, 720))
    assert np.array_equal(large.frames[0].pixels, resize(picture(1040, 780), rule))
    assert (large.reading["width"], large.reading["height"]) == (1040, 780)
    small = read(reader, make_clip(tmp_path / "small.mkv", [picture(64, 48)]), resize=rule)
    assert small.resize == UNRESIZED
    assert small.key("d").name != large.key("d").name


def test_a_video_on_s3(reader, tmp_path, weed, folder):
    path = make_clip(tmp_path / "clip.mkv", gray_frames([10, 20, 30]))
    location = storage.join(folder, "a clip #1 ü.mkv")
    storage.write_bytes(location, (tmp_path / "clip.mkv").read_bytes())
    with local_video(location) as remote, local_video(path) as local:
        assert (remote.source, remote.sha256) == (location, local.sha256)
        assert levels(reader.read(remote, n=3)) == {0: 10, 1: 20, 2: 30}


def test_detections_of_a_video_are_stored_under_what_they_are_about(reader, tmp_path):
    found = read(reader, make_clip(tmp_path / "clip.mkv", gray_frames([10, 20])), n=3)
    detector = Detector("tiny|fp32")
    seen = {
        frame.index: [Detection((0.0, 0.0, 1.0, 1.0), 0.9, "", 0.5, str(frame.index), 0.5)] for frame in found.frames
    }
    detections = found.detections(detector, seen)
    assert [frame.detections[0].object for frame in detections.frames] == ["0", "1", "1"]
    store_detections(str(tmp_path / "out"), detections)
    assert find_detections(str(tmp_path / "out"), found.key("tiny|fp32")) == detections


def test_unknown_rules_are_refused(reader, tmp_path):
    path = make_clip(tmp_path / "clip.mkv", gray_frames([1]))
    for asked in ({"rule": "rand"}, {"n": 0}, {"resize": "half"}):
        with pytest.raises(RequestError):
            read(reader, path, **asked)


def test_pyav_is_optional(monkeypatch):
    code = "import handler.video, sys; print('av' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RequestError, match="video extra"):
        VideoReader()
