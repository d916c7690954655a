"""What stands at the edge of the metrics: names, spreads, values that cannot be, options that are none."""

from __future__ import annotations

import math

import pytest
from vbench_videos import frame, score, video

from handler import metrics
from handler.errors import RequestError
from handler.metrics import BaseMetric, get_metric, select_metrics
from handler.metrics._registry import register
from handler.metrics.judge import krippendorff_alpha
from handler.results import MetricResult
from handler.samples import BenchSample, CaptionSample, SequenceSample, VqaSample, YesNoSample


def test_functions_are_found_under_the_package_and_nothing_else_is():
    assert metrics.recall_at_k(["a", "b"], {"b"}, k=2) == 1.0
    with pytest.raises(AttributeError, match="no attribute 'recall'"):
        metrics.recall  # noqa: B018 - it is refused


def test_a_name_belongs_to_one_module():
    get_metric("vqa.accuracy")
    with pytest.raises(ValueError, match=r"is registered by handler\.metrics\.vqa\._accuracy already"):
        register("vqa.accuracy")(type("Other", (BaseMetric,), {}))


def test_a_last_part_of_several_names_is_none():
    with pytest.raises(RequestError, match=r"several metrics: vision\.hallucination, vlm2bench\.hallucination"):
        select_metrics(["hallucination"])


@pytest.mark.parametrize("difference", [math.nan, math.inf, -0.5, 255.5])
def test_frames_do_not_differ_by_that(difference):
    one = video(frame_difference=difference, n_frame_pairs=3)
    found = score("temporal_flickering", one)
    assert (found.score, found.details) == (None, {"error": "impossible_frame_difference"})


def test_a_video_of_another_dimension_and_one_that_was_not_read():
    other = video(frame_difference=1.0, n_frame_pairs=3, dimensions=("color",))
    assert score("temporal_flickering", other).details == {"skipped": "other_dimension"}
    broken = video(problem="truncated")
    assert score("temporal_flickering", broken).details == {"error": "truncated"}


def test_the_interval_of_similarities_by_hand():
    tally = get_metric("vision.similarity").tally()
    for one in (0.4, 0.5, 0.6):
        tally.add(MetricResult("vision.similarity", one, {}))
    assert tally.summary()["std_similarity"] == pytest.approx(0.1)
    found = tally.summary()["intervals"]["mean_similarity"]
    half = 4.302653 * 0.1 / math.sqrt(3)  # t of 97.5 % with 2 degrees
    assert (found["low"], found["high"]) == (pytest.approx(0.5 - half, abs=1e-6), pytest.approx(0.5 + half, abs=1e-6))


def test_vqa_accuracy_by_type_where_some_have_none():
    metric = get_metric("vqa.accuracy")
    whole, parts = metric.tally(), [metric.tally(), metric.tally()]
    people = ("red",) * 10
    asked = [("red", "what", "other"), ("blue", "what", None), ("red", None, "number"), ("red", None, None)]
    for place, (answer, question_type, answer_type) in enumerate(asked):
        kinds = {"question_type": question_type, "answer_type": answer_type}
        result = metric.compute(VqaSample(0, "s", "a", str(place), answer, people, **kinds))
        whole.add(result)
        parts[place % 2].add(result)
    parts[0].merge_from(parts[1])
    found = whole.summary()
    assert found == parts[0].summary()
    assert found["by_question_type"] == {"what": {"accuracy": 0.5, "n_scored": 2}}
    assert found["by_answer_type"] == {
        "number": {"accuracy": 1.0, "n_scored": 1},
        "other": {"accuracy": 1.0, "n_scored": 1},
    }


def test_the_interval_of_vqa_accuracy_by_hand():
    metric = get_metric("vqa.accuracy")
    tally = metric.tally()
    for place in range(20):
        answer = "red" if place % 2 else "blue"
        tally.add(metric.compute(VqaSample(0, "s", "a", str(place), answer, ("red",) * 10)))
    found = tally.summary()["intervals"]["accuracy"]
    half = 2.093024 * math.sqrt(20 * 0.25 / 19) / math.sqrt(20)  # t of 97.5 % with 19 degrees, ten ones and ten zeros
    assert (found["low"], found["high"]) == (pytest.approx(0.5 - half, abs=1e-6), pytest.approx(0.5 + half, abs=1e-6))


