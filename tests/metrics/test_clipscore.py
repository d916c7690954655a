"""CLIPScore and RefCLIPScore: by hand on given vectors, and against transformers on a real CLIP."""

from __future__ import annotations

import io
import json
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("PIL")
from PIL import Image

from handler.errors import RequestError
from handler.metrics import get_metric
from handler.models import ImageTextEncoder, PictureError, PictureVector, TextVector
from handler.samples import CaptionSample
from tests.pictures import file_of, picture

ANGLES = {"same": 0, "near": 60, "far": 90, "away": 120, "opposite": 180}  # degrees between a text and every picture


def unit(degrees: float) -> Any:
    return np.round([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))], 7).astype(np.float32)


class Towers:
    """An encoder whose vectors are given: a text by its last word, a picture always at 0 degrees."""

    card = SimpleNamespace(name="towers", sha256="0" * 64, precision="fp32", max_tokens=5, languages=None)

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.pictures: list[str] = []

    def encode_texts(self, texts):
        distinct = list(dict.fromkeys(texts))
        self.texts += distinct
        return {text: self._text(text) for text in distinct}

    def encode_pictures(self, names, open_picture, *, as_original=False):
        self.pictures += names
        found = {}
        for name in names:
            try:
                found[name] = PictureVector(unit(0), open_picture(name) is not None, ())
            except PictureError as error:
                found[name] = error
        return found

    @staticmethod
    def _text(text):
        n = len(text.split()) + 2
        return TextVector(unit(ANGLES.get(text.split()[-1], 45)), n, n > 5, "broken" not in text)


def captioned(caption, *references, image="a.png", index=0, session="s"):
    return CaptionSample(index, session, "m", str(index), caption, references, image=image)


def made(mode="strict", open_image=lambda _: b"", **options):
    towers = Towers()
    return get_metric("captions.clipscore", mode=mode, encoder=towers, open_image=open_image, **options), towers


@pytest.mark.parametrize(
    ("caption", "score"), [("same", 2.5), ("near", 1.25), ("far", 0.0), ("away", 0.0), ("opposite", 0.0)]
)
def test_clipscore_is_2_5_times_the_cosine_cut_at_0(caption, score):
    metric, towers = made()
    result = metric.compute(captioned(caption))
    assert result.score == pytest.approx(score, abs=1e-6)
    assert result.details["cosine"] == pytest.approx(math.cos(math.radians(ANGLES[caption])), abs=1e-6)
    assert "ref_clipscore" not in result.details
    assert towers.texts == [f"A photo depicts {caption}"]


def test_ref_clipscore_is_the_harmonic_mean_with_the_best_reference():
    """cos(60) = 0.5, so CLIPScore 1.25; the best reference lies 30 degrees from the caption: 2 * 1.25 * 0.866 / 2.116."""
    metric, towers = made()
    result = metric.compute(captioned("near", "opposite", "far", "same"))
    assert result.score == pytest.approx(1.25, abs=1e-6)
    assert result.details["reference_cosine"] == pytest.approx(math.sqrt(3) / 2, abs=1e-6)
    assert result.details["ref_clipscore"] == pytest.approx(1.0231746, abs=1e-6)
    assert (result.details["best_reference"], result.details["n_references"]) == (1, 3)
    assert all(text.startswith("A photo depicts ") for text in towers.texts)


def test_blank_references_are_passed_over_and_places_stay():
    metric, _ = made()
    result = metric.compute(captioned("same", " ", "near"))
    assert (result.details["best_reference"], result.details["n_references"]) == (1, 1)
    assert "ref_clipscore" not in metric.compute(captioned("same", "", "\u200b")).details


def test_where_the_code_divides_0_by_0_the_paper_says_0():
    """Caption at 90 degrees to the picture and to the reference: both parts of the harmonic mean are 0."""
    strict, compat = (made(mode)[0].compute(captioned("far", "same")) for mode in ("strict", "compat"))
    assert (strict.score, strict.details["ref_clipscore"]) == (0.0, 0.0)
    assert (compat.score, compat.details["ref_clipscore"]) == (0.0, None)
    assert "ref_clipscore" in compat.details


