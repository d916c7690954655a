"""The rules of the vision metrics, on similarities given by hand: no model runs here."""

from __future__ import annotations

import json
import math

import pytest

from handler.errors import RequestError
from handler.metrics import get_metric, list_metrics, metric_class, parse_mode, select_metrics
from handler.metrics.vision import BANDS_OF_RATE, BANDS_OF_SIMILARITY, PairScore, band_of
from handler.models import ImageTextEncoder
from handler.samples import Sample


class Given:
    """Similarities by reference text; unknown references score 0."""

    def __init__(self, **similarities):
        self.similarities = similarities

    def score(self, pairs):
        return [PairScore(self.similarities.get(reference, 0.0), (3, 4), (False, False)) for _, reference in pairs]

    def signature_parts(self):
        return {"scorer": "given"}


def sample(answer="an answer", *references, **fields):
    return Sample(0, "s", "a", "f", answer, references, **fields)


def make(name, mode="strict", given=None, **options):
    where = "source" if name == "vision.claims" else "pairs"
    return get_metric(name, mode=mode, **{where: given or Given()}, **options)


def test_threshold_is_compared_unrounded_and_strictly():
    metric = make("vision.hallucination", given=Given(below=0.7499999, at=0.75), threshold=0.75)
    below, at = metric.compute_batch([sample("x", "below"), sample("x", "at")])
    assert (below.score, at.score) == (1.0, 0.0)
    assert below.details == {"is_hallucination": True, "similarity_score": 0.7499999, "threshold": 0.75}


def test_compat_rounds_to_four_places_before_comparing_and_averaging():
    given = Given(below=0.74996, low=0.11111)
    flagged = make("vision.hallucination", "compat:fair-forge", given).compute(sample("x", "below"))
    assert flagged.score == 0.0
    similarity = make("vision.similarity", "compat", given)
    tally = similarity.tally()
    for result in similarity.compute_batch([sample("x", "below"), sample("x", "low")]):
        tally.add(result)
    assert tally.summary()["mean_similarity"] == round((0.75 + 0.1111) / 2, 4)


@pytest.mark.parametrize(
    ("one", "mode", "reason"),
    [
        (sample(None, "r"), "strict", "missing_answer"),
        (sample("x"), "strict", "missing_reference"),
        (sample("x", ""), "strict", "empty_reference"),
        (sample("x", " \n"), "strict", "empty_reference"),
        (sample("x", "", "\t"), "strict", "empty_reference"),
        (sample("x", ""), "compat", None),
        (sample("", "r"), "strict", None),
    ],
)
def test_what_is_skipped_and_why(one, mode, reason):
    for name in ("vision.similarity", "vision.hallucination"):
        result = make(name, mode).compute(one)
        assert result.details.get("skipped") == reason
        assert result.state == ("skipped" if reason else "scored")


def test_silence_is_scored_with_a_warning():
    result = make("vision.similarity").compute(sample(" ", "r"))
    assert result.state == "scored"
    assert result.details["warnings"] == ["empty_answer"]


def test_best_over_references_and_mean_in_details():
    given = Given(near=0.8, far=0.2)
    result = make("vision.similarity", given=given).compute(sample("x", "far", "near", " "))
    assert result.score == 0.8
    assert result.details["n_references"] == 2
    assert result.details["mean_over_references"] == pytest.approx(0.5)
    assert make("vision.hallucination", given=given).compute(sample("x", "far", "near")).score == 0.0


def test_a_non_finite_similarity_is_an_error_state_not_a_number():
    given = Given(broken=math.nan, fine=0.9)
    metric = make("vision.hallucination", given=given)
    broken, fine, rescued = metric.compute_batch(
        [sample("x", "broken"), sample("x", "fine"), sample("x", "broken", "fine")]
    )
    assert (broken.state, broken.score, broken.details) == ("error", None, {"error": "non_finite"})
    assert rescued.score == 0.0
    tally = metric.tally()
    for result in (broken, fine):
        tally.add(result)
    summary = tally.summary()
    assert (summary["hallucination_rate"], summary["n_error"], summary["n_samples"]) == (0.0, 1, 2)


def test_summaries_of_nothing_are_none_not_zero():
    assert make("vision.similarity").tally().summary()["mean_similarity"] is None
    assert make("vision.hallucination").tally().summary()["hallucination_rate"] is None
    assert make("vision.hallucination", "compat").tally().summary()["hallucination_rate"] == 0.0


