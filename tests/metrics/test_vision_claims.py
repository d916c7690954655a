"""The rules of vision.claims, on judgements given by hand: no model runs here."""

from __future__ import annotations

import json
import math

import pytest

from handler.claims import Claim, Judgement, Kind, Note
from handler.errors import RequestError
from handler.metrics import Calibrated, get_metric, score_signature, select_metrics
from handler.metrics.vision import PairClaims, PairScore
from handler.samples import Sample

THREE = Claim(Kind.NUMBER, "three", "two", ((0, 5),), ((0, 3),), 0.9)
NOBODY = Claim(Kind.NEGATION, "nobody", "a man", ((6, 12),), ((4, 9),), 0.8)
OMITTED = Note("at night", ((10, 18),))
ADDED = Note("a hat", ((20, 25),))


class Given:
    """Judgements by reference text; unknown references are not contradicted."""

    def __init__(self, *, truncated=(False, False), **judgements):
        self.judgements = judgements
        self.truncated = truncated

    def judge(self, pairs):
        score = PairScore(0.5, (3, 4), self.truncated)
        return [PairClaims(score, self.judgements.get(reference, Judgement(0.1))) for _, reference in pairs]

    def signature_parts(self):
        return {"scorer": "given"}


def sample(answer="three men", *references, **fields):
    return Sample(0, "s", "a", "f", answer, references, **fields)


def make(given=None, **options):
    return get_metric("vision.claims", source=given or Given(), **{"threshold": 0.9, **options})


def test_a_row_names_what_was_said_and_what_was_seen():
    judged = Judgement(0.97, (THREE,), (OMITTED,), (ADDED,), worst=(0, 26))
    result = make(Given(two=judged)).compute(sample("three men with a hat", "two"))
    assert result.score == 0.97
    assert result.details == {
        "contradiction": 0.97,
        "verdict": "contradicted",
        "is_contradicted": True,
        "threshold": 0.9,
        "claims": [
            {
                "kind": "number",
                "answer": "three",
                "reference": "two",
                "answer_spans": [[0, 5]],
                "reference_spans": [[0, 3]],
                "confidence": 0.9,
            }
        ],
        "omissions": [{"words": "at night", "spans": [[10, 18]]}],
        "notes": [{"words": "a hat", "spans": [[20, 25]]}],
        "sentence": [0, 26],
        "similarity_score": 0.5,
        "n_tokens": [3, 4],
        "truncated": [False, False],
    }
    assert json.loads(json.dumps(result.details)) == result.details


def test_the_threshold_itself_is_no_contradiction():
    metric = make(Given(at=Judgement(0.9), above=Judgement(0.9000001)))
    at, above = metric.compute_batch([sample("x", "at"), sample("x", "above")])
    assert (at.details["verdict"], above.details["verdict"]) == ("supported", "contradicted")


def test_the_reference_that_contradicts_least_counts():
    given = Given(worse=Judgement(0.99, (NOBODY,)), better=Judgement(0.3), same=Judgement(0.3, (THREE,)))
    result = make(given).compute(sample("x", "worse", "better", "same", " "))
    assert (result.score, result.details["verdict"]) == (0.3, "supported")
    assert (result.details["n_references"], result.details["best_reference"]) == (3, 1)
    assert result.details["claims"] == []
    assert "least contradicting" in make(given).signature()


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (sample(None, "r"), "missing_answer"),
        (sample("x"), "missing_reference"),
        (sample("x", ""), "empty_reference"),
        (sample("x", " \n", "\t"), "empty_reference"),
    ],
)
def test_what_is_skipped_as_by_the_other_vision_metrics(one, reason):
    result = make().compute(one)
    assert (result.state, result.score, result.details) == ("skipped", None, {"skipped": reason})


def test_silence_is_scored_and_cannot_be_decided():
    result = make(Given(seen=Judgement(0.99, (NOBODY,), (OMITTED,)))).compute(sample(" ", "seen"))
    assert (result.state, result.score) == ("scored", 0.0)
    assert (result.details["verdict"], result.details["undecided"]) == ("undecided", "empty_answer")
    assert result.details["is_contradicted"] is None
    assert result.details["claims"] == []
    assert [one["words"] for one in result.details["omissions"]] == ["at night"]
    assert result.details["warnings"] == ["empty_answer"]