def test_the_code_does_not_cut_reference_cosines_and_the_paper_does():
    """Caption at 60 degrees: 1.25. Reference at 180: cosine -0.5. Paper: H(1.25, 0) = 0. Code: 2 * 1.25 * -0.5 / 0.75."""
    assert made()[0].compute(captioned("near", "opposite")).details["ref_clipscore"] == 0.0
    compat = made("compat:clipscore")[0].compute(captioned("near", "opposite")).details
    assert compat["ref_clipscore"] == pytest.approx(-5 / 3, abs=1e-6)


def test_compat_decodes_html_and_counts_blank_references_and_strict_does_not():
    sample = captioned("dogs &amp;amp; near", "", "same")
    metric, towers = made()
    metric.compute(sample)
    assert towers.texts == ["A photo depicts dogs &amp;amp; near", "A photo depicts same"]
    metric, towers = made("compat")
    assert metric.compute(sample).details["n_references"] == 2
    assert towers.texts == ["A photo depicts dogs & near", "A photo depicts ", "A photo depicts same"]


def test_the_prefix_is_an_option_and_in_the_signature():
    metric, towers = made(prefix="")
    metric.compute(captioned("same", "near"))
    assert towers.texts == ["same", "near"]
    assert "|prefix:''|mode:strict" in metric.signature()
    assert "|prefix:'A photo depicts '|" in made()[0].signature()
    with pytest.raises(RequestError, match="prefix must be a text"):
        made(prefix=3)


def failing(image):
    raise PictureError("there is no such picture", reason="image_not_found", file=image)


def test_states_and_warnings():
    metric, _ = made()
    assert metric.compute(captioned(None)).details == {"skipped": "missing_answer"}
    assert metric.compute(captioned("same", image=None)).details == {"skipped": "missing_image"}
    assert metric.compute(captioned("same", image=" ")).details == {"skipped": "missing_image"}
    empty = metric.compute(captioned(""))
    assert (empty.state, empty.details["warnings"]) == ("scored", ["empty_answer"])
    long = metric.compute(captioned("one two same", "near"))
    assert (long.details["n_tokens"], long.details["truncated"]) == ([8, 6], [True, True])
    assert long.details["warnings"] == ["truncated"]
    assert metric.compute(captioned("broken same")).details == {"error": "non_finite"}
    assert metric.compute(captioned("рядом с дверью")).details["warnings"] == ["truncated", "language:cyrillic"]
    gone = made(open_image=failing)[0].compute(captioned("same"))
    assert (gone.state, gone.score, gone.details["error"]) == ("error", None, "image_not_found")
    assert gone.details["message"] == "a.png: there is no such picture"
    assert gone.details["warnings"] == ["image_not_found"]
    with pytest.raises(RequestError, match="made without open_image"):
        made(open_image=None)[0].compute(captioned("same"))


def test_each_picture_is_opened_once_and_order_is_kept():
    metric, towers = made()
    samples = [captioned(caption, image=image) for image in ("a", "b") for caption in ("same", "far", None, "near")]
    scores = [result.score for result in metric.compute_batch(samples)]
    assert scores == pytest.approx([2.5, 0, None, 1.25] * 2, abs=1e-6)
    metric.compute(captioned("away", image="b"))
    assert towers.pictures == ["a", "b"]


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_any_cut_into_shards_gives_the_same_report(parts):
    metric, _ = made()
    words = list(ANGLES)
    samples = [
        captioned(words[n * n % 5], *words[: n % 3], image=None if n % 11 == 10 else "a", index=n) for n in range(200)
    ]
    results = metric.compute_batch(samples)
    whole = metric.tally()
    for result in results:
        whole.add(result)
    merged = metric.tally()
    for part in range(parts):
        shard = metric.tally()
        for result in results[part::parts]:
            shard.add(result)
        restored = metric.tally()
        restored.restore(json.loads(json.dumps(shard.state())))
        merged.merge_from(restored)
    assert merged.summary() == whole.summary()
    found = whole.summary()
    scores = np.array([result.score for result in results if result.score is not None])
    refs = np.array([one.details["ref_clipscore"] for one in results if "ref_clipscore" in one.details])
    assert found["clipscore"] == pytest.approx(scores.mean(), abs=1e-9)
    assert found["ref_clipscore"] == pytest.approx(refs.mean(), abs=1e-9)
    assert (found["n_with_references"], found["n_samples"], found["skipped"]) == (len(refs), 200, {"missing_image": 18})
    interval = found["intervals"]["clipscore"]
    half = 1.9734 * scores.std(ddof=1) / math.sqrt(len(scores))  # Student's t for 181 degrees of freedom
    assert interval["high"] - interval["low"] == pytest.approx(2 * half, rel=1e-3)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_equal_scores_have_that_score_as_their_mean(n):
    metric, _ = made()
    result = metric.compute(captioned("unsure", "near"))  # 2.5 * cos(45), which no sum of whole steps can hold
    tally = metric.tally()
    for _ in range(n):
        tally.add(result)
    found = tally.summary()
    assert (found["clipscore"], found["ref_clipscore"]) == (result.score, result.details["ref_clipscore"])
    assert found["min_clipscore"] == found["clipscore"] == found["max_clipscore"]
    for name, interval in found["intervals"].items():
        assert interval is None if n == 1 else interval["low"] == interval["high"] == found[name]