def test_tallies_merge_and_survive_json():
    values = [0.1, 0.5, 0.99, -0.2, 0.75, 0.74]
    for name in ("vision.similarity", "vision.hallucination"):
        metric = make(name, given=Given(**{f"r{i}": value for i, value in enumerate(values)}))
        results = metric.compute_batch([sample("x", f"r{i}") for i in range(6)] + [sample("x")])
        whole, parts = metric.tally(), [metric.tally(), metric.tally(), metric.tally()]
        for i, result in enumerate(results):
            whole.add(result)
            parts[i % 3].add(result)
        merged = metric.tally()
        for part in parts:
            copy = metric.tally()
            copy.restore(json.loads(json.dumps(part.state())))
            merged.merge_from(copy)
        flat, expected = merged.summary(), whole.summary()
        assert flat.keys() == expected.keys()
        for key in expected.keys() - {"intervals"}:
            value = expected[key]
            assert flat[key] == (pytest.approx(value, abs=1e-12) if isinstance(value, float) else value), key
        assert expected["n_samples"] == expected["n_scored"] + expected["n_skipped"] + expected["n_error"] == 7
        assert expected["skipped"] == {"missing_reference": 1}


def test_bands_of_the_page():
    similarity = {0.95: "near-identical", 0.90: "near-identical", 0.89: "close", 0.75: "close", 0.74: "partial"}
    similarity |= {0.50: "partial", 0.49: "low", -0.3: "low"}
    assert {value: band_of(value, BANDS_OF_SIMILARITY).label for value in similarity} == similarity
    rate = {0.0: "reliable", 0.099: "reliable", 0.10: "review needed", 0.30: "review needed", 0.301: "unreliable"}
    assert {value: band_of(value, BANDS_OF_RATE).label for value in rate} == rate


@pytest.mark.parametrize(
    ("language", "answer", "warned"),
    [
        ("spanish", "A dog runs.", "language:spanish"),
        ("english", "Una persona está en el suelo cerca de la entrada.", "language:spanish"),
        (None, "Ein Mann steht neben der Tür und wartet auf den Bus.", "language:german"),
        (None, "一个人躺在地上", "language:chinese"),
        ("en-GB", "A lorry is parked by the gate.", None),
        (None, "El Paso to La Jolla.", None),
        (None, "", None),
    ],
)
def test_unknown_languages_are_warned_about(language, answer, warned):
    result = make("vision.similarity").compute(sample(answer, "A reference in English.", language=language))
    assert result.state == "scored"
    assert [one for one in result.details.get("warnings", []) if one.startswith("language")] == (
        [warned] if warned else []
    )


@pytest.mark.parametrize("threshold", [math.nan, math.inf, 1.5, -2])
def test_impossible_thresholds_are_refused(threshold):
    with pytest.raises(RequestError, match="threshold"):
        make("vision.hallucination", threshold=threshold)


def test_modes():
    assert str(parse_mode("compat:fair-forge")) == "compat:fair-forge"
    for wrong in ("compat:", "lenient", ""):
        with pytest.raises(RequestError, match="no mode"):
            parse_mode(wrong)
    with pytest.raises(RequestError, match=r"has no mode compat:pope.*compat:fair-forge"):
        make("vision.similarity", "compat:pope")


def test_names_groups_and_last_parts_select_metrics():
    assert select_metrics(["vision"]) == ["vision.claims", "vision.hallucination", "vision.similarity"]
    assert select_metrics(["similarity", "vision.similarity"]) == ["vision.similarity"]
    with pytest.raises(RequestError, match=r"Did you mean vision.similarity\?"):
        select_metrics(["vision.similarty"])
    with pytest.raises(RequestError, match=r"Did you mean vision\?"):
        select_metrics(["visoin"])


@pytest.mark.parametrize("name", list_metrics())
def test_every_metric_says_what_it_is(name, request):
    cls = metric_class(name)
    assert cls.name == name
    assert cls.title
    assert cls.__doc__
    low, high = cls.range
    assert low is None or high is None or low < high
    if "image_text_encoder" in cls.models:
        made = get_metric(name, encoder=ImageTextEncoder(request.getfixturevalue("clip_folder")))
    else:
        made = make(name) if "text_encoder" in cls.models else get_metric(name)
    assert "version:" in made.signature()