@pytest.mark.parametrize(
    ("answer", "language", "why"),
    [
        ("Three men stand.", "es-MX", "language:es-mx"),
        ("Una persona está en el suelo cerca de la entrada.", "english", "language:spanish"),
    ],
)
def test_of_another_language_nothing_is_claimed(answer, language, why):
    given = Given(seen=Judgement(0.99, (NOBODY,), (OMITTED,), (ADDED,)))
    result = make(given).compute(sample(answer, "seen", language=language))
    assert result.state == "scored"
    assert (result.details["verdict"], result.details["undecided"]) == ("undecided", why)
    assert result.details["claims"] == result.details["omissions"] == result.details["notes"] == []
    assert result.details["warnings"] == [why]
    assert make(given).badness(result) is None


def test_what_was_not_read_may_say_anything_but_undoes_nothing():
    given = Given(truncated=(True, False), wrong=Judgement(0.99, (THREE,)), fine=Judgement(0.2))
    wrong, fine = make(given).compute_batch([sample("x", "wrong"), sample("x", "fine")])
    assert (wrong.details["verdict"], "undecided" in wrong.details) == ("contradicted", False)
    assert (fine.details["verdict"], fine.details["undecided"], fine.score) == ("undecided", "truncated", 0.2)
    assert wrong.details["warnings"] == fine.details["warnings"] == ["truncated"]


def test_a_long_text_of_another_language_is_of_another_language_first():
    given = Given(truncated=(True, False), seen=Judgement(0.2, (THREE,), (OMITTED,)))
    found = make(given).compute(sample("x", "seen", language="german")).details
    assert (found["undecided"], found["claims"], found["omissions"]) == ("language:german", [], [])
    silent = make(given).compute(sample("", "seen", language="german")).details
    assert (silent["undecided"], silent["contradiction"], silent["omissions"]) == ("empty_answer", 0.0, [])


def test_vectors_that_are_not_finite_are_an_error_state():
    given = Given(broken=None, nan=Judgement(math.nan), fine=Judgement(0.95))
    broken, nan, rescued = make(given).compute_batch(
        [sample("x", "broken"), sample("x", "nan"), sample("x", "broken", "nan", "fine")]
    )
    assert [one.details for one in (broken, nan)] == [{"error": "non_finite"}] * 2
    assert (rescued.score, rescued.details["best_reference"]) == (0.95, 2)


def results_of_nine():
    """3 contradicted (one of them twice over, one without a claim), 3 supported, 2 undecided, 1 skipped."""
    given = Given(
        number=Judgement(0.99, (THREE,)),
        both=Judgement(0.95, (THREE, NOBODY, THREE)),
        unnamed=Judgement(0.92),
        weak=Judgement(0.5, (NOBODY,)),
    )
    metric = make(given)
    asked = [sample("x", one) for one in ("number", "both", "unnamed", "weak", "fine", "well")]
    asked += [sample("", "r"), sample("x", "r", language="german"), sample("x", "")]
    return metric, metric.compute_batch(asked)


def test_figures_of_a_slice():
    metric, results = results_of_nine()
    tally = metric.tally()
    for one in results:
        tally.add(one)
    found = tally.summary()
    assert (found["n_samples"], found["n_scored"], found["n_skipped"], found["n_error"]) == (9, 8, 1, 0)
    assert (found["n_decided"], found["n_undecided"], found["n_contradicted"], found["n_unnamed"]) == (6, 2, 3, 1)
    assert found["undecided"] == {"empty_answer": 1, "language:german": 1}
    assert found["rate"] == 0.5
    assert {kind: n for kind, n in found["kinds"].items() if n} == {"number": 2, "negation": 1}
    assert set(found["kinds"]) == {kind.value for kind in Kind}
    assert found["kind_rates"]["number"] == pytest.approx(1 / 3)
    assert found["kind_rates"]["place"] == 0.0
    # Wilson for 3 of 6 at 95 %: centre 1/2, half width z / (2 sqrt(n + z^2)) with z = 1.959964
    half = 1.959964 / (2 * math.sqrt(6 + 1.959964**2))
    assert found["intervals"]["rate"]["low"] == pytest.approx(0.5 - half, abs=1e-6)
    assert found["intervals"]["kind_rates.number"]["method"] == "wilson"
    assert found["summary"] == (
        "The descriptions contradict what people saw in 3 of 6 frames (50%), most often in: number (2), negation (1). "
        "2 more cannot be decided."
    )


