"""Recorded judges and people: every figure that scikit-learn, SciPy and the originals' own scripts give for them."""

from __future__ import annotations

import csv
import json
import math

import pytest

from handler import evaluate
from handler.errors import RequestError
from handler.formats import Notices, ReadOptions, open_records
from handler.metrics import get_metric
from handler.metrics.judge import agreement, cohen_kappa
from handler.statistics import kendall_tau_b, pearson

FOLDER = "09-judge-calibration"
TOLERANCE = 1e-6


def load(path):
    return json.loads(path.read_text())


def scored(records, options=None, **request):
    report = evaluate(records, metrics=["judge.agreement"], options={"judge.agreement": options or {}}, **request)
    return report["metrics"]["judge.agreement"]


def same_table(found, expected):
    """n, agreement, kappa, confusion and rates as a case records them; a label that nobody gave has no row of ours."""
    assert found["n_scored"] == expected["n"]
    assert found["agreement"] == pytest.approx(expected["agreement"], abs=TOLERANCE)
    assert found["kappa"] == pytest.approx(expected["cohen_kappa"], abs=TOLERANCE)
    ours = found["confusion"]["labels"]
    counts = dict(zip(ours, found["confusion"]["counts"], strict=True))
    labels = [str(label) for label in expected["labels"]]
    for people, row in zip(labels, expected["confusion_rows_human_cols_judge"], strict=True):
        mine = dict(zip(ours, counts.get(people, []), strict=people in counts))
        assert [mine.get(label, 0) for label in labels] == row
    for name, rates in (("people", expected["human_rates"]), ("judge", expected["judge_rates"])):
        for label, rate in rates.items():
            assert found["rates"].get(label, {name: 0})[name] == pytest.approx(rate, abs=TOLERANCE)


def same_numbers(found, expected):
    """Correlations, errors and kappas as a case records them (p-values are no figures of ours: intervals say more)."""
    names = {
        "kendall_tau_b": "kendall", "bias_judge_minus_human": "bias", "mean_human": "people_mean",
        "mean_judge": "judge_mean", "exact_agreement": "agreement", "kappa_quadratic": "weighted_kappa",
        "kappa_linear": "weighted_kappa_linear", "n": "n_scored",
    }  # fmt: skip
    checked = 0
    for name, value in expected.items():
        if not name.endswith("_p"):
            assert found[names.get(name, name)] == pytest.approx(value, abs=TOLERANCE), name
            checked += 1
    return checked


def test_chatgpt_or_vicuna_by_gpt4_and_people(cases):
    folder = cases / FOLDER / "faireval-gpt4-vs-human-q1-48"
    expected = load(folder / "expected.json")
    people = folder.joinpath("human.txt").read_text().split()
    reviews = [json.loads(line)["score"] for line in (folder / "gpt4_review.jsonl").read_text().splitlines()][:48]
    assert (
        sorted({score for pair in reviews for score in pair if not float(score).is_integer()})
        == (expected["scores_not_integers"])
    )
    lengths = [
        (int(row["chatgpt_chars"]), int(row["vicuna_chars"]))
        for row in csv.DictReader((folder / "answer_lengths.csv").read_text().splitlines())
    ]
    difference = [one - other for one, other in reviews]
    word = {1: "CHATGPT", 0: "TIE", -1: "VICUNA13B"}
    sign = {label: number for number, label in word.items()}
    judged = [(gap > 0) - (gap < 0) for gap in difference]
    rows = [
        {"human": human, "judge": word[judge], "len_1": one, "len_2": other}
        for human, judge, (one, other) in zip(people, judged, lengths, strict=True)
    ]
    found = scored(rows, {"first": "CHATGPT", "second": "vicuna13b"})["overall"]
    same_table(found, expected)
    bias = expected["length_bias"]
    assert found["length_bias"]["judge"] == pytest.approx(bias["judge_verdict_vs_length_difference"], abs=TOLERANCE)
    assert found["length_bias"]["people"] == pytest.approx(bias["human_verdict_vs_length_difference"], abs=TOLERANCE)
    error = bias["error(judge-human)_vs_length_difference"]
    assert found["length_bias"]["difference"] == pytest.approx(error, abs=TOLERANCE)
    assert found["length_bias"]["judge_prefers_longer"] == pytest.approx(bias["judge_prefers_longer"])
    assert found["length_bias"]["people_prefers_longer"] == pytest.approx(bias["human_prefers_longer"])

    decided = [row for row in rows if "TIE" not in (row["human"], row["judge"])]
    same_table(scored(decided)["overall"], expected["without_ties"])

    numbers = [{**row, "human": sign[row["human"]], "judge": judge} for row, judge in zip(rows, judged, strict=True)]
    assert same_numbers(scored(numbers)["overall"], expected["ordinal"]) == 13

    scores = [{**row, "judge": gap} for row, gap in zip(numbers, difference, strict=True)]
    of_scores = scored(scores)["overall"]["length_bias"]["judge"]
    assert of_scores == pytest.approx(bias["judge_score_difference_vs_length_difference"], abs=TOLERANCE)


