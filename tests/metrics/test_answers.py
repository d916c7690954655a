"""The rules of pope, vqa.accuracy and the VLM2-Bench metrics, on samples given by hand."""

from __future__ import annotations

import json

import pytest

from handler.errors import RequestError
from handler.metrics import get_metric
from handler.metrics.vqa import consensus, normalised, official_consensus, official_normalised
from handler.metrics.yesno import polarity, pope_polarity
from handler.samples import BenchSample, Sample, SequenceSample, VqaSample, YesNoSample


def answered(cls, answer, *references, **fields):
    return cls(0, "s", "a", "1", answer, references, **fields)


def summary(name, samples, mode="strict"):
    metric = get_metric(name, mode=mode)
    tally = metric.tally()
    for sample in samples:
        tally.add(metric.compute(sample))
    restored = metric.tally()
    restored.restore(json.loads(json.dumps(tally.state())))
    assert restored.summary() == tally.summary()
    parts = [metric.tally() for _ in range(3)]
    for place, sample in enumerate(samples):
        parts[place % 2].add(metric.compute(sample))  # the third stays empty
    for part in parts[1:]:
        parts[0].merge_from(part)
    assert parts[0].summary() == tally.summary()
    return tally.summary()


@pytest.mark.parametrize(
    ("answer", "said", "rule"),
    [
        ("Yes", "yes", "leading_word"),
        ("YES.", "yes", "leading_word"),
        ("yes, a dog", "yes", "leading_word"),
        ("Yes, no doubt", "yes", "leading_word"),
        ("**No**", "no", "leading_word"),
        ("'no'", "no", "leading_word"),
        ("NO", "no", "leading_word"),
        ("Nope", "no", "leading_word"),
        ("No\nThere", "no", "leading_word"),
        ("n", "no", "letter"),
        ("The answer is no.", "no", "stated_answer"),
        ("There isn't a dog.", "no", "negated_sentence"),
        ("I do not see any dog.", "no", "negated_sentence"),
        ("There is a dog.", "yes", "affirmed_sentence"),
        ("", None, "empty"),
        (" \n", None, "empty"),
        ("Yes or no", None, "both"),
        ("I cannot tell.", None, "uncertain"),
        ("not sure", None, "uncertain"),
        ("North of here", None, "no_rule"),
        ("はい", None, "no_rule"),
    ],
)
def test_what_an_answer_says(answer, said, rule):
    assert polarity(answer) == (said, rule)


def test_popes_own_rule_takes_all_that_is_not_no_for_yes():
    said = {
        text: pope_polarity(text).said for text in ("", "NO", "Nope", "I cannot tell", "No\nThere", "Yes, no doubt")
    }
    assert said == {
        "": "yes",
        "NO": "yes",
        "Nope": "yes",
        "I cannot tell": "yes",
        "No\nThere": "yes",
        "Yes, no doubt": "no",
    }


def test_pope_by_hand():
    said = [("Yes", "yes"), ("Yes", "no"), ("No", "no"), ("No", "yes"), ("Maybe", "yes"), (None, "no")]
    found = summary("pope", [answered(YesNoSample, answer, label) for answer, label in said])
    assert (found["tp"], found["fp"], found["tn"], found["fn"]) == (1, 1, 1, 1)
    assert found["skipped"] == {"missing_answer": 1, "unparsed": 1}
    assert (found["accuracy"], found["accuracy_with_unparsed"], found["n_unparsed"]) == (0.5, 0.4, 1)


def test_always_yes_shows_in_the_ratio_of_answers_not_of_labels():
    found = summary("pope", [answered(YesNoSample, "Yes", label) for label in ("yes", "no", "no", "no")])
    assert (found["yes_ratio"], found["label_yes_ratio"]) == (1.0, 0.25)


@pytest.mark.parametrize("mode", ["strict", "compat"])
def test_nothing_to_divide_by_is_null(mode):
    found = summary("pope", [], mode)
    assert all(
        found[name] is None for name in ("accuracy", "precision", "recall", "f1", "yes_ratio", "label_yes_ratio")
    )


def test_a_label_that_is_neither_is_skipped():
    assert get_metric("pope").compute(answered(Sample, "Yes", "a dog")).details["skipped"] == "label_not_yes_or_no"


def test_compat_is_for_the_ancestor_alone():
    with pytest.raises(RequestError, match="has no mode"):
        get_metric("pope", mode="compat:vqa")


@pytest.mark.parametrize(
    ("one", "other"),
    [("two", "2"), ("a cat", "cat"), ("isnt", "isn't"), ("none", "0"), ("Black.", "black")],
)
def test_what_normalisation_makes_equal(one, other):
    assert normalised(one) == normalised(other)


def test_no_more_than_32_full_stops_go_in_the_official_code():
    assert official_normalised("." * 40 + "dog") == "." * 8 + "dog"
    assert normalised("." * 40 + "dog") == "dog"