def test_tallies_merge_in_any_split_and_survive_json():
    metric, results = results_of_nine()
    whole, parts = metric.tally(), [metric.tally(), metric.tally(), metric.tally()]
    for i, one in enumerate(results):
        whole.add(one)
        parts[i % 3].add(one)
    merged = metric.tally()
    for part in parts:
        copy = metric.tally()
        state = json.loads(json.dumps(part.state()))
        copy.restore(state)
        copy.add(results[0])
        copy.restore(state)
        merged.merge_from(copy)
    assert merged.summary() == whole.summary()
    assert json.dumps(merged.summary()) == json.dumps(whole.summary())


def test_figures_of_nothing_are_none():
    empty = make().tally().summary()
    assert empty["rate"] is empty["intervals"]["rate"] is empty["kind_rates"]["number"] is None
    assert "nothing to count" in empty["summary"]
    tally = make().tally()
    tally.add(make().compute(sample("", "r")))
    assert (tally.summary()["rate"], tally.summary()["n_undecided"]) == (None, 1)
    assert "0 of 1 frame can be decided" in tally.summary()["summary"]


def test_worst_are_the_surest_contradictions_alone():
    metric, results = results_of_nine()
    assert [metric.badness(one) for one in results] == [0.99, 0.95, 0.92, *[None] * 6]


@pytest.mark.parametrize("threshold", [-0.1, 1.5, math.nan, "0.9", True, None])
def test_thresholds_that_are_none(threshold):
    with pytest.raises(RequestError, match="must be a number in 0"):
        make(threshold=threshold)


def test_names_modes_and_signatures():
    assert select_metrics(["vision"]) == ["vision.claims", "vision.hallucination", "vision.similarity"]
    assert select_metrics(["claims"]) == ["vision.claims"]
    with pytest.raises(RequestError, match="has no mode compat"):
        make(mode="compat:fair-forge")
    one, other = make(threshold=0.5).signature(), make(threshold=0.6).signature()
    assert one != other
    assert score_signature(one) == score_signature(other)
    assert "mode:strict" in score_signature(one)


def test_a_text_without_words_decides_nothing():
    given = Given(said=Judgement(0.99, (THREE,)))
    dash, emoji = make(given).compute_batch([sample("Two men.", "-", "🚗 🚗"), sample("🚗!", "A car.")])
    assert [one.details["undecided"] for one in (dash, emoji)] == ["no_words", "no_words"]
    both = make(given).compute(sample("Two men.", "-", "said"))
    assert (both.score, both.details["verdict"], both.details["best_reference"]) == (0.99, "contradicted", 1)


def test_what_cannot_be_decided_has_no_probability():
    metric = get_metric("vision.claims", source=Given(), calibrated=Calibrated("f" * 16, {}, lambda score: 1 - score))
    silent, spoken = metric.compute_batch([sample(" ", "r"), sample("x", "r")])
    assert "probability" not in silent.details
    assert 0 <= spoken.details["probability"] <= 1


def test_what_shares_no_word_with_any_reference_decides_nothing():
    apart, near = Judgement(0.65, apart=True), Judgement(0.99, (THREE,))
    alone, beside = make(Given(apart=apart, near=near)).compute_batch(
        [sample("x", "apart"), sample("x", "apart", "near")]
    )
    assert (alone.details["verdict"], alone.details["undecided"]) == ("undecided", "nothing_shared")
    assert (beside.details["verdict"], beside.details["best_reference"]) == ("contradicted", 1)
