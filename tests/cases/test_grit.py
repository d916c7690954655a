"""GRiT's own recorded outputs: the glue from recorded maps, logits and tokens; end to end with the same weights."""

from __future__ import annotations

import json

import numpy as np
import pytest

from handler.errors import ModelError
from handler.models.dense import CaptionOptions, DenseCaptioner
from handler.models.dense._cascade import best, refine
from handler.models.dense._decoding import DENSE_CAPTION, END, OBJECT, greedy
from handler.models.dense._graphs import Graph
from handler.models.dense._network import Network
from handler.models.dense._pooling import box_levels
from handler.models.dense._preprocess import network_input, resized
from handler.models.dense._proposals import propose
from handler.models.dense._words import caption_of
from tests.grit_fixtures import filler, with_object_bias

VBENCH = ("vbench_img1", "vbench_synthetic")
RECORDINGS = (*VBENCH, "demo_img1")
DEMO_BIAS = -2.22  # the knob cls_bias of the demo's recording


@pytest.fixture(scope="module")
def golden(recorded_grit):
    return lambda name: np.load(recorded_grit / "golden" / f"{name}.npz")


@pytest.fixture(scope="module")
def recording(golden):
    return lambda name: golden(f"seedA_{name}")


@pytest.fixture(scope="module")
def picture(golden):
    """The picture of a recording, as its caller gave it to the original."""
    inputs = golden("inputs")
    return lambda name: inputs["synthetic_rgb" if name.endswith("synthetic") else "img1_rgb"]


@pytest.fixture(scope="module")
def vocabulary():
    sizes = pytest.importorskip("model_export.grit.sizes", reason="the vocabulary is found by the export")
    from model_export.grit.vocabulary import find_vocabulary

    try:
        return find_vocabulary(sizes.GRIT_B).decode().splitlines()
    except ModelError as error:
        pytest.skip(str(error))