def test_nothing_scored_has_no_figures():
    found = made()[0].tally().summary()
    assert (found["clipscore"], found["ref_clipscore"], found["n_with_references"]) == (None, None, 0)
    assert found["intervals"] == {"clipscore": None, "ref_clipscore": None}


def test_scores_equal_transformers(clip_checkpoint, clip_folder):
    """The formula of the paper on transformers' own vectors, prefix, preprocessing and truncation included."""
    import torch
    from transformers import CLIPImageProcessor, CLIPModel, CLIPTokenizer

    model = CLIPModel.from_pretrained(clip_checkpoint).eval()
    processor = CLIPImageProcessor.from_pretrained(clip_checkpoint)
    tokenizer = CLIPTokenizer.from_pretrained(clip_checkpoint)
    files = {f"{mode}{size}": file_of(picture(mode, size)) for mode in ("RGB", "L") for size in ((61, 40), (35, 50))}
    captions = ["two people walk at night", "", "a red car near the door " * 30, "rain"]
    references = ["a dog at the door", "a man in rain"]

    def vectors(texts):
        prefixed = [f"A photo depicts {text}" for text in texts]
        given = tokenizer(prefixed, padding=True, truncation=True, max_length=77, return_tensors="pt")
        found = model.get_text_features(**given)
        return (found / found.norm(dim=1, keepdim=True)).numpy()

    with torch.inference_mode():
        images = [processor(images=Image.open(io.BytesIO(one)), return_tensors="pt") for one in files.values()]
        pictures = torch.cat([model.get_image_features(**one) for one in images])
        pictures = (pictures / pictures.norm(dim=1, keepdim=True)).numpy()
        said, known = vectors(captions), vectors(references)
    metric = get_metric(
        "captions.clipscore", encoder=ImageTextEncoder(clip_folder), open_image=lambda name: files[name]
    )
    for row, name in enumerate(files):
        results = metric.compute_batch([captioned(caption, *references, image=name) for caption in captions])
        for column, result in enumerate(results):
            score = 2.5 * max(float(pictures[row] @ said[column]), 0.0)
            closest = max(float((known @ said[column]).max()), 0.0)
            assert result.score == pytest.approx(score, abs=1e-4)
            expected = 2 * score * closest / (score + closest) if score + closest else 0.0
            assert result.details["ref_clipscore"] == pytest.approx(expected, abs=1e-4)
    assert results[2].details["truncated"][0] is True


def test_intervals_stay_in_the_range():
    metric, _ = made()
    tally = metric.tally()
    for caption in ("same", "opposite"):
        tally.add(metric.compute(captioned(caption, "same")))
    found = tally.summary()["intervals"]
    assert (found["clipscore"]["low"], found["clipscore"]["high"]) == (0.0, 2.5)
    assert (found["ref_clipscore"]["low"], found["ref_clipscore"]["high"]) == (0.0, pytest.approx(10 / 7))
