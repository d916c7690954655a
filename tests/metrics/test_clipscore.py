"""CLIPScore and RefCLIPScore: by hand on given vectors, against transformers on a real CLIP, and where pictures may lie."""

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
from handler.evaluation import EvaluationRequest, evaluate
from handler.evaluation._pictures import picture_opener
from handler.metrics import get_metric
from handler.models import ImageTextEncoder, PictureError, PictureVector, TextVector
from handler.samples import CaptionSample
from handler.storage import TransientStorageError
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


def test_a_file_of_captions_beside_its_pictures(clip_folder, tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.jpg").write_bytes(file_of(picture(size=(50 + number * 9, 40)), "JPEG"))
    (tmp_path / "2.jpg").write_bytes(b"<html>gone</html>")
    captions = [{"image_id": n, "caption": "a red car"} for n in range(5)]
    said = [{"image_id": n, "caption": "a dog"} for n in range(5)]
    images = [{"id": n, "file_name": f"{n}.jpg"} for n in range(4)]
    (tmp_path / "captions.json").write_text(json.dumps(captions))
    (tmp_path / "said.json").write_text(json.dumps({"images": images, "annotations": said}))
    report = evaluate(
        tmp_path / "captions.json",
        references=tmp_path / "said.json",
        metrics=["captions.clipscore"],
        clip=clip_folder,
    )
    overall = report["metrics"]["captions.clipscore"]["overall"]
    assert (overall["n_scored"], overall["n_error"], overall["skipped"]) == (2, 2, {"missing_image": 1})
    rows = [row["metrics"]["captions.clipscore"] for row in report.samples]
    assert [row.get("error") for row in rows] == [None, None, "image_undecodable", "image_not_found", None]
    assert rows[2]["message"].startswith("2.jpg: the picture cannot be decoded")
    assert {one["code"] for one in report["warnings"]} == {"image_undecodable", "image_not_found"}
    files = {row: (tmp_path / f"{row}.jpg").read_bytes() for row in (0, 1)}
    metric = get_metric(
        "captions.clipscore", encoder=ImageTextEncoder(clip_folder), open_image=lambda name: files[int(name)]
    )
    alone = [metric.compute(captioned("a red car", "a dog", image=str(row))).score for row in (1, 0)]
    assert [rows[1]["score"], rows[0]["score"]] == alone


def opener(**request):
    return picture_opener(EvaluationRequest.parse(request))


def reason_of(open_image, image):
    with pytest.raises(PictureError) as caught:
        open_image(image)
    return caught.value.reason


def test_local_pictures_lie_relative_to_the_input(tmp_path, monkeypatch):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.png").write_bytes(b"picture")
    (tmp_path / "captions.jsonl").write_text("")
    for where in (tmp_path / "captions.jsonl", tmp_path):
        open_image = opener(input=str(where))
        assert open_image("photos/a.png") == open_image(str(tmp_path / "photos" / "a.png")) == b"picture"
        assert reason_of(open_image, "photos/b.png") == "image_not_found"
        assert reason_of(open_image, "photos") == "image_not_found"
        assert reason_of(open_image, "https://example.com/a.png") == "image_unreadable"
    monkeypatch.chdir(tmp_path / "photos")
    assert opener()("a.png") == b"picture"


def test_a_pipe_is_no_picture_and_a_large_file_is_refused(tmp_path, monkeypatch):
    import os

    from handler.evaluation import _pictures

    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "a.png").write_bytes(b"12345")
    open_image = opener(input=str(tmp_path))
    assert reason_of(open_image, "pipe.png") == "image_not_found"
    monkeypatch.setattr(_pictures, "MAX_BYTES", 4)
    assert reason_of(open_image, "a.png") == "image_too_large"


@pytest.mark.parametrize(
    ("image", "inputs", "reason"),
    [
        ("/etc/hostname", "s3://b/in/", "image_forbidden"),
        ("a.png", "s3://b/in/", "image_forbidden"),
        ("s3://other/a.png", "s3://b/in/", "image_forbidden"),
        ("s3://b/in-other/a.png", "s3://b/in/", "image_forbidden"),
        ("s3://b/in/a.png", "", "image_forbidden"),
        ("file:///etc/hostname", "s3://b/in/", "image_forbidden"),
        ("s3://b/in/../secret/a.png", "s3://b/in/", "image_forbidden"),
    ],
)
def test_records_in_a_request_name_no_local_picture(image, inputs, reason, monkeypatch):
    monkeypatch.setenv("SCENESCORE_INPUTS", inputs)
    assert reason_of(opener(sessions=[]), image) == reason


def test_pictures_in_s3(weed, monkeypatch):
    bucket = "scenescore-tests"
    weed.put_object(Bucket=bucket, Key="clip/in/captions.jsonl", Body=b"{}")
    weed.put_object(Bucket=bucket, Key="clip/photos/a.png", Body=b"picture")
    open_image = opener(input=f"s3://{bucket}/clip/in/captions.jsonl")
    assert open_image("../photos/a.png") == open_image(f"s3://{bucket}/clip/photos/a.png") == b"picture"
    assert opener(input=f"s3://{bucket}/clip")("photos/a.png") == b"picture"
    assert reason_of(open_image, "b.png") == "image_not_found"
    assert reason_of(open_image, "/etc/hostname") == "image_forbidden"
    assert reason_of(open_image, "s3://elsewhere/a.png") == "image_forbidden"
    monkeypatch.setenv("SCENESCORE_INPUTS", f"s3://{bucket}/clip/in/")
    narrow = opener(input=f"s3://{bucket}/clip/in/captions.jsonl")
    assert reason_of(narrow, "../photos/a.png") == "image_forbidden"
    assert reason_of(narrow, f"s3://{bucket}/clip/photos/a.png") == "image_forbidden"
    assert reason_of(opener(sessions=[]), "a.png") == "image_forbidden"


def test_what_may_be_better_next_time_ends_the_run_instead_of_a_sample(monkeypatch):
    from handler import storage

    def overloaded(*_, **__):
        raise TransientStorageError("slow down")

    monkeypatch.setattr(storage, "open_read", overloaded)
    with pytest.raises(TransientStorageError):
        opener()("s3://b/a.png")
