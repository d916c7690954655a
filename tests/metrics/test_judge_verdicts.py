"""What judge.agreement makes of a judge: its verdicts, bias by length and position, several people, the true rate."""

from __future__ import annotations

import random
import time
from itertools import combinations
from statistics import mean

import pytest
from judged_items import item, summary

from handler.metrics.judge import krippendorff_alpha


def test_a_constant_judge_agrees_as_often_as_the_majority():
    """People say good in 70 of 100: so does a judge that always says good, with kappa 0."""
    found = summary([item("good", "good")] * 70 + [item("good", "bad")] * 30)
    assert (found["agreement"], found["base_rate"], found["kappa"]) == (0.7, 0.7, 0.0)
    assert found["verdict"] == "no_better_than_constant"
    assert "no better than always giving the same grade" in found["summary"]


def noisy(n, right):
    """Labels of which the judge gets the first `right` of every ten."""
    labels = ["good" if i % 2 else "bad" for i in range(n)]
    other = {"good": "bad", "bad": "good"}
    return [(label if i % 10 < right else other[label], label) for i, label in enumerate(labels)]


def test_verdicts_of_labels():
    assert summary([item(*pair) for pair in noisy(29, 10)])["verdict"] == "too_few_items"
    assert summary([item(*pair) for pair in noisy(60, 9)])["verdict"] == "usable"
    assert summary([item(*pair) for pair in noisy(200, 7)])["verdict"] == "weak"
    assert summary([item(*pair) for pair in noisy(60, 5)])["verdict"] == "no_better_than_constant"


def test_verdicts_of_numbers():
    assert summary([item(i % 5, i % 5) for i in range(40)])["verdict"] == "usable"
    assert summary([item(3, i % 5) for i in range(40)])["verdict"] == "no_better_than_constant"
    assert summary([item((i % 5 - 2) ** 2, i % 5) for i in range(40)])["verdict"] == "no_better_than_constant"


def test_labels_of_which_none_is_shared():
    words = [item(("false", "true")[i % 2], ("no", "yes")[i % 2]) for i in range(40)]
    found = summary(words)
    assert (found["agreement"], found["n_shared_labels"], found["verdict"]) == (0.0, 0, "no_shared_label")
    assert "(the judge: false, true; people: no, yes)" in found["summary"]
    assert summary(words[:4])["verdict"] == "no_shared_label"
    assert summary([item("a", "b")] * 4)["verdict"] == "too_few_items"
    many = summary([item(f"judge {i}", f"person {i}") for i in range(60)])
    assert (many["rates"], many["verdict"]) == (None, "no_shared_label")


def test_a_judge_on_another_scale():
    """People 1 to 5 have the mean 3 and variance 2, a judge from 0 to 0.8 0.4 and 0.08: 2 * 0.4 / (2.08 + 6.76)."""
    found = summary([item(i % 5 / 5, i % 5 + 1) for i in range(40)])
    assert (found["spearman"], found["verdict"]) == (pytest.approx(1.0), "other_scale")
    assert found["scale_agreement"] == pytest.approx(0.8 / 8.84)
    one_off = summary([item(i % 5 + 1, i % 5) for i in range(40)])
    assert (one_off["scale_agreement"], one_off["verdict"]) == (pytest.approx(4 / 5), "usable")
    two_off = summary([item(i % 5 + 2, i % 5) for i in range(40)])
    assert (two_off["scale_agreement"], two_off["verdict"]) == (pytest.approx(4 / 8), "other_scale")
    assert summary([item(2, 2)] * 3)["scale_agreement"] is None


def test_criteria_of_numbers_and_of_labels_have_no_verdict_together():
    stars = [item(i % 5, i % 5, criterion="stars") for i in range(40)]
    quality = [item(*pair, criterion="quality") for pair in noisy(40, 9)]
    assert (summary(stars)["verdict"], summary(quality)["verdict"]) == ("usable", "usable")
    found = summary(stars + quality)
    assert found["verdict"] == "mixed_criteria"
    assert "numbers (stars) and others in labels (quality)" in found["summary"]
    assert summary(stars + quality[:4])["verdict"] != "mixed_criteria"
    codes = [item(("1", "2", "tie")[i % 3], ("1", "2", "tie")[i % 3], criterion=f"s{i // 9}") for i in range(90)]
    assert summary(codes)["verdict"] == "usable"


