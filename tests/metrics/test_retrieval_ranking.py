"""The rules of retrieval.ranking by hand, and the figures of pytrec_eval and ranx on six small queries."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest

from handler.errors import RequestError
from handler.metrics import get_metric
from handler.samples import RankingSample

RECORDED = json.loads((Path(__file__).parent / "recorded_rankings.json").read_text())
KS = (1, 2, 5)


def query(ranked, relevant, *, name="q", answer="", scores=()):
    return RankingSample(0, "s", "a", name, answer, (), ranked=tuple(ranked), scores=tuple(scores), relevant=relevant)


def computed(ranked, relevant, *, mode="strict", k=KS, **fields):
    return get_metric("retrieval.ranking", mode=mode, k=k).compute(query(ranked, relevant, **fields))


def summary(metric, results):
    tally = metric.tally()
    for result in results:
        tally.add(result)
    return tally.summary()


def recorded_samples():
    run, qrels = RECORDED["run"], RECORDED["qrels"]
    return [
        query(
            run.get(name, {}),
            qrels.get(name, {}),
            name=name,
            answer="" if name in run else None,
            scores=run.get(name, {}).values(),
        )
        for name in dict.fromkeys([*run, *qrels])
    ]


def test_figures_by_hand():
    """Ranks 2 and 3 hold b (grade 2) and a (1); d (1) is not retrieved, x is judged not relevant, n not judged."""
    found = computed("xban", {"a": 1, "b": 2, "d": 1, "x": 0})
    assert found.score == 1 / 2
    assert found.details["average_precision"] == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert [found.details[f"recall@{k}"] for k in KS] == pytest.approx([0, 1 / 3, 2 / 3])
    assert [found.details[f"hit_rate@{k}"] for k in KS] == [0, 1, 1]
    assert [found.details[f"precision@{k}"] for k in KS] == pytest.approx([0, 1 / 2, 2 / 5])
    ideal = [2, 2 + 1 / math.log2(3), 2 + 1 / math.log2(3) + 1 / 2]
    gained = [0, 2 / math.log2(3), 2 / math.log2(3) + 1 / 2]
    assert [found.details[f"ndcg@{k}"] for k in KS] == pytest.approx(
        [a / b for a, b in zip(gained, ideal, strict=True)]
    )
    assert (found.details["first_relevant"], found.details["n_ranked"], found.details["n_relevant"]) == (2, 4, 3)
    assert "warnings" not in found.details


@pytest.mark.parametrize(("mode", "tool"), [("compat:trec_eval", "pytrec_eval"), ("compat:ranx", "ranx")])
def test_compat_is_the_tools_own_figure(mode, tool):
    """pytrec_eval leaves out a query that was not run, and trec_eval -c counts it 0, as ranx and we do."""
    metric = get_metric("retrieval.ranking", mode=mode, k=KS)
    for sample in recorded_samples():
        result, expected = metric.compute(sample), RECORDED[tool].get(sample.sample_id)
        if sample.sample_id == "unjudged":
            assert result.details["skipped"] == "missing_reference"
        elif expected is None:
            assert (tool, sample.sample_id, result.score) == ("pytrec_eval", "missed", 0)
        else:
            found = {**result.details, "mrr": result.score, "map": result.details["average_precision"]}
            assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-12), sample.sample_id


def test_strict_differs_from_the_tools_in_ties_near_ties_and_queries_without_relevant_documents():
    strict, trec, ranx = (get_metric("retrieval.ranking", mode=mode) for mode in ("strict", "compat", "compat:ranx"))
    scores = {one.sample_id: [m.compute(one).score for m in (strict, trec, ranx)] for one in recorded_samples()}
    assert scores == {
        "graded": [0.5, 0.5, 0.5],
        "tied": [0.5, 1.0, 0.5],  # the greatest id of a, b, c is relevant; the first is not
        "single": [1.0, 0.5, 1.0],  # 1.00000001 and 1.0 are one number in single precision
        "nothing": [None, 0.0, 0.0],
        "missed": [0.0, 0.0, 0.0],
        "negative": [0.5, 0.5, 0.5],
        "unjudged": [None, None, None],
    }


def test_scores_count_whatever_the_order_and_ties_keep_it():
    found = computed("abcd", {"c": 1}, scores=[0.1, 0.5, 0.5, 0.2])
    assert (found.details["first_relevant"], found.details["n_tied"]) == (2, 2)
    assert found.details["warnings"] == ["ties"]
    harmless = computed("abcd", {"d": 1}, scores=[0.1, 0.5, 0.5, 0.2])
    assert (harmless.details["n_tied"], "warnings" in harmless.details) == (2, False)


def test_a_tie_of_two_grades_is_open_though_both_are_relevant():
    assert computed("ab", {"a": 1, "b": 2}, scores=[1, 1]).details["warnings"] == ["ties"]


def test_ranx_is_not_followed_into_its_unstable_sort():
    documents = [f"d{number:02}" for number in range(16)]
    warned = computed(documents, {"d03": 1}, scores=[0.5] * 16, mode="compat:ranx").details["warnings"]
    assert warned == ["ties", "unstable_ties"]
    assert computed(documents[:15], {"d03": 1}, scores=[0.5] * 15, mode="compat:ranx").details["warnings"] == ["ties"]


@pytest.mark.parametrize("scores", [(), (0.9, 0.8, 0.7, 0.6)])
def test_a_repeated_document_counts_where_it_stands_first(scores):
    found = computed("abac", {"a": 1, "c": 1}, k=3, scores=scores)
    assert found.details["recall@3"] == 1
    assert found.details["average_precision"] == pytest.approx((1 + 2 / 3) / 2)
    assert (found.details["n_ranked"], found.details["warnings"]) == (3, ["duplicate_document"])


def test_queries_that_are_not_run_that_find_nothing_and_that_ask_for_nothing():
    metric = get_metric("retrieval.ranking")
    results = [
        metric.compute(query("ab", {"a": 1})),
        metric.compute(query((), {"a": 1}, answer=None)),
        metric.compute(query((), {"a": 1})),
        metric.compute(query("ab", {"a": 0})),
        metric.compute(query("ab", {})),
    ]
    assert [one.details.get("warnings") for one in results] == [
        None,
        ["query_not_run"],
        ["empty_answer"],
        None,
        ["query_without_qrels"],
    ]
    found = summary(metric, results)
    assert (found["n_scored"], found["mrr"], found["recall@10"], found["n_unanswered"]) == (3, 1 / 3, 1 / 3, 1)
    assert found["skipped"] == {"missing_reference": 1, "no_relevant": 1}
    assert "33% of 3 queries" in found["summary"]
    assert [metric.badness(one) for one in results] == [None, 0, 0, None, None]


def test_nothing_to_average_is_null():
    metric = get_metric("retrieval.ranking")
    found = summary(metric, [metric.compute(query("ab", {"a": 0}))])
    assert (found["mrr"], found["map"], found["ndcg@10"], found["intervals"]["mrr"]) == (None, None, None, None)


def test_intervals_by_hand():
    """Reciprocal ranks 1 and 1/2: mean 0.75, deviation sqrt(1/8), t of 1 degree of freedom 12.706, so all of 0..1. Three
    of four hits: Wilson gives 0.3006 to 0.9544."""
    metric = get_metric("retrieval.ranking", k=1)
    two = summary(metric, [metric.compute(query(ranked, {"a": 1})) for ranked in ("ab", "ba")])
    assert (two["intervals"]["mrr"]["low"], two["intervals"]["mrr"]["high"]) == (0, 1)
    four = summary(metric, [metric.compute(query(ranked, {"a": 1})) for ranked in ("ab", "ab", "ab", "ba")])
    interval = four["intervals"]["hit_rate@1"]
    assert (interval["low"], interval["high"]) == pytest.approx((0.3006, 0.9544), abs=1e-4)
    assert interval["method"] == "wilson"
    half = 3.182446 * 0.25 / 2  # t of 3 degrees of freedom; deviation 1/4, four queries
    low = four["intervals"]["mrr"]["low"]
    assert low == pytest.approx(0.875 - half, abs=1e-6)


@pytest.mark.parametrize("n_shards", [1, 2, 7])
def test_any_cut_in_any_order_gives_the_same_report(n_shards):
    metric = get_metric("retrieval.ranking")
    chance = random.Random(5)
    documents = [f"d{number}" for number in range(30)]
    results = []
    for _ in range(200):
        ranked, relevant = chance.sample(documents, 12), chance.sample(documents, chance.randint(1, 6))
        results.append(metric.compute(query(ranked, {one: chance.randint(0, 3) for one in relevant})))
    whole = summary(metric, results)
    chance.shuffle(results)
    merged = metric.tally()
    for shard in range(n_shards):
        part, restored = metric.tally(), metric.tally()
        for result in results[shard::n_shards]:
            part.add(result)
        restored.restore(json.loads(json.dumps(part.state())))
        merged.merge_from(restored)
    assert merged.summary() == whole
    scored = [one.score for one in results if one.score is not None]
    assert whole["mrr"] == pytest.approx(math.fsum(scored) / len(scored), abs=1e-14)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("place", [1, 3, 7, 10])
def test_equal_figures_have_that_figure_as_their_mean(n, place):
    metric = get_metric("retrieval.ranking", k=10)
    result = metric.compute(query([f"d{number}" for number in range(10)], {f"d{place - 1}": 1}))
    found = summary(metric, [result] * n)
    assert (found["mrr"], found["map"]) == (1 / place, 1 / place)
    assert (found["precision@10"], found["ndcg@10"]) == (1 / 10, result.details["ndcg@10"])


@pytest.mark.parametrize("given", [5, [5, 1], (1, 5), "1,5", " 5 , 1,5"])
def test_cut_offs_in_any_form(given):
    metric = get_metric("retrieval.ranking", k=given)
    assert "|k:1,5|" in metric.signature() or given == 5
    assert summary(metric, [])["cutoffs"] == ([5] if given == 5 else [1, 5])


@pytest.mark.parametrize(
    "given", [0, -1, 2.5, True, None, "", "1,,5", "ten", "1e3", "²", [], list(range(1, 30)), 10**9]
)
def test_other_cut_offs_are_refused(given):
    with pytest.raises(RequestError, match="k is") as caught:
        get_metric("retrieval.ranking", k=given)
    assert caught.value.field == "options.retrieval.ranking.k"


def test_a_mode_of_another_tool_is_refused():
    with pytest.raises(RequestError, match="compat:trec_eval, compat:ranx"):
        get_metric("retrieval.ranking", mode="compat:torchmetrics")