def test_the_same_record_many_times_is_a_warning_where_people_are_many():
    metric = get_metric("vqa.accuracy")

    def warned(n, keys):
        one = VqaSample(0, "s", "a", "1", "red", ("red",) * n, record_keys=keys)
        return "answer_id_missing" in metric.compute(one).details.get("warnings", [])

    assert warned(10, ("{}",) * 10)
    assert not warned(10, tuple(map(str, range(10))))
    assert not warned(10, ())


def test_pictures_need_somebody_who_opens_them():
    with pytest.raises(RequestError, match="prefix must be a text"):
        get_metric("captions.clipscore", prefix=3)
    metric = get_metric("captions.clipscore", encoder=object())
    with pytest.raises(RequestError, match="made without open_image"):
        metric.compute_batch([CaptionSample(0, "s", "m", "0", "a dog", (), image="a.png")])


@pytest.mark.parametrize("item", ["AB", 3, None])
def test_ratings_that_are_no_list(item):
    with pytest.raises(RequestError, match=r"item 1 is .*, not a list of grades"):
        krippendorff_alpha([[1, 1], item])


def test_an_item_of_one_grade_says_nothing_about_agreement():
    assert krippendorff_alpha([[1, 1], [2, 2], [3, None], []]) == krippendorff_alpha([[1, 1], [2, 2]]) == 1.0


@pytest.mark.model
@pytest.mark.parametrize("name", ["vision.claims", "vision.similarity", "vision.hallucination"])
def test_new_vectors_are_written_when_there_is_an_encoder(name, encoder, monkeypatch):
    flushed = []
    monkeypatch.setattr(encoder, "flush", lambda: flushed.append(1))
    get_metric(name).flush()
    assert flushed == []
    get_metric(name, encoder=encoder).flush()
    assert flushed == [1]


@pytest.mark.model
def test_claims_find_the_default_model_themselves(encoder, monkeypatch):
    monkeypatch.setattr("handler.metrics.vision._claims.default_encoder", lambda: encoder)
    metric, given = get_metric("vision.claims"), get_metric("vision.claims", encoder=encoder)
    metric.setup()
    assert metric.source is metric.source
    assert metric.signature() == given.signature()


@pytest.mark.parametrize(
    ("name", "sample", "why"),
    [
        ("vlm2bench.native", BenchSample(0, "s", "a", "1", None, ("T",), kind="comparison"), "missing_answer"),
        ("vlm2bench.native", BenchSample(0, "s", "a", "1", "T", (), kind="comparison"), "missing_reference"),
        ("vlm2bench.hallucination", SequenceSample(0, "s", "a", "1", "2", ()), "missing_reference"),
        ("vlm2bench.hallucination", SequenceSample(0, "s", "a", "1", "2", ("2",)), "no_fine_questions"),
        ("pope", YesNoSample(0, "s", "a", "1", None, ("yes",)), "missing_answer"),
        ("pope", YesNoSample(0, "s", "a", "1", "yes", ()), "missing_reference"),
        ("vqa.accuracy", VqaSample(0, "s", "a", "1", None, ("red",)), "missing_answer"),
        ("vqa.accuracy", VqaSample(0, "s", "a", "1", "red", ()), "missing_reference"),
    ],
)
def test_what_is_skipped_and_why(name, sample, why):
    result = get_metric(name).compute(sample)
    assert (result.state, result.details["skipped"]) == ("skipped", why)


def test_an_object_metric_of_a_prompt_that_names_nothing():
    seen = [frame(("dog", ""))]
    assert score("object_class", video(*seen, prompt="")).details["skipped"] == "missing_object"
    assert score("object_class", video(*seen, prompt="a dog", problem="truncated")).details["error"] == "truncated"


def test_captions_that_are_no_texts():
    with pytest.raises(RequestError, match="is no text"):
        metrics.bleu(["a dog"], [["a dog", 3]])