def test_a_judge_among_people():
    """Three people of whom one errs in each third item; the judge errs like one of them."""

    def people(i):
        label, other = ("good", "bad") if i % 2 else ("bad", "good")
        return [other if i % 12 == rater else label for rater in range(4)]

    found = summary([item(*people(i)) for i in range(60)])
    assert found["verdict"] == "as_good_as_people"
    assert found["between_people"]["judge_agreement"] == pytest.approx(found["between_people"]["people_agreement"])
    assert found["fleiss_kappa"] is not None
    worse = [
        item("bad" if grades[0] == "good" and i % 3 else grades[0], *grades[1:])
        for i, grades in enumerate(map(people, range(60)))
    ]
    assert summary(worse)["verdict"] != "as_good_as_people"


def test_people_who_disagree_measure_no_judge():
    samples = [item(i % 5, i % 5, (i * 3 + 1) % 5) for i in range(40)]
    found = summary(samples)
    assert found["between_people"]["reliability"] < 0.5
    assert found["verdict"] == "people_disagree"


def test_people_and_their_distances_by_definition():
    rng = random.Random(5)
    rows = [[rng.choice((1, 2, 2.5, 4, 4.75)) for _ in range(rng.randint(2, 5))] for _ in range(30)]
    for tolerance in (0, 0.5, 2):
        found = summary([item(*row) for row in rows if len(row) > 2], tolerance=tolerance)["between_people"]
        judged = [(row[0], row[1:]) for row in rows if len(row) > 2]
        pairs = [[abs(a - b) for a, b in combinations(people, 2)] for _, people in judged]
        singles = [[abs(judge - one) for one in people] for judge, people in judged]
        for gaps, who in ((pairs, "people"), (singles, "judge")):
            assert found[f"{who}_difference"] == pytest.approx(mean(mean(one) for one in gaps))
            shares = [mean(float(gap <= tolerance) for gap in one) for one in gaps]
            assert found[f"{who}_agreement"] == pytest.approx(mean(shares))


def test_many_people_with_decimals_take_no_time():
    """3,200,000 pairs of people: counted one by one they took minutes."""
    rng = random.Random(1)
    samples = [item(i % 5, *(rng.random() for _ in range(400))) for i in range(40)]
    started = time.process_time()
    assert summary(samples)["between_people"]["people_difference"] == pytest.approx(1 / 3, abs=0.01)
    assert time.process_time() - started < 5  # seconds


def test_raters_that_differ_in_number_have_no_fleiss_kappa():
    found = summary([item("a", "a", "a"), item("b", "b", "b", "a")])
    assert found["fleiss_kappa"] is None
    assert found["undefined"]["fleiss_kappa"] == "items have different numbers of people (2, 3)"
    assert found["krippendorff_alpha"]["people"] is not None


def test_alpha_counts_the_judge_as_one_more_rater():
    rows = [("a", "a", "b"), ("b", "b", "b"), ("a", "a", "a"), (None, "a", "b")]
    found = summary([item(*row) for row in rows])["krippendorff_alpha"]
    assert found["people"] == pytest.approx(krippendorff_alpha([row[1:] for row in rows]))
    assert found["judge_with_people"] == pytest.approx(krippendorff_alpha(rows))


def pairs(n, judge_longer, people_longer, **fields):
    """Pairs of which the first is longer; the judge prefers it in `judge_longer` of every ten, people in theirs."""
    return [
        item(
            "A" if i % 10 < judge_longer else "B", "A" if i % 10 < people_longer else "B", lengths=(200, 100), **fields
        )
        for i in range(n)
    ]


def test_a_judge_that_likes_long_answers():
    found = summary(pairs(100, 9, 6))
    assert found["verdict"] == "longer_is_better"
    assert (found["length_bias"]["judge_prefers_longer"], found["length_bias"]["people_prefers_longer"]) == (0.9, 0.6)
    assert found["undefined"]["length_bias.judge.pearson"] == "the lengths never differ"
    assert summary(pairs(100, 6, 6))["verdict"] == "usable"


