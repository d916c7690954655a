"""The rules of judge.agreement on grades given by hand: what counts as what, and what cannot be said."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_items import item, summary

from handler import evaluate
from handler.errors import RequestError
from handler.metrics import get_metric
from handler.metrics.judge import agreement, cohen_kappa, krippendorff_alpha, read_grade


def computed(sample, **options):
    return get_metric("judge.agreement", **options).compute(sample)


@pytest.mark.parametrize(
    ("value", "grade"),
    [
        (4, 4.0), ("4", 4.0), (" 4 ", 4.0), ("4/5", 4.0), ("4 out of 5", 4.0), ("[[4]]", 4.0), ("-1.5e0", -1.5),
        (True, "true"), ("  very   good ", "very good"), ("[[A]]", "A"), ("4 stars", "4 stars"), ("1/2/3", "1/2/3"),
        (None, None), ("", None), (" ", None), ("NaN", None), ("null", None), (float("nan"), None), ("N/A", "N/A"),
        (np.int64(3), 3.0), (np.float64(2.5), 2.5), ("inf", "inf"), ("3,5", 3.5),
        ("80%", 80.0), ("62,5 %", 62.5), ("4,5/5", 4.5), ("3, 5", "3, 5"), ("1,2,3", "1,2,3"), (",", ","),
    ],
)  # fmt: skip
def test_what_a_grade_is(value, grade):
    found = read_grade(value)
    assert found == grade
    assert type(found) is type(grade)


@pytest.mark.parametrize("value", [[1], {"a": 1}, 1e16, 10**400, float("inf"), "x" * 201])
def test_what_is_no_grade(value):
    with pytest.raises(ValueError, match=r"is a|is beyond|characters"):
        read_grade(value)


@pytest.mark.parametrize(
    ("grade", "people", "score", "verdict"),
    [
        ("good", ("good",), 1.0, "good"),
        (" GOOD", ("good ",), 1.0, "good"),
        ("bad", ("good", "bad", "good"), 0.0, "good"),
        ("4", (4, "5/5", 3.0, None), 1.0, 4.0),
        (4, (4, 5), 0.0, 4.5),
        (4, (4, "four", "4"), 1.0, "4"),
        ("four", (4.0,), 0.0, "4"),
        (0.1 + 0.2, (0.3,), 1.0, 0.3),
    ],
)
def test_people_come_to_a_mean_or_a_majority(grade, people, score, verdict):
    found = computed(item(grade, *people))
    assert (found.score, found.details["people"]) == (score, verdict)


@pytest.mark.parametrize(
    ("sample", "options", "reason"),
    [
        (item(None, "a"), {}, "missing_answer"),
        (item("a"), {}, "missing_reference"),
        (item("a", None, ""), {}, "missing_reference"),
        (item("a", "a", "b"), {}, "people_tied"),
        (item(1, 1, 0), {"level": "nominal"}, "people_tied"),
        (item("good", 4), {"level": "interval"}, "grade_not_a_number"),
        (item(4, 4, "good"), {"level": "ordinal"}, "grade_not_a_number"),
        (item(None, 4, "good"), {"level": "interval"}, "grade_not_a_number"),
    ],
)
def test_what_is_skipped(sample, options, reason):
    assert computed(sample, **options).details["skipped"] == reason
    found = summary([sample], **options)
    assert (found["skipped"], found["verdict"], found["agreement"]) == ({reason: 1}, "nothing_compared", None)


def test_difference_and_tolerance():
    found = computed(item(4, 3))
    assert (found.score, found.details["difference"]) == (0.0, 1.0)
    assert computed(item(4, 3), tolerance=1).score == 1.0
    metric = get_metric("judge.agreement")
    assert metric.badness(metric.compute(item(1, 5))) == 4.0
    assert metric.badness(metric.compute(item("a", "b"))) == 1.0
    assert metric.badness(metric.compute(item(1, 1))) is None


def test_the_best_constant_within_the_tolerance():
    samples = [item(3, people) for people in (1, 2, 3, 4, 5, 9)]
    assert summary(samples)["base_rate"] == pytest.approx(1 / 6)
    assert summary(samples, tolerance=1)["base_rate"] == pytest.approx(3 / 6)


def test_labels_show_as_they_were_mostly_written():
    samples = [
        item("PASS", "Pass"),
        item("Pass", "pass"),
        item("Fail", "FAIL"),
        item("Fail", "fail"),
        item("Pass", "Fail"),
    ]
    found = summary(samples)
    assert found["confusion"] == {
        "labels": ["Fail", "Pass"], "rows": "people", "columns": "judge", "counts": [[2, 1], [0, 2]],
    }  # fmt: skip
    assert found["rates"]["Fail"] == {
        "people": pytest.approx(0.6), "judge": pytest.approx(0.4), "recall": pytest.approx(2 / 3), "precision": 1.0,
    }  # fmt: skip


def test_mixed_grades_are_labels_and_say_so():
    found = summary([item(4, 4), item("4", 5), item("unsure", 3)])
    assert (found["level"], found["agreement"]) == ("nominal", pytest.approx(1 / 3))
    assert found["confusion"]["labels"] == ["3", "4", "5", "unsure"]
    for name in ("weighted_kappa", "pearson", "spearman", "kendall", "mae", "bias"):
        assert found[name] is None
        assert found["undefined"][name] == "the grades are labels, not numbers"


def test_numbers_by_hand():
    """Differences 1, 0, -1, 0: mae 0.5, bias 0; pearson of (1, 2, 4, 5) and (2, 2, 3, 5) is 7 / sqrt(10 * 6)."""
    found = summary([item(2, 1), item(2, 2), item(3, 4), item(5, 5)])
    assert (found["mae"], found["bias"], found["people_mean"], found["judge_mean"]) == (0.5, 0.0, 3.0, 3.0)
    assert found["rmse"] == pytest.approx(0.5**0.5)
    assert found["pearson"] == pytest.approx(7.0 / 60**0.5)
    assert found["level"] == "interval"


def test_too_many_grades_have_no_table():
    found = summary([item(n, n) for n in range(51)])
    assert found["confusion"] is None
    assert "51 distinct grades" in found["undefined"]["rates"]
    assert summary([item(n, n) for n in range(50)])["confusion"]["labels"][-1] == "49"


def test_zeros_and_ones_of_several_people():
    sample = item(1, 1, 1, 0)
    found = computed(sample)
    assert (found.score, found.details["warnings"]) == (0.0, ["zeros_and_ones_averaged"])
    voted = computed(sample, level="nominal")
    assert (voted.score, "warnings" in voted.details) == (1.0, False)


def test_a_label_among_numbers_is_warned_of():
    assert computed(item("oops", 4)).details["warnings"] == ["numbers_and_labels"]
    assert "warnings" not in computed(item("tie", 1), level="nominal").details
    found = summary([item(3, 4), item("oops", 4)], level="interval")
    assert (found["mae"], found["skipped"]) == (1.0, {"grade_not_a_number": 1})


def test_the_card():
    rubric = "Good answers name the object.\n"
    metric = get_metric("judge.agreement", judge="gpt-4o-2024-08-06", rubric=rubric, date="2026-11-30")
    digest = hashlib.sha256(rubric.encode()).hexdigest()
    assert metric.tally().summary()["card"] == {
        "judge": "gpt-4o-2024-08-06", "rubric_hash": digest, "date": "2026-11-30",
    }  # fmt: skip
    assert f"|judge:gpt-4o-2024-08-06|rubric:{digest[:16]}|date:2026-11-30|" in metric.signature()
    assert "warnings" not in metric.compute(item(1, 1, index=0)).details


def test_a_missing_card_is_warned_of_once():
    report = evaluate([{"judge": 1, "human": 1}] * 3)
    assert [(one["code"], one["count"]) for one in report["warnings"] if one["code"].startswith("judge")] == [
        ("judge_card_incomplete", 1)
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"judge": 3}, {"rubric": " "}, {"date": "30.11.2026"}, {"level": "ratio"}, {"tolerance": -1}, {"tolerance": "x"},
        {"tolerance": float("nan")}, {"first": "A"}, {"first": "A", "second": "a"}, {"swapped": "as_shown"},
        {"swapped": "yes"}, {"first": [1], "second": 2},
    ],
)  # fmt: skip
def test_options_that_are_refused(options):
    with pytest.raises(RequestError, match=next(iter(options))):
        get_metric("judge.agreement", **options)


def test_options_that_meet_no_grade_are_told():
    samples = [item("A", "A"), item("B", "B")]
    assert summary(samples, first="A", second="b")["warnings"] == []
    assert summary(samples, first="A", second="model_b")["warnings"] == ["unknown_side:second"]
    assert summary([item(3, 1), item(-2, -1)], first=1, second=-1)["warnings"] == []
    assert summary(samples, tolerance=1)["warnings"] == ["tolerance_of_labels"]
    assert summary([item(1, 2)], tolerance=1)["warnings"] == []
    assert summary([], first="A", second="B", tolerance=1)["warnings"] == []


def test_what_was_left_out_is_in_the_sentence():
    found = summary([item("a", "a"), item("a", "a", "b"), item("a"), item("a"), item(None, "b")])
    assert found["summary"].endswith(
        " Left out: 1 that the judge did not grade; 2 that people did not grade; 1 on which people are tied."
    )
    refused = summary([item("good", "bad")] * 40, level="interval")
    assert refused["verdict"] == "nothing_compared"
    assert "Left out: 40 with a label, where the option level takes numbers alone" in refused["summary"]


def test_one_line_functions():
    """alpha: 8 grades, squared distances within items 2 + 4 / 2, over all pairs 2 * (8 * 98 - 26 * 26) = 216."""
    assert cohen_kappa(["a", "b", "a", "b"], ["A", "b", "b", "a"]) == 0.0
    assert cohen_kappa([1, 2, 3, None], [1, 2, 3, 4], weights="quadratic") == 1.0
    assert cohen_kappa(np.array([1, 2]), np.array([2, 1])) == -1.0
    assert cohen_kappa([], []) is None
    assert krippendorff_alpha([[1, 2, None], [3, 3, 3], [5, 5, 4]], level="interval") == pytest.approx(1 - 7 * 4 / 216)
    assert krippendorff_alpha([["a", "a"]]) is None
    found = agreement([["a", "b", "b"], "a"], ["b", "b"])
    assert (found.n, found.agreement, found.verdict) == (2, 0.5, "too_few_items")


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: cohen_kappa([1], [1, 2]), "human has 1 grades and judge 2"),
        (lambda: agreement([1], []), "human has 1 grades and judge 0"),
        (lambda: cohen_kappa(["a"], ["b"], weights="linear"), "need numbers"),
        (lambda: cohen_kappa([1], [2], weights="cubic"), "no weights 'cubic'"),
        (lambda: cohen_kappa([[1]], [2]), r"human\[0\] is a list"),
        (lambda: krippendorff_alpha([["a", "b"]], level="ordinal"), "need numbers"),
        (lambda: krippendorff_alpha([1, 2]), "not a list of grades"),
        (lambda: krippendorff_alpha([[1, 2]], level="ratio"), "no level 'ratio'"),
    ],
)
def test_calls_that_are_refused(call, match):
    with pytest.raises(RequestError, match=match):
        call()


GRADES = st.sampled_from([1, 2, 2.5, 4, "good", "Good", "bad", None])
SAMPLES = st.builds(
    lambda grade, people, swapped, lengths: item(grade, *people, swapped=swapped, lengths=lengths),
    GRADES, st.lists(GRADES, max_size=4), GRADES, st.sampled_from([(), (3,), (3, 5), (9, 2)]),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(SAMPLES, max_size=12), st.integers(1, 7), st.randoms(use_true_random=False))
def test_any_cut_in_any_order_gives_the_same(samples, n, rng):
    metric = get_metric("judge.agreement", first="good", second="bad", level="auto")
    results = [metric.compute(sample) for sample in samples]
    whole, merged = metric.tally(), metric.tally()
    for result in results:
        whole.add(result)
    rng.shuffle(results)
    for start in range(n):
        shard = metric.tally()
        for result in results[start::n]:
            shard.add(result)
        merged.merge_from(shard)
    assert merged.summary() == whole.summary()
