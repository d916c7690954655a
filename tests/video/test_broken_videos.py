"""Videos that are damaged, lie or are none: a named error or a recorded shortfall, never a hang."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest
from clips import gray_frames, levels, make_clip, read
from pictures import picture

from handler.errors import InputError
from handler.video import VideoError, VideoReader


@pytest.fixture(scope="module")
def reader():
    with VideoReader() as reader:
        yield reader


def test_a_truncated_file_is_a_recorded_shortfall(reader, tmp_path):
    path = tmp_path / "cut.mp4"
    make_clip(path, [picture(64, 48)] * 30, codec="libx264", pixel_format="yuv420p", options={"g": "5", "bf": "0"})
    whole = path.read_bytes()
    moov = whole.index(b"moov") - 4
    assert moov > whole.index(b"mdat")
    path.write_bytes(whole[: len(whole) // 2])  # the index is at the end, and gone
    with pytest.raises(VideoError) as caught:
        read(reader, path)
    assert (caught.value.reason, caught.value.file) == ("not_a_video", str(path))
    stream = tmp_path / "cut.mkv"
    make_clip(stream, gray_frames(range(0, 240, 8)))
    content = stream.read_bytes()
    stream.write_bytes(content[: len(content) * 6 // 10])
    found = read(reader, stream, n=8)
    assert 8 < found.reading["frames_decoded"] < 30
    assert levels(found) == {index: 8 * index for index in found.sampling.indices}


def test_a_header_that_promises_more_frames(reader, tmp_path):
    path = tmp_path / "lying.mp4"
    make_clip(path, [picture(64, 48)] * 30, codec="libx264", pixel_format="yuv420p", options={"g": "1", "bf": "0"})
    content = bytearray(path.read_bytes())
    media = content.index(b"mdat") + 4
    end = content.index(b"moov") - 4
    content[media + (end - media) // 2 : end] = bytes(end - media - (end - media) // 2)  # the second half is zeros
    path.write_bytes(content)
    facts = read(reader, path).reading
    assert facts["frames_promised"] == 30
    assert 0 < facts["frames_decoded"] < 30
    assert {"fewer_frames_than_promised", "damaged"} <= set(facts["notes"])


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.mp4", b"", "empty_file"),
        ("text.mp4", b"a text that was renamed\n" * 20, "not_a_video"),
        ("noise.mp4", bytes(range(256)) * 40, "not_a_video"),
        ("list.mp4", b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nclip.ts\n#EXT-X-ENDLIST\n", "not_a_video"),
        ("list.m3u8", b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nclip.ts\n#EXT-X-ENDLIST\n", "not_a_video"),
        ("script.mkv", b"ffconcat version 1.0\nfile clip.ts\n", "not_a_video"),
        ("a.png", b"\x89PNG\r\n\x1a\n", None),
    ],
)
def test_what_is_no_video_is_said_in_words(reader, tmp_path, name, content, reason):
    """A playlist and a script name other files; a clip that they could play is beside them."""
    make_clip(tmp_path / "clip.ts", gray_frames([1, 2, 3]), codec="mpeg2video", pixel_format="yuv420p")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(VideoError) as caught:
        read(reader, tmp_path / name)
    assert isinstance(caught.value, InputError)
    assert caught.value.reason in ((reason,) if reason else ("no_frames", "not_a_video"))
    assert str(tmp_path / name) in str(caught.value)


def test_sound_alone(reader, tmp_path):
    import av

    path = tmp_path / "sound.wav"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000, layout="mono")
        sound = av.AudioFrame.from_ndarray(np.zeros((1, 800), np.int16), layout="mono")
        sound.rate = 8000
        container.mux(stream.encode(sound))
        container.mux(stream.encode(None))
    with pytest.raises(VideoError, match="only sound"):
        read(reader, path)


HUNG = "import sys, time; sys.stdin.readline(); time.sleep(600)"
BUSY = """
import struct, sys, time
sys.stdin.readline()
while True:
    sys.stdout.buffer.write(struct.pack(">cQ", b"p", 0)); sys.stdout.buffer.flush(); time.sleep(0.05)
"""
CRASH = "import os, signal, sys; sys.stdin.readline(); os.kill(os.getpid(), signal.SIGSEGV)"


@pytest.mark.parametrize(("script", "reason"), [(HUNG, "stalled"), (BUSY, "out_of_time"), (CRASH, "crashed")])
def test_a_decoder_that_hangs_or_crashes_is_replaced(tmp_path, monkeypatch, script, reason):
    path = make_clip(tmp_path / "clip.mkv", gray_frames([1, 2, 3]))
    with VideoReader(stall_limit=0.7, time_limit=1.5) as reader, monkeypatch.context() as patch:
        patch.setattr("handler.video._process._COMMAND", (sys.executable, "-c", script))
        started = time.monotonic()
        with pytest.raises(VideoError) as caught:
            read(reader, path)
        assert time.monotonic() - started < 5
        assert caught.value.reason == reason
    with VideoReader() as reader:
        assert read(reader, path).reading["frames_decoded"] == 3


def test_a_child_that_ended_in_between_is_replaced(tmp_path):
    path = make_clip(tmp_path / "clip.mkv", gray_frames([1, 2, 3]))
    with VideoReader() as reader:
        read(reader, path)
        child = reader._decoder._child
        child.kill()
        child.wait()
        assert read(reader, path).reading["frames_decoded"] == 3