def autoj(cases, **options):
    path = cases / FOLDER / "autoj-pairwise" / "records.jsonl"
    return scored(path, {"first": 0, "second": 1, **options}, group_by=["scenario"])


def test_autoj_in_both_orders(cases):
    expected = load(cases / FOLDER / "autoj-pairwise" / "expected.json")
    found = autoj(cases, swapped="as_shown")["overall"]
    same_table(found, expected["original_order"])
    position = found["position_bias"]
    assert position["agreement_both_orders"] == pytest.approx(expected["autoj_agreement_both_orders"], abs=TOLERANCE)
    assert position["consistency"] == pytest.approx(expected["consistency_between_orders"], abs=TOLERANCE)
    assert position["kappa_between_orders"] == pytest.approx(expected["kappa_between_orders"], abs=TOLERANCE)
    bias = expected["position_bias"]
    assert position["first_shown_wins"]["original"] == pytest.approx(bias["first_shown_wins_original"])
    assert position["first_shown_wins"]["exchanged"] == pytest.approx(bias["first_shown_wins_exchanged"])
    assert position["first_both_times"] == bias["inconsistent_and_first_both_times"]
    assert position["second_both_times"] == bias["inconsistent_and_second_both_times"]
    exchanged = expected["exchanged_order_mapped_back"]
    assert position["agreement_exchanged"] == pytest.approx(exchanged["agreement"], abs=TOLERANCE)
    length = expected["length_bias"]
    assert found["length_bias"]["judge"] == pytest.approx(length["judge"], abs=TOLERANCE)
    assert found["length_bias"]["people"] == pytest.approx(length["human"], abs=TOLERANCE)
    assert found["length_bias"]["judge_prefers_longer"] == pytest.approx(length["judge_prefers_longer"])
    assert found["length_bias"]["people_prefers_longer"] == pytest.approx(length["human_prefers_longer"])
    assert found["verdict"] == "weak"


def test_autoj_by_scenario(cases):
    expected = load(cases / FOLDER / "autoj-pairwise" / "expected.json")["agreement_by_scenario"]
    groups = {one["value"]: one for one in autoj(cases)["groups"]}
    assert groups.keys() == expected.keys()
    for scenario, (agreed, n) in expected.items():
        assert (groups[scenario]["n_scored"], groups[scenario]["agreement"]) == (n, pytest.approx(agreed / n))
        assert groups[scenario]["verdict"] == "too_few_items"


def test_autojs_other_order_alone(cases):
    folder = cases / FOLDER / "autoj-pairwise"
    expected = load(folder / "expected.json")["exchanged_order_mapped_back"]
    rows = [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]
    back = {0: 1, 1: 0, 2: 2}
    exchanged = [{"human": row["label"], "judge": back[row["judge_exchanged_order"]]} for row in rows]
    same_table(scored(exchanged, {"level": "nominal"})["overall"], expected)


def test_verdicts_that_were_not_mapped_back_are_told(cases):
    """The other order's verdicts name the answer as it was shown: taken as they are, the judge seems to flip."""
    found = autoj(cases)["overall"]
    assert found["verdict"] == "order_not_mapped_back"
    assert found["position_bias"]["consistency_if_mapped_back"] == pytest.approx(0.8516746411483254)


@pytest.mark.parametrize("criterion", ["Informativeness", "Relevance", "Fluency", "Coherence"])
def test_three_raters_of_summaries(cases, criterion):
    folder = cases / FOLDER / "newsroom-3-raters"
    expected = load(folder / "expected.json")[criterion]
    rows = [(row["summary_chars"], *row[criterion]) for row in load(folder / "ratings.json")]
    assert len(rows) == expected["n"]
    against_two = scored([{"judge": one, "human": [two, three]} for _, one, two, three in rows])["overall"]
    assert same_numbers(against_two, expected["rater1_vs_mean_of_others"]) == 10
    against_one = scored([{"judge": one, "human": two} for _, one, two, _ in rows])["overall"]
    assert same_numbers(against_one, expected["rater1_vs_rater2"]) == 13
    all_three = scored([{"judge": one, "human": [one, two, three], "length": n} for n, one, two, three in rows])
    assert all_three["overall"]["length_bias"]["people"] == pytest.approx(expected["mean_vs_length"], abs=TOLERANCE)


