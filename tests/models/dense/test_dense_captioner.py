"""The captioner on a tiny network that the real export wrote: batches, options, sizes, and what goes wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import astuple, replace

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper

from handler.errors import InputError, ModelError, RequestError
from handler.models.dense import CaptionOptions, DenseCaptioner
from handler.models.dense._captioner import BOXES_AT_ONCE
from tests.grit_fixtures import seal


def picture(seed, height=96, width=128):
    """Noise with two flat patches."""
    frame = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    frame[height // 4 : height // 2, width // 8 : width // 2] = (200, 20, 30)
    frame[height // 2 :, width // 2 :] = (20, 40, 180)
    return frame


@pytest.fixture(scope="module")
def captioner(tiny_grit):
    return DenseCaptioner(tiny_grit, provider="cpu", threads=1)


@pytest.fixture(scope="module")
def found(captioner):
    return captioner.caption([picture(1)])[0]


@pytest.fixture
def copy(tiny_grit, tmp_path):
    return shutil.copytree(tiny_grit, tmp_path / "copy")


def assert_same(one, other):
    """Equal words and order; numbers within the rounding of another batch."""
    assert [(a.caption, a.object) for a in one] == [(b.caption, b.object) for b in other]
    for a, b in zip(one, other, strict=True):
        assert a.box == pytest.approx(b.box, abs=1e-2)
        scores = (a.box_score, a.caption_score, a.object_score)
        assert scores == pytest.approx((b.box_score, b.caption_score, b.object_score), abs=5e-5)


def test_the_exports_gate_held_on_this_very_run_time(captioner):
    """The gate compares boxes, scores and words with a definition in torch that shares no code with the run time."""
    assert captioner.card.verified
    assert captioner.card.parity["n_detections"] == captioner.card.parity["n_detections_of_run_time"] > 0


def test_detections_are_ranked_and_lie_in_the_picture(found):
    assert len(found) > BOXES_AT_ONCE["cpu"]
    scores = [one.box_score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0.5
    for one in found:
        x0, y0, x1, y1 = one.box
        assert 0 <= x0 < x1 <= 128
        assert 0 <= y0 < y1 <= 96
        assert all(0 <= score <= 1 for score in (one.caption_score, one.object_score))
    assert len({one.caption for one in found}) > 5
    assert any(one.caption != one.object for one in found)


def test_frames_together_have_the_bits_of_each_alone(captioner, found):
    frames = [picture(1), picture(2, 33, 47), picture(3, 64, 64), picture(4, 200, 90)]
    together = captioner.caption(frames)
    assert [len(one) > 0 for one in together] == [True] * 4
    assert together[0] == found
    for frame, detections in zip(frames, together, strict=True):
        assert detections == captioner.caption([frame])[0]


def test_detections_come_before_all_frames_are_read(captioner):
    taken = []

    def frames():
        for seed in range(50):
            taken.append(seed)
            yield picture(seed)

    next(captioner.caption_each(frames()))
    assert len(taken) == 1


def test_no_frames_and_frames_with_nothing(captioner):
    nothing = CaptionOptions(score_threshold=1.0)
    assert captioner.caption([]) == []
    assert captioner.caption([picture(1), picture(2)], nothing) == [(), ()]


def test_a_frame_with_nothing_among_others_keeps_its_place(captioner, found):
    highest = found[0].box_score
    frames = [picture(1), picture(5), picture(6)]
    alone = [one[0].box_score for one in captioner.caption(frames)]
    between = CaptionOptions(score_threshold=float(np.median(alone)) - 1e-4)
    together = captioner.caption(frames, between)
    assert [bool(one) for one in together] == [score > between.score_threshold for score in alone]
    assert () in together
    assert highest == pytest.approx(alone[0], abs=1e-6)


@pytest.mark.parametrize("size", [(1, 1), (5, 200), (31, 33), (64, 64), (97, 161)])
def test_any_size_runs(captioner, size):
    (detections,) = captioner.caption([picture(7, *size)], CaptionOptions(score_threshold=0.1))
    for one in detections:
        assert 0 <= one.box[0] < one.box[2] <= size[1]
        assert 0 <= one.box[1] < one.box[3] <= size[0]


def test_floats_and_bytes_give_the_same(captioner, found):
    assert captioner.caption([picture(1).astype(np.float32)])[0] == found


def test_max_detections_keeps_the_best(captioner, found):
    assert captioner.caption([picture(1)], CaptionOptions(max_detections=3))[0] == found[:3]


def test_a_threshold_keeps_the_best(captioner, found):
    threshold = found[5].box_score
    assert captioner.caption([picture(1)], CaptionOptions(score_threshold=threshold))[0] == found[:5]


def test_the_demo_gives_boxes_in_the_picture_as_it_came(captioner):
    image = pytest.importorskip("PIL.Image", reason="the demo's rule needs the images extra")
    frame = picture(8, 60, 90)
    scaled = np.asarray(image.fromarray(frame).resize((1200, 800), image.Resampling.BILINEAR))
    large = captioner.caption([scaled], CaptionOptions(max_detections=20))[0]
    small = captioner.caption([frame], CaptionOptions(max_detections=20, input_rule="demo"))[0]
    assert_same(small, [replace(one, box=tuple(np.array(one.box) * 90 / 1200)) for one in large])


def test_several_threads_give_the_same(tiny_grit, found):
    assert DenseCaptioner(tiny_grit, provider="cpu", threads=2).caption([picture(1)])[0] == found


def test_the_signature_names_all_that_changes_what_is_seen(captioner):
    options = CaptionOptions()
    others = [
        replace(options, score_threshold=0.4),
        replace(options, max_detections=9),
        replace(options, input_rule="demo"),
    ]
    signatures = {captioner.signature(one) for one in (options, *others)}
    assert len(signatures) == 4
    assert captioner.signature() in signatures
    assert all(captioner.card.sha256[:16] in one for one in signatures)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"score_threshold": 1.5}, "a score lies in 0..1, not 1.5"),
        ({"score_threshold": float("nan")}, "a score lies in 0..1, not nan"),
        ({"max_detections": 0}, "max_detections must be a whole number from 1, got 0"),
        ({"max_detections": True}, "max_detections must be a whole number from 1, got True"),
        ({"input_rule": "coco"}, "there is no input rule 'coco'. It is vbench or demo"),
    ],
)
def test_options_that_make_no_sense(options, match):
    with pytest.raises(RequestError, match=match):
        CaptionOptions(**options)


def test_what_is_no_frame_is_refused(captioner):
    with pytest.raises(InputError, match=r"a frame is an array \(height, width, 3\)"):
        captioner.caption([np.zeros((8, 8), np.uint8)])


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_thread_counts_that_make_no_sense(tiny_grit, threads):
    with pytest.raises(RequestError, match="threads must be a whole number from 1"):
        DenseCaptioner(tiny_grit, threads=threads)


def test_cuda_is_used_only_where_it_is(tiny_grit, monkeypatch):
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CPUExecutionProvider"])
    assert DenseCaptioner(tiny_grit).provider == "cpu"
    with pytest.raises(RequestError, match=r"runs on the CPU only. Install onnxruntime-gpu"):
        DenseCaptioner(tiny_grit, provider="cuda")
    with pytest.raises(RequestError, match=r"there is no provider 'gpu'. It is auto, cpu or cuda"):
        DenseCaptioner(tiny_grit, provider="gpu")


def test_cuda_that_does_not_start_is_an_error_not_a_slow_run(tiny_grit, monkeypatch):
    """ONNX Runtime falls back to the CPU with a line in a log when the driver or cuDNN is missing."""
    session = onnxruntime.InferenceSession
    monkeypatch.setattr(
        onnxruntime, "get_available_providers", lambda: ["CUDAExecutionProvider", "CPUExecutionProvider"]
    )
    monkeypatch.setattr(
        onnxruntime,
        "InferenceSession",
        lambda path, options, providers: session(path, options, providers=["CPUExecutionProvider"]),
    )
    captioner = DenseCaptioner(tiny_grit)
    assert captioner.provider == "cuda"
    with pytest.raises(ModelError, match="has the CUDA provider but cannot start it"):
        captioner.caption([picture(1)])


def test_a_missing_or_damaged_folder_says_what_to_type(copy, tmp_path):
    with pytest.raises(ModelError, match="scenescore export grit --checkpoint"):
        DenseCaptioner(tmp_path)
    (copy / "step.onnx.data").write_bytes(b"")
    with pytest.raises(ModelError, match=r"step.onnx.data has 0 bytes where its card says"):
        DenseCaptioner(copy)
    card = json.loads((copy / "card.json").read_text())
    del card["files"]["step.onnx"], card["files"]["step.onnx.data"]
    (copy / "card.json").write_text(json.dumps(card))
    with pytest.raises(ModelError, match=r"the model card names no step.onnx"):
        DenseCaptioner(copy)
    (copy / "card.json").write_text(json.dumps(card | {"kind": "text_encoder"}))
    with pytest.raises(ModelError, match=r"of kind text encoder, not dense captioner"):
        DenseCaptioner(copy)


def test_damaged_weights_of_the_right_size_are_refused(copy):
    with (copy / "backbone.onnx.data").open("r+b") as file:
        size = file.seek(0, 2)
        file.truncate(size // 2)
        file.truncate(size)
    with pytest.raises(ModelError, match=r"backbone.onnx.data: the content is not what the card says"):
        DenseCaptioner(copy).caption([picture(1)])


@pytest.mark.parametrize(
    ("graph", "weight", "output"),
    [
        ("backbone", "agn_hm.bias", "heatmap_3"),
        ("boxes_1", "cls_score.bias", "logits"),
        ("step", "output.bias", "logits"),
    ],
)
def test_numbers_that_are_not_finite_are_an_error(copy, graph, weight, output):
    model = onnx.load(copy / f"{graph}.onnx")
    (broken,) = (one for one in model.graph.initializer if one.name.endswith(weight) and "attention" not in one.name)
    broken.CopyFrom(numpy_helper.from_array(np.full(tuple(broken.dims), np.nan, np.float32), broken.name))
    for name in (f"{graph}.onnx", f"{graph}.onnx.data"):
        (copy / name).unlink()
    onnx.save_model(model, str(copy / f"{graph}.onnx"))
    (copy / f"{graph}.onnx.data").write_bytes(b"")
    seal(copy)
    with pytest.raises(ModelError, match=rf"not finite \({output}\)"):
        DenseCaptioner(copy, provider="cpu").caption([picture(1)])


def test_it_runs_where_there_is_no_torch(tiny_grit, found):
    code = f"""
import sys
for name in ("torch", "torchvision", "cv2", "onnx", "transformers", "optimum", "scipy", "sklearn", "pandas", "PIL"):
    sys.modules[name] = None
import numpy as np
from handler.models.dense import DenseCaptioner
frame = np.load(sys.argv[1])
detections = DenseCaptioner({str(tiny_grit)!r}, provider="cpu", threads=1).caption([frame])[0]
print(repr([(one.caption, one.object) for one in detections]))
"""
    path = tiny_grit.parent / "frame.npy"
    np.save(path, picture(1))
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert eval(done.stdout) == [(one.caption, one.object) for one in found]


def test_detections_are_plain_python(found):
    assert all(type(value) in (float, str, tuple) for value in astuple(found[0]))
    assert all(type(value) is float for value in found[0].box)