def test_grades_that_follow_the_length():
    samples = [item(i % 5, (i * 2) % 5 if i % 3 else i % 5, lengths=(10 + i % 5,)) for i in range(100)]
    found = summary(samples)
    assert found["length_bias"]["of"] == "length"
    assert found["length_bias"]["judge"]["spearman"] == pytest.approx(1.0)
    assert found["length_bias"]["judge_prefers_longer"] is None


def test_length_needs_an_order_of_grades():
    assert summary([item("a", "b", lengths=(3,))])["undefined"]["length_bias"] == "the grades are labels, not numbers"
    codes = [item(0, 1, lengths=(3, 4)), item(2, 1, lengths=(5, 4))]
    assert "give the options first and second" in summary(codes)["undefined"]["length_bias"]
    assert summary(codes, first=0, second=1)["length_bias"]["people_prefers_longer"] == 0.5


def test_positions():
    shown_first = (
        [item("A", "A", swapped="B")] * 20 + [item("A", "A", swapped="A")] * 20 + [item("B", "B", swapped="B")] * 20
    )
    found = summary(shown_first)
    position = found["position_bias"]
    assert (position["consistency"], position["agreement_both_orders"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert (position["first_both_times"], position["second_both_times"]) == (20, 0)
    assert position["first_shown_wins"] == {"original": pytest.approx(2 / 3), "exchanged": pytest.approx(2 / 3)}
    assert found["verdict"] == "position_decides"


def test_verdicts_as_shown_are_mapped_back():
    samples = [item("A" if i % 2 else "B", "A" if i % 2 else "B", swapped="b" if i % 2 else "a") for i in range(40)]
    assert summary(samples)["verdict"] == "order_not_mapped_back"
    found = summary(samples, first="A", second="B", swapped="as_shown")
    assert (found["position_bias"]["consistency"], found["verdict"]) == (1.0, "usable")


def test_a_change_of_grades_is_no_bias_while_nothing_says_which_grade_is_for_which_answer():
    """0 and 1 as shown, not mapped back: all change, and a table of verdicts looks like one of scores."""
    samples = [item(i % 2, i % 2, swapped=1 - i % 2) for i in range(40)]
    found = summary(samples)
    assert (found["position_bias"]["consistency"], found["verdict"]) == (0.0, "position_unclear")
    assert "swapped=as_shown" in found["summary"]
    assert summary(samples, first="0", second="1", swapped="as_shown")["verdict"] == "usable"


def test_the_true_rate_where_people_graded_some():
    """40 of 100 unseen items are named bad; of 50 seen ones people call 20 bad, of which the judge finds 15, and 5 more."""
    seen = [("bad", "bad")] * 15 + [("good", "bad")] * 5 + [("bad", "good")] * 5 + [("good", "good")] * 25
    unseen = [("bad",)] * 40 + [("good",)] * 60
    found = summary([item(*one) for one in seen + unseen])
    bad = found["prevalence"]["bad"]
    assert (bad["judge_rate"], bad["people_rate"], bad["sensitivity"]) == (0.4, 0.4, 0.75)
    assert bad["true_rate"] == pytest.approx(0.4)
    assert bad["rogan_gladen"] == pytest.approx((0.4 + 25 / 30 - 1) / (0.75 + 25 / 30 - 1))
    assert (bad["n_people"], bad["n_judge_only"]) == (50, 100)
    assert found["prevalence"]["good"]["true_rate"] == pytest.approx(0.6)
    assert found["intervals"]["prevalence.bad.true_rate"]["method"] == "prediction-powered"
    alone = summary([item(*one) for one in seen])
    assert alone["prevalence"]["bad"]["true_rate"] == 0.4
    assert alone["intervals"]["prevalence.bad.true_rate"]["method"] == "wilson"
    assert alone["undefined"]["prevalence.bad.rogan_gladen"] == "people graded all items"