def test_an_expert_and_a_crowd_of_123(cases):
    folder = cases / FOLDER / "dices-350-expert-vs-crowd"
    expected = load(folder / "expected.json")
    items = load(folder / "ratings.json")
    assert [len(items[0]["crowd"])] == expected["raters_per_item"]
    majority = scored([{"human": one["expert"], "judge": one["crowd_majority"]} for one in items])["overall"]
    same_table(majority, expected["expert_vs_crowd_majority"])
    crowd = scored([{"human": one["crowd"], "judge": one["expert"]} for one in items])["overall"]
    assert crowd["fleiss_kappa"] == pytest.approx(expected["fleiss_kappa_crowd_3_labels"], abs=TOLERANCE)
    tied = [one for one in items if one["crowd"].count("Yes") == one["crowd"].count("No")]
    assert crowd["skipped"] == {"people_tied": len(tied)}
    agreed = sum(one["expert"] == one["crowd_majority"] for one in items if one not in tied)
    assert crowd["agreement"] == pytest.approx(agreed / (len(items) - len(tied)))
    share = [{"human": 1 - one["crowd"].count("No") / 123, "judge": int(one["expert"] == "Yes")} for one in items]
    found, wanted = scored(share)["overall"], expected["expert_unsafe_vs_crowd_unsafe_share"]
    assert found["pearson"] == pytest.approx(wanted["pearson"], abs=TOLERANCE)
    assert found["spearman"] == pytest.approx(wanted["spearman"], abs=TOLERANCE)
    assert found["rmse"] ** 2 == pytest.approx(wanted["brier"], abs=TOLERANCE)


def test_degenerate_inputs(cases):
    """What the libraries give NaN or an error for is None with a reason here; unequal lengths are refused."""
    folder = cases / FOLDER / "degenerate"
    expected = load(folder / "expected.json")
    names = {"cohen_kappa": "kappa", "kendall_tau_b": "kendall", "kappa_quadratic": "weighted_kappa"}
    for case, (human, judge) in load(folder / "cases.json").items():
        if len(human) != len(judge):
            assert all("raises" in one for one in expected[case].values())
            with pytest.raises(RequestError, match="human has 3 grades and judge 2"):
                agreement(human, judge)
            with pytest.raises(RequestError, match="human has 3 grades and judge 2"):
                cohen_kappa(human, judge)
            continue
        found = agreement(human, judge)
        for name, value in expected[case].items():
            ours = getattr(found, names.get(name, name))
            if value == "NaN" or isinstance(value, dict):
                assert ours is None, (case, name)
                assert found.undefined[names.get(name, name)], (case, name)
            else:
                assert ours == pytest.approx(value, abs=TOLERANCE), (case, name)
        assert not any(isinstance(one, float) and not math.isfinite(one) for one in found.figures.values())


def test_the_kappa_paradox_is_told(cases):
    """90 % agreement and a kappa below 0: always saying 1 would agree on 95 %."""
    human, judge = load(cases / FOLDER / "degenerate" / "cases.json")["kappa_paradox"]
    found = agreement(human, judge)
    assert (found.agreement, found.base_rate, found.verdict) == (0.9, 0.95, "no_better_than_constant")
    pairs = {pair: list(zip(human, judge, strict=True)).count(pair) for pair in set(zip(human, judge, strict=True))}
    assert pearson(pairs) == pytest.approx(kendall_tau_b(pairs))


@pytest.mark.parametrize("n", [1, 2, 7])
def test_shards_merge_to_the_same(cases, n):

    path = cases / FOLDER / "autoj-pairwise" / "records.jsonl"
    metric = get_metric("judge.agreement", first=0, second=1, swapped="as_shown")
    results = [metric.compute(one) for one in open_records(str(path), ReadOptions(), Notices())]
    whole = metric.tally()
    for one in results:
        whole.add(one)
    merged = metric.tally()
    for start in reversed(range(n)):
        shard, restored = metric.tally(), metric.tally()
        for one in results[start::n]:
            shard.add(one)
        restored.restore(json.loads(json.dumps(shard.state())))
        merged.merge_from(restored)
    assert merged.summary() == whole.summary()
