"""Recall and hit rate of eight recorded runs: the definition, ranx, ir_measures (trec_eval), torchmetrics."""

from __future__ import annotations

import json

import pytest

from handler import evaluate
from handler.metrics.retrieval import recall_at_k

NAMES = (
    "graded-relevance",
    "missing-and-empty-queries",
    "multiple-relevant",
    "page-example-one-query-3-relevant",
    "page-example-three-queries",
    "ties",
    "ties-where-peers-differ",
    "trec-eval-test-data",
)
EVERY = pytest.mark.parametrize("name", NAMES)
FORMS = pytest.mark.parametrize("form", ["trec", "json"])


def scored(cases, name, form="json", mode="strict"):
    folder = cases / "08-recall-at-k" / name
    expected = json.loads((folder / "expected.json").read_text())
    report = evaluate(
        folder / f"run.{form}",
        references=folder / f"qrels.{form}",
        mode=mode,
        options={"retrieval.ranking": {"k": ",".join(map(str, expected["k"]))}},
    )
    rows = {row["sample_id"]: row["metrics"]["retrieval.ranking"] for row in report.samples}
    return report["metrics"]["retrieval.ranking"]["overall"], rows, expected


def near(value):
    return pytest.approx(value, abs=1e-6)


def test_all_recorded_runs_are_here(cases):
    assert {one.name for one in (cases / "08-recall-at-k").iterdir()} == set(NAMES)


@EVERY
@FORMS
def test_strict_is_the_definition(cases, name, form):
    overall, rows, expected = scored(cases, name, form)
    definition = expected["definition_stable_ties_all_qrels_queries"]
    for family in ("recall", "hit_rate"):
        assert {k: overall[f"{family}@{k}"] for k in definition[family]} == near(definition[family])
    for query, by_k in definition["per_query"].items():
        assert {k: rows[query].get(f"recall@{k}") for k in by_k} == near(by_k), query
    skipped = {query: row["skipped"] for query, row in rows.items() if row["state"] == "skipped"}
    assert skipped == {
        **dict.fromkeys(definition["queries_without_relevant"], "no_relevant"),
        **dict.fromkeys(definition["queries_only_in_run"], "missing_reference"),
    }
    assert overall["n_unanswered"] == len(definition["queries_without_run"])


@EVERY
@FORMS
def test_compat_ranx_is_ranx_made_comparable(cases, name, form):
    overall, _, expected = scored(cases, name, form, "compat:ranx")
    figures = expected["ranx_make_comparable"]
    assert {figure: overall[figure] for figure in figures} == near(figures)
    if "raises" not in expected["ranx"]:
        assert expected["ranx"] == figures


@EVERY
@FORMS
def test_compat_trec_eval_is_ir_measures(cases, name, form):
    overall, rows, expected = scored(cases, name, form, "compat:trec_eval")
    ours = {"R": "recall", "Success": "hit_rate"}
    for measure, value in expected["ir_measures"].items():
        family, _, k = measure.partition("@")
        assert overall[f"{ours[family]}@{k}"] == near(value), measure
    for query, figures in expected["ir_measures_per_query"].items():
        assert {one: rows[query][f"recall@{one.partition('@')[2]}"] for one in figures} == near(figures), query


def test_strict_keeps_tied_documents_in_the_files_order_and_trec_eval_turns_them_by_id(cases):
    """All scores are equal. File order puts the right document first for q1 and q2, descending ids for q3."""
    strict, rows, _ = scored(cases, "ties-where-peers-differ")
    trec, turned, _ = scored(cases, "ties-where-peers-differ", mode="compat:trec_eval")
    assert {query: row["recall@1"] for query, row in rows.items()} == {"q1": 1, "q2": 1, "q3": 0}
    assert {query: row["recall@1"] for query, row in turned.items()} == {"q1": 0, "q2": 0, "q3": 1}
    assert (strict["recall@1"], trec["recall@1"]) == (near(2 / 3), near(1 / 3))
    assert strict["n_tied_queries"] == trec["n_tied_queries"] == 3


def test_strict_leaves_out_queries_to_which_nothing_is_relevant(cases):
    """q3 has no relevant document, so no ranking of it could be right: the tools average it in as 0. q2 was not run,
    which all count as 0; q9 has no judgements, which none counts."""
    strict, _, _ = scored(cases, "missing-and-empty-queries")
    assert (strict["n_scored"], strict["recall@1"]) == (3, near(1 / 3))
    for mode in ("compat:ranx", "compat:trec_eval"):
        found, _, _ = scored(cases, "missing-and-empty-queries", mode=mode)
        assert (found["n_scored"], found["recall@1"]) == (4, near(1 / 4))
        assert found["n_unanswered"] == strict["n_unanswered"] == 1


@pytest.mark.parametrize("name", [name for name in NAMES if name != "ties"])
def test_torchmetrics_is_recall_over_what_was_retrieved_alone(cases, name):
    """It takes scores and targets of retrieved documents, so relevant ones that were missed leave its denominator: the
    same happens here when they leave the qrels. In `ties` it orders as topk does, by no stated rule."""
    folder = cases / "08-recall-at-k" / name
    run, qrels = (json.loads((folder / f"{one}.json").read_text()) for one in ("run", "qrels"))
    expected = json.loads((folder / "expected.json").read_text())
    theirs = {k: expected["torchmetrics_within_retrieved_only"][f"recall@{k} (skip)"] for k in expected["k"]}
    seen = {query: {one: grade for one, grade in qrels[query].items() if one in run.get(query, ())} for query in qrels}
    assert {k: recall_at_k(run, seen, k) for k in theirs} == near(theirs)
    if name == "trec-eval-test-data":
        overall, _, _ = scored(cases, name)
        assert all(value > overall[f"recall@{k}"] for k, value in theirs.items())


def test_what_does_not_fit_is_told(cases):
    folder = cases / "08-recall-at-k" / "missing-and-empty-queries"
    report = evaluate(folder / "run.trec", references=folder / "qrels.trec")
    told = {one["code"]: (one["count"], one["examples"]) for one in report["warnings"]}
    assert told == {
        "query_not_run": (1, ["qrels/q2"]),
        "query_without_qrels": (1, ["qrels/q9"]),
    }