def full_maps(recorded):
    """The recorded heat maps and regressions; where only every second cell was recorded, the others are cold."""
    heatmaps, regressions = [], []
    for level in range(5):
        height, width = recorded[f"head.hm_logit.{level}.shape"][2:]
        sample, reach = recorded[f"head.hm_logit.{level}"], recorded[f"head.reg.{level}"]
        step = -(-height // len(sample))
        heat = np.full((1, 1, height, width), -20, np.float32)
        heat[0, 0, ::step, ::step] = sample
        regression = np.zeros((1, 4, height, width), np.float32)
        regression[0, :, ::step, ::step] = reach
        heatmaps.append(heat)
        regressions.append(regression)
    return heatmaps, regressions


def nearest(boxes, others):
    """For each of `boxes`, the index of the nearest other one and how far its corners are, in px."""
    apart = np.abs(boxes[:, None] - others[None]).max(axis=2)
    return apart.argmin(axis=1), apart.min(axis=1)


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_networks_input(name, recording, picture, golden):
    recorded = recording(name)
    frame = golden("inputs_demo_resized")["img1_800_rgb"] if name.startswith("demo") else picture(name)
    image = network_input(frame)
    assert image.shape == tuple(recorded["input.norm.shape"])
    assert np.abs(image[0, :, ::5, ::5] - recorded["input.norm"]).max() <= 1e-6
    assert frame.shape[:2] == tuple(recorded["input.image_size"])


def test_the_demos_resize_is_the_originals_pixel_by_pixel(golden, picture):
    pytest.importorskip("PIL", reason="the demo's rule needs the images extra")
    assert np.array_equal(resized(picture("demo_img1"), "demo"), golden("inputs_demo_resized")["img1_800_rgb"])


@pytest.mark.parametrize("name", RECORDINGS)
def test_proposals_from_recorded_maps(name, recording):
    """A third of the cells is recorded, among them all of the coarse levels: their boxes must be among the proposals."""
    recorded = recording(name)
    boxes, scores = propose(*full_maps(recorded))
    index, apart = nearest(recorded["prop.boxes"], boxes)
    same = apart <= 1e-2
    assert same.sum() >= 256 // 4
    assert np.abs(scores[index] - recorded["prop.scores"])[same].max() <= 5e-5


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_cascade_from_recorded_logits_and_deltas(name, recording):
    recorded = recording(name)
    seen = []

    def stage(number):
        def run(boxes):
            seen.append(boxes)
            return recorded[f"stage{number}.logits"], recorded[f"stage{number}.deltas"]

        return run

    boxes, scores = refine(
        recorded["prop.boxes"],
        recorded["prop.scores"],
        stages=[stage(number) for number in range(3)],
        image_size=tuple(recorded["input.image_size"].tolist()),
    )
    for number, given in enumerate(seen):
        assert np.abs(given - recorded[f"stage{number}.in_boxes"]).max() <= 1e-2
    assert np.abs(scores - recorded["final.all_scores"][:, 0]).max() <= 5e-5
    kept = best(boxes, scores, threshold=0.5, most=256)
    assert kept.tolist() == recorded["nms.keep_index"].tolist()
    assert np.abs(boxes[kept] - recorded["nms.boxes"]).max() <= 1e-2
    assert np.abs(scores[kept] - recorded["nms.scores"]).max() <= 5e-5


def test_pooling_is_the_originals(recorded_grit, golden, tiny_grit):
    """The graph holds no weights and takes any number of channels."""
    recorded = golden("component_roi_pool")
    unit = filler(recorded_grit).unit
    sizes = {3: (48, 64), 4: (24, 32), 5: (12, 16)}
    pyramid = {
        f"p{level}": unit(f"roi-probe-p{level}", (1, 8, *size), 0).astype(np.float32) for level, size in sizes.items()
    }
    levels = box_levels(recorded["boxes"])
    assert levels.tolist() == recorded["level"].tolist()
    for side in (7, 14):
        graph = Graph(tiny_grit / f"roi_{side}.onnx", provider="cpu", threads=1)
        pooled = graph({**pyramid, "boxes": recorded["boxes"], "level": levels})["pooled"]
        assert np.abs(pooled - recorded[f"pool{side}"]).max() <= 1e-6


@pytest.mark.parametrize(("task", "begin"), [("DenseCap", DENSE_CAPTION), ("ObjectDet", OBJECT)])
def test_greedy_search_over_the_recorded_rankings(task, begin, golden):
    """The five best words of every step are recorded, without the rule against saying a word twice."""
    recorded = golden("component_text_seedA")
    ranked = recorded[f"{task}.top5_per_step"]

    def step(tokens, position):
        logits = np.full((len(tokens), 30522), -50, np.float32)
        np.put_along_axis(logits, ranked[position], np.arange(5, 0, -1, np.float32)[None], axis=1)
        return logits

    found = greedy(step, len(ranked[0]), begin)
    assert [one.tokens for one in found] == [ended(row) for row in recorded[f"{task}.tokens"].tolist()]


def ended(tokens):
    """A recorded row without its begin token, up to the first end token."""
    said = tokens[1:]
    return tuple(said[: said.index(END) + 1] if END in said else said)


def test_tokens_become_the_originals_strings(recorded_grit, vocabulary):
    cases = json.loads((recorded_grit / "golden" / "detokenize_cases.json").read_text())
    assert len(cases) == 13
    for case in cases:
        assert caption_of(case["ids"], vocabulary) == case["text"]


@pytest.mark.parametrize("name", RECORDINGS)
def test_recorded_tokens_become_recorded_captions(name, recording, vocabulary):
    recorded = recording(name)
    for text, strings in (("main", "main"), ("det", "det"), ("DenseCap", "main")):
        if f"text.{text}.tokens" in recorded:
            tokens = recorded[f"text.{text}.tokens"].tolist()
            assert [caption_of(row[1:], vocabulary) for row in tokens] == recorded[f"roi.{strings}.strings"].tolist()


@pytest.fixture(scope="module")
def captioner(full_grit):
    """Through the exported graphs, with the filler's weights of seed A."""
    return DenseCaptioner(full_grit(), provider="cpu", threads=1)


@pytest.mark.full
@pytest.mark.parametrize("name", VBENCH)
def test_vbench_end_to_end(name, captioner, recording, picture):
    recorded = recording(name)
    (found,) = captioner.caption([picture(name)])
    assert [one.caption for one in found] == recorded["ret.captions"].tolist()
    assert [one.object for one in found] == recorded["ret.object_types"].tolist()
    assert np.abs([one.box for one in found] - recorded["nms.boxes"]).max() <= 1e-2
    assert_integers([one.box for one in found], recorded["ret.boxes_int"])
    assert np.abs([one.box_score for one in found] - recorded["nms.scores"]).max() <= 5e-5
    assert np.abs([one.caption_score for one in found] - recorded["roi.main.scores"]).max() <= 5e-5
    assert np.abs([one.object_score for one in found] - recorded["roi.det.scores"]).max() <= 5e-5


@pytest.mark.full
@pytest.mark.parametrize("name", VBENCH)
def test_vbench_step_by_step(name, captioner, recording, picture):
    recorded = recording(name)
    network: Network = captioner._network
    size = tuple(recorded["input.image_size"].tolist())
    pyramid, heatmaps, regressions = network.maps(network_input(picture(name)))
    boxes, scores = propose(heatmaps, regressions)
    assert len(boxes) == len(recorded["prop.boxes"])
    index, apart = nearest(recorded["prop.boxes"], boxes)
    assert sorted(index.tolist()) == list(range(len(boxes)))
    assert apart.max() <= 1e-2
    assert np.abs(scores[index] - recorded["prop.scores"]).max() <= 5e-5
    boxes, scores = refine(boxes, scores, stages=network.stages(pyramid), image_size=size)
    assert np.abs(scores[index] - recorded["final.all_scores"][:, 0]).max() <= 5e-5
    kept = best(boxes, scores, threshold=0.5, most=256)
    assert kept.tolist() == index[recorded["nms.keep_index"]].tolist()
    regions = network.regions(pyramid, boxes[kept])
    assert np.abs(regions[:, ::8, ::2, ::2] - recorded["objfeat"]).max() <= 2e-4
    for task, sentences in zip(("main", "det"), network.sentences(regions, (DENSE_CAPTION, OBJECT)), strict=True):
        assert [one.tokens for one in sentences] == [ended(row) for row in recorded[f"text.{task}.tokens"].tolist()]
        means = [one.log_probability for one in sentences]
        assert np.abs(means - recorded[f"text.{task}.logprob"]).max() <= 1e-4


@pytest.mark.full
def test_the_demo_end_to_end(full_grit, recording, picture, tmp_path):
    pytest.importorskip("PIL", reason="the demo's rule needs the images extra")
    recorded = recording("demo_img1")
    folder = with_object_bias(full_grit(), tmp_path / "demo", DEMO_BIAS)
    captioner = DenseCaptioner(folder, provider="cpu", threads=1)
    (found,) = captioner.caption([picture("demo_img1")], CaptionOptions(input_rule="demo"))
    assert [one.caption for one in found] == recorded["out.strings"].tolist()
    assert np.abs([one.box for one in found] - recorded["out.boxes"]).max() <= 1e-2
    assert np.abs([one.caption_score for one in found] - recorded["out.scores"]).max() <= 5e-5


@pytest.mark.full
@pytest.mark.parametrize(("task", "begin"), [("DenseCap", DENSE_CAPTION), ("ObjectDet", OBJECT)])
def test_the_text_decoder_alone(task, begin, captioner, recorded_grit, golden, vocabulary):
    recorded = golden("component_text_seedA")
    unit = filler(recorded_grit).unit
    features = unit("text-probe", (4, 196, 256), 0) * 0.5 + unit("text-probe-mean", (4, 1, 256), 0)
    regions = features.astype(np.float32).transpose(0, 2, 1).reshape(4, 256, 14, 14)
    (sentences,) = captioner._network.sentences(regions, (begin,))
    assert [one.tokens for one in sentences] == [ended(row) for row in recorded[f"{task}.tokens"].tolist()]
    assert np.abs([one.log_probability for one in sentences] - recorded[f"{task}.logprob"]).max() <= 1e-4
    assert [caption_of(one.tokens, vocabulary) for one in sentences] == recorded[f"{task}.strings"].tolist()


@pytest.mark.full
@pytest.mark.parametrize("size", [(64, 64), (131, 71), (800, 1333), (720, 1280)])
def test_sizes_run(size, captioner):
    frame = np.random.default_rng(0).integers(0, 256, (*size, 3), dtype=np.uint8)
    (found,) = captioner.caption([frame], CaptionOptions(max_detections=2))
    assert all(0 <= one.box[0] < one.box[2] <= size[1] and 0 <= one.box[1] < one.box[3] <= size[0] for one in found)


def assert_integers(boxes, expected):
    """Truncated corners, give or take one where a corner lies within a thousandth of an integer."""
    for box, whole in zip(boxes, expected.tolist(), strict=True):
        for corner, number in zip(box, whole, strict=True):
            assert int(corner) == number or (abs(corner - round(corner)) <= 1e-3 and abs(int(corner) - number) <= 1)