def test_consensus_of_ten_three_and_one():
    ten = ["red"] * 3 + ["blue"] * 7
    assert consensus("Red.", ten) == pytest.approx(0.9)
    assert official_consensus("red", ten, [str(n) for n in range(10)]) == pytest.approx(0.9)
    assert consensus("blue", ten) == 1.0
    assert consensus("green", ten) == 0.0
    assert consensus("red", ["a red", "blue", "blue"]) == 1.0
    assert consensus("two", ["2"]) == 1.0


@pytest.mark.parametrize("answer", ["", "the", "A the", "?", "..."])
def test_what_normalises_to_nothing_agrees_with_nobody(answer):
    assert consensus(answer, ["a"] * 10) == 0.0
    assert consensus("A.", ["a"] * 10) == 1.0
    assert consensus(answer, ["!"] * 10) == 0.0


def test_black_with_a_full_stop_when_all_agree():
    keys = [str(n) for n in range(10)]
    assert official_consensus("Black.", ["black"] * 10, keys) == 0.0
    assert consensus("Black.", ["black"] * 10) == 1.0


def test_vqa_by_type():
    samples = [
        answered(VqaSample, "red", "red", question_type="what", answer_type="other"),
        answered(VqaSample, "Two", "2", question_type="how many", answer_type="number"),
        answered(VqaSample, "three", "2", question_type="how many", answer_type="number"),
        answered(VqaSample, "", "2", question_type="how many", answer_type="number"),
        answered(VqaSample, "x", " "),
        answered(VqaSample, None, "2"),
    ]
    found = summary("vqa.accuracy", samples)
    assert found["accuracy"] == 0.5
    assert (found["exact_match"], found["normalised_match"]) == (0.25, 0.5)
    assert found["by_question_type"]["how many"] == {"accuracy": pytest.approx(1 / 3), "n_scored": 3}
    assert found["by_answer_type"] == {
        "number": {"accuracy": pytest.approx(1 / 3), "n_scored": 3},
        "other": {"accuracy": 1.0, "n_scored": 1},
    }
    assert found["skipped"] == {"empty_reference": 1, "missing_answer": 1}


def test_a_sequence_is_gated_by_its_coarse_question():
    def sequence(coarse, *fine, kind="count", wanted="2"):
        return answered(
            SequenceSample, coarse, wanted, coarse_type=kind, fine_answers=fine, fine_labels=("yes", "no", "yes", "no")
        )

    samples = [
        sequence("two", "Yes", "No", "Yes", "No"),
        sequence("2", "Yes", None, "I cannot tell"),
        sequence("3", "Yes", "No", "Yes", "No"),
        sequence("(B) those", "yes", "yes", "yes", "yes", kind="mcq", wanted="B) those"),
        sequence(None),
    ]
    found = summary("vlm2bench.hallucination", samples)
    assert (found["score_sum"], found["score_mean"], found["maximum"]) == (1.75, 0.35, 5)
    assert (found["n_gated_out"], found["n_fine_unparsed"]) == (2, 7)
    # VLM2-Bench's own reading compares "(B" with "B": the fourth sequence is gated out, too.
    assert summary("vlm2bench.hallucination", samples, "compat")["n_gated_out"] == 3


@pytest.mark.parametrize("mode", ["strict", "compat"])
@pytest.mark.parametrize("answer", ["9" * 5000, "9" * 30, "9" * 20 + ".0", "there are " + "1" * 100_000])
def test_a_number_of_thousands_of_digits_is_none(answer, mode):
    sample = answered(BenchSample, answer, "3", kind="counting", n_images=4)
    result = get_metric("vlm2bench.native", mode=mode).compute(sample)
    assert (result.score, result.details["parsed"], result.details["problem"]) == (0.0, None, "no_single_number")
    padded = answered(BenchSample, "0" * 5000 + "3", "3", kind="counting", n_images=4)
    assert get_metric("vlm2bench.native", mode=mode).compute(padded).score == 1.0


def test_both_denominators_of_pairs_and_counts():
    def half(pair, half, answer, kind="comparison"):
        return answered(BenchSample, answer, "T" if half == "p" else "F", kind=kind, pair=pair, half=half)

    def count(answer, wanted, n_images):
        return answered(BenchSample, answer, wanted, kind="counting", n_images=n_images)

    samples = [half("1", "p", "T"), half("1", "n", "F"), half("2", "p", "T"), half("3", "n", "F", "matching")]
    samples += [count("3", "3", 4), count("2", "3", 4), count("9", "3", 4), count("many", "3", 4)]
    strict, compat = (summary("vlm2bench.native", samples, mode) for mode in ("strict", "compat"))
    assert (strict["pair_accuracy"], strict["n_pairs"]) == (1.0, 1)
    assert (compat["pair_accuracy"], compat["n_pairs"]) == (0.5, 2)  # GC counts every pair, OC complete ones
    for found in (strict, compat):
        assert (found["pair_accuracy_all"], found["n_pairs_all"], found["n_incomplete_pairs"]) == (1 / 3, 3, 2)
        closeness = 1 + max(0.0, 1 - (1 / 2) ** 0.1)
        assert found["normalized_score"] == pytest.approx(closeness / 2)
        assert found["normalized_score_all"] == pytest.approx(closeness / 4)
