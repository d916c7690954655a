"""Gated sequences worked out by hand, and VLM2-Bench's own scripts on its nine kinds of file."""

from __future__ import annotations

import json
import re

import pytest

from handler import evaluate
from handler.metrics.vlm2bench import official_number, one_number

GATED = (
    "plain_all_right",
    "plain_mixed",
    "plain_coarse_all_wrong_fine_all_right",
    "plain_always_yes",
    "wordy",
    "incomplete",
)


def gated(cases, name, mode):
    folder = cases / "04-vlm2-bench" / "gated-sequences"
    return evaluate(folder / f"predictions_{name}.jsonl", questions=folder / "sequences.jsonl", mode=mode)


def native(cases, name, mode="compat:vlm2bench", **request):
    folder = cases / "04-vlm2-bench" / "native-evaluators"
    return evaluate(folder / f"{name}_answers.jsonl", mode=mode, **request)


def overall(report, metric="vlm2bench.native"):
    return report["metrics"][metric]["overall"]


@pytest.fixture
def recorded(cases):
    return json.loads((cases / "04-vlm2-bench" / "native-evaluators" / "expected.json").read_text())


def printed(line):
    """The three shares of a line that the original prints, as (right, of)."""
    return [(int(right), int(n)) for right, n in re.findall(r"\((\d+)/(\d+)\)", line)]


@pytest.mark.parametrize("mode", ["strict", "compat:vlm2bench"])
@pytest.mark.parametrize("name", GATED)
def test_sequences_worked_out_by_hand(cases, name, mode):
    """The two modes agree here: silence and odd words are wrong under both."""
    expected = json.loads((cases / "04-vlm2-bench" / "gated-sequences" / "expected.json").read_text())[name]
    report = gated(cases, name, mode)
    summary = overall(report, "vlm2bench.hallucination")
    assert summary["score_sum"] == pytest.approx(expected["task_score_sum"], abs=1e-6)
    assert summary["score_mean"] == pytest.approx(expected["mean"], abs=1e-6)
    assert (summary["n_sequences"], summary["maximum"]) == (expected["n_sequences"], expected["maximum"])
    assert summary["n_sequences"] - summary["n_gated_out"] == expected["coarse_correct"]
    found = {row["sample_id"]: row["metrics"]["vlm2bench.hallucination"]["score"] for row in report.samples}
    assert found == pytest.approx(expected["per_sequence"], abs=1e-6)


def test_scores_per_task_add_up(cases):
    metric = gated(cases, "plain_mixed", "strict")["metrics"]["vlm2bench.hallucination"]
    tasks = {one["session_id"]: one["score_sum"] for one in metric["sessions"]}
    assert tasks == pytest.approx({"counting": 1.75, "grouping": 0.6, "comparison": 0.0})


def test_what_is_missing_is_said(cases):
    codes = {one["code"]: one["count"] for one in gated(cases, "incomplete", "strict")["warnings"]}
    assert codes == {
        "empty_answer": 1,
        "missing_fine_answers": 2,
        "missing_sequence": 1,
        "surplus_fine_answers": 1,
        "unanswered_question": 1,
    }


def test_matching_pairs(cases, recorded):
    (positive, n), (negative, _), (both, _) = printed(recorded["gc"]["stdout"][1])
    summary = overall(native(cases, "gc"))
    assert summary["n_pairs"] == n
    shares = [summary[f"{name}_accuracy"] for name in ("positive", "negative", "pair")]
    assert shares == pytest.approx([positive / n, negative / n, both / n], abs=1e-6)
    # The original compares raw text; strict reads "True", "f" and "T." for what they say.
    strict = overall(native(cases, "gc", "strict"))
    assert strict["pair_accuracy"] * n == both + 3


