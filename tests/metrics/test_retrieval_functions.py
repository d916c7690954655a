"""The figures of rankings as functions, called as people call them."""

from __future__ import annotations

import math

import pytest

from handler.errors import InputError, RequestError
from handler.metrics.retrieval import (
    average_precision,
    hit_rate_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)

RANKED = {"q1": ["img4", "img1", "img9"], "q2": ["img2", "img7", "img3"], "q3": ["img5", "img6", "img8"]}
RELEVANT = {"q1": "img1", "q2": "img2", "q3": "img8"}


def test_three_queries_with_one_correct_image_each():
    assert [f"{recall_at_k(RANKED, RELEVANT, k):.2f}" for k in (1, 2, 3)] == ["0.33", "0.67", "1.00"]
    assert [f"{hit_rate_at_k(RANKED, RELEVANT, k):.2f}" for k in (1, 2, 3)] == ["0.33", "0.67", "1.00"]
    assert precision_at_k(RANKED, RELEVANT, 3) == pytest.approx(1 / 3)
    assert reciprocal_rank(RANKED, RELEVANT) == pytest.approx((1 / 2 + 1 + 1 / 3) / 3)
    assert average_precision(RANKED, RELEVANT) == pytest.approx((1 / 2 + 1 + 1 / 3) / 3)
    assert ndcg_at_k(RANKED, RELEVANT, 3) == pytest.approx((1 / math.log2(3) + 1 + 1 / 2) / 3)


@pytest.mark.parametrize("relevant", [["a", "c"], ("a", "c"), {"a", "c"}, {"a": 2, "c": 1, "b": 0}, iter(["a", "c"])])
def test_one_query(relevant):
    assert recall_at_k(["a", "b", "c"], relevant, 2) == 0.5


def test_one_query_with_one_relevant_document():
    assert recall_at_k(["b", "a"], "a", 1) == 0
    assert hit_rate_at_k(["b", "a"], "a", 2) == 1
    assert average_precision(("b", "a"), "a") == 0.5
    assert ndcg_at_k(["b", "a"], {"a": 3}, 2) == pytest.approx(1 / math.log2(3))


def test_scores_instead_of_an_order():
    assert reciprocal_rank({"a": 0.1, "b": 0.9}, "a") == 0.5
    assert reciprocal_rank({"q": {"a": 0.1, "b": 0.9}}, {"q": "a"}) == 0.5


def test_numbers_are_their_text():
    assert recall_at_k({1: [7, 8]}, {"1": "7"}, 1) == 1
    assert recall_at_k([7, 8], 7, 1) == 1
    assert recall_at_k({"1.0": [7.0]}, {1: "7"}, 1) == 1


def test_a_query_that_was_not_run_counts_and_one_that_asks_for_nothing_does_not():
    assert recall_at_k({"q1": ["a"]}, {"q1": "a", "q2": "b"}, 1) == 0.5
    assert recall_at_k({"q1": ["a"], "q3": ["c"]}, {"q1": "a", "q2": [], "q3": {"c": 0}}, 1) == 1
    assert recall_at_k({"q1": ["a"], "q9": ["a"]}, {"q1": "a"}, 1) == 1


def test_nothing_relevant_at_all_is_none():
    assert recall_at_k(["a"], [], 1) is None
    assert average_precision({}, {}) is None
    assert ndcg_at_k({"q": ["a"]}, {"q": {"a": 0}}, 1) is None


def test_a_repeated_document_counts_once():
    assert precision_at_k(["a", "a", "a"], ["a", "b"], 3) == pytest.approx(1 / 3)
    assert recall_at_k(["a", "a", "b"], ["a", "b"], 2) == 1


@pytest.mark.parametrize("k", [0, -1, True, 1.5, "3", None])
def test_a_cut_off_is_a_whole_number(k):
    with pytest.raises(RequestError, match="whole number from 1 on"):
        recall_at_k(RANKED, RELEVANT, k)


@pytest.mark.parametrize(
    ("ranked", "relevant", "match"),
    [
        (RANKED, ["img1"], "3 queries, and relevant is a list"),
        (["a"], {"a": 0.5}, "no whole number"),
        ({"q": {"a": math.nan}}, {"q": "a"}, "no finite number"),
        ({"q": {"a": "high"}}, {"q": "a"}, "no finite number"),
        ([1.5], "a", "1.5 is no id"),
        ([None], "a", "None is no id"),
    ],
)
def test_what_is_not_understood_is_refused(ranked, relevant, match):
    with pytest.raises(InputError, match=match):
        recall_at_k(ranked, relevant, 1)
