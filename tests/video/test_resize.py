"""Resize rules against what OpenCV, Pillow and PyTorch make of the same frames."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from pictures import picture

from handler.errors import RequestError
from handler.video import DEMO, UNRESIZED, VBENCH_FLOAT, VBENCH_UINT8, resize, resized_size


def digest(pixels):
    return hashlib.sha256(np.ascontiguousarray(pixels).tobytes()).hexdigest()[:32]


@pytest.mark.parametrize(
    ("size", "resized", "sha256"),
    [
        ((1920, 1080), (1280, 720), "22d7001c53cf7e53d65db68e21227f88"),
        ((1366, 769), (1278, 720), "f5e320b5a4f2489f26dce1908bae1e6d"),
        ((1080, 1920), (720, 1280), "f1d77801f6fa54c64749a4b546b47ca7"),
        ((800, 800), (720, 720), "da45960fb71d1ebb4511744c84b00de1"),
    ],
)
def test_uint8_is_opencv(size, resized, sha256):
    """Recorded from cv2.resize(…, interpolation=cv2.INTER_LINEAR) of OpenCV 4.10.0 and 5.0.0, which agree."""
    assert resized_size(size, VBENCH_UINT8) == resized
    found = resize(picture(*size), VBENCH_UINT8)
    assert (found.shape, found.dtype) == ((resized[1], resized[0], 3), np.uint8)
    assert digest(found) == sha256


@pytest.mark.parametrize(
    ("size", "resized", "sha256"),
    [
        ((640, 427), (1199, 800), "2fd45b54729d660646d9f2ff6d424c00"),
        ((500, 375), (1067, 800), "95536599a9a1264c6b52dce7102e1f06"),
        ((1920, 1080), (1333, 750), "05bd694cde18d2737afd6df6a0e1b701"),
    ],
)
def test_demo_is_pillow(size, resized, sha256):
    """Recorded from Image.resize(…, Image.BILINEAR) of Pillow 13.0.0."""
    assert resized_size(size, DEMO) == resized
    assert digest(resize(picture(*size), DEMO)) == sha256


@pytest.mark.parametrize("size", [(1366, 769), (1270, 1080), (780, 1040)])
def test_float_is_torchvision(size):
    """torchvision's Resize of a float tensor is this call."""
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install scenescore[export]")
    frame = picture(*size)
    width, height = resized_size(size, VBENCH_FLOAT)
    tensor = torch.from_numpy(frame).permute(2, 0, 1)[None].float()
    expected = torch.nn.functional.interpolate(tensor, size=(height, width), mode="bilinear", antialias=True)
    found = resize(frame, VBENCH_FLOAT)
    assert found.dtype == np.float32
    assert np.abs(found - expected[0].permute(1, 2, 0).numpy()).max() < 1e-3
    assert np.abs(found - resize(frame, VBENCH_UINT8)).max() > 10  # antialiased, so not the other rule


def test_a_uniform_frame_stays_uniform():
    frame = np.full((900, 1200, 3), 77, np.uint8)
    for rule in (VBENCH_UINT8, VBENCH_FLOAT, DEMO):
        assert np.abs(resize(frame, rule) - np.float32(77)).max() < 1e-4, rule


@pytest.mark.parametrize("rule", [UNRESIZED, VBENCH_UINT8, VBENCH_FLOAT])
def test_small_frames_are_left_alone(rule):
    frame = picture(1360, 768)
    assert resize(frame, rule) is frame


def test_an_unknown_rule_is_refused():
    with pytest.raises(RequestError, match="no resize rule 'vbench'"):
        resize(picture(8, 8), "vbench")