@pytest.mark.parametrize(
    ("name", "key"), [("oc_cpr", "oc_cpr"), ("pc_cpr", "pc_cpr_(q_id with tf_ prefix, pc script)")]
)
def test_comparison_pairs(cases, recorded, name, key):
    lines = recorded[key]["stdout"] if isinstance(recorded[key], dict) else recorded[key]
    (positive, n), (negative, _), (both, _) = printed(lines[1])
    for mode in ("strict", "compat"):
        summary = overall(native(cases, name, mode))
        assert summary["n_pairs"] == n
        shares = [summary[f"{half}_accuracy"] for half in ("positive", "negative", "pair")]
        assert shares == pytest.approx([positive / n, negative / n, both / n], abs=1e-6)
        # The question without a counterpart is left out by the original's denominator; both are given.
        assert (summary["n_incomplete_pairs"], summary["n_pairs_all"]) == (1, n + 1)
        assert summary["pair_accuracy_all"] == pytest.approx(both / (n + 1))


def test_every_comparison_answer_is_read_as_the_original_reads_it(cases, recorded):
    for row in native(cases, "oc_cpr").samples:
        found = row["metrics"]["vlm2bench.native"]
        assert [found["parsed"], found.get("problem")] == recorded["oc_cpr"]["parsed"][row["sample_id"]]


def test_pc_files_keep_their_prefix_out_of_the_pair(cases, recorded):
    """VLM2-Bench's OC script finds no pair at all in a PC file. The prefix is read in either mode: no score is lost."""
    assert "(0/0)" in recorded["pc_cpr_with_the_oc_script_(no prefix handling)"][1]
    assert overall(native(cases, "pc_cpr"))["n_pairs"] == 12


def test_counting(cases, recorded):
    folder = cases / "04-vlm2-bench" / "native-evaluators"
    report = native(cases, "oc_cnt", questions=folder / "oc_cnt_questions.jsonl")
    summary = overall(report)
    (right, n) = printed(recorded["oc_cnt"]["stdout"][0])[0]
    assert summary["accuracy"] == pytest.approx(right / n, abs=1e-6)
    assert f"{100 * summary['normalized_score']:.2f}" in recorded["oc_cnt"]["stdout"][1]
    # The original's divisor is the 13 answers within range; over all 25 that have a reference it is another number.
    assert (summary["n_valid_counts"], summary["n_counts"]) == (13, 25)
    assert summary["normalized_score_all"] == pytest.approx(10 / 25)
    expected = {(one["q_id"], one["model_answer"]): one for one in recorded["oc_cnt"]["per_record"]}
    for row, parsed in zip(report.samples, recorded["oc_cnt"]["parsed"], strict=True):
        found, one = row["metrics"]["vlm2bench.native"], expected[row["sample_id"], parsed[0]]
        if one["error_reason"] == "missing_gt_answer":
            assert found["skipped"] == "missing_reference"
            continue
        assert found["parsed"] == parsed[1]
        assert found["score"] == (one["error_reason"] is None)
        assert 100 * (found["normalized_score"] or 0.0) == pytest.approx(one["normalized_score"], abs=1e-6)


def test_numbers_are_read_as_the_original_reads_them(recorded):
    for text, number in recorded["oc_cnt"]["parsed"]:
        assert official_number(text.strip()) == number, text


def test_strict_numbers_are_what_they_say():
    assert [one_number(text) for text in ("2.0", "-1", "zero", "twenty-one", "2 or 3")] == [2, -1, 0, 21, None]


def test_grouping(cases, recorded):
    report = native(cases, "oc_grp")
    (right, n) = printed(recorded["oc_grp"]["stdout"][0])[0]
    assert overall(report)["accuracy"] == pytest.approx(right / n, abs=1e-6)
    wrong = {row["sample_id"] for row in report.samples if not row["metrics"]["vlm2bench.native"]["score"]}
    assert wrong == {one[0] for one in recorded["oc_grp"]["wrong"]}
    # strict reads the letter: "The answer is B", "C." and "a) None" are right answers that the original takes for wrong.
    strict = native(cases, "oc_grp", "strict")
    better = {row["sample_id"] for row in strict.samples if row["metrics"]["vlm2bench.native"]["score"]} & wrong
    assert better == {"grp_4", "grp_5", "grp_9"}
