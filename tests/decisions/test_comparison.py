"""Comparisons of results against hand arithmetic and SciPy: what is joined, what differs, and whether it is chance."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.stats

from handler.decisions.comparison import compare, render_comparison
from handler.errors import InputError, RequestError
from handler.reports import Report
from tests.decisions.compared import row, similar, write


def first(found):
    return found["comparisons"][0]


def codes(found):
    return {one["code"] for one in found["warnings"]}


def test_two_identical_results_differ_by_nothing_with_certainty(tmp_path):
    rows = [row(f"f{n}", {"vision.similarity": 0.1 * n, "pope": float(n % 2)}, session=f"s{n % 4}") for n in range(40)]
    found = compare(write(tmp_path / "a", rows), write(tmp_path / "b", rows))
    assert found["verdict"] == "same"
    assert not found.regressed
    for one in found["comparisons"]:
        assert (one["difference"], one["p"], one["p_corrected"], one["verdict"]) == (0, 1, 1, "same")
        assert (one["wins"], one["ties"], one["losses"]) == (0, 40, 0)
        assert (one["interval"]["low"], one["interval"]["high"]) == (0, 0)
        assert one["effect"] == {"dz": 0.0, "superiority": 0.5}
        assert one["regressed"] == []


def test_figures_by_hand(tmp_path):
    a = [row(f"f{n}", {"vision.similarity": one}, session=f"s{n // 2}") for n, one in enumerate([0.9, 0.8, 0.7, 0.6])]
    b = [row(f"f{n}", {"vision.similarity": one}, session=f"s{n // 2}") for n, one in enumerate([0.8, 0.8, 0.4, 0.8])]
    one = first(compare(write(tmp_path / "a", a), write(tmp_path / "b", b)))
    assert one["baseline_value"] == pytest.approx(0.75)
    assert one["candidate_value"] == pytest.approx(0.70)
    assert one["difference"] == pytest.approx(-0.05)
    assert (one["wins"], one["ties"], one["losses"]) == (1, 1, 2)
    assert one["effect"]["superiority"] == pytest.approx(1.5 / 4)
    rises = [-0.1, 0, -0.3, 0.2]
    assert one["effect"]["dz"] == pytest.approx(np.mean(rises) / np.std(rises, ddof=1))
    # sessions differ by -0.1 and -0.1 in sum: their mean per frame is -0.05 in both, so Student's t has no spread to go by
    assert (one["n_units"], one["unit"], one["p_method"], one["interval"]) == (2, "session", "sign-flip", None)
    assert one["p"] == 0.5  # 2 of the 4 ways to set two signs are as far from 0
    assert [each["sample_id"] for each in one["regressed"]] == ["f2", "f0"]
    assert one["regressed"][0]["candidate_score"] == 0.4


def test_p_is_that_of_scipys_exact_permutation_test(tmp_path):
    rng = np.random.default_rng(5)
    values = rng.normal(0.7, 0.1, (12, 2)).round(3)
    sides = [
        write(
            tmp_path / name, [row(f"f{n}", {"vision.similarity": one}, session=f"s{n}") for n, one in enumerate(side)]
        )
        for name, side in zip("ab", values.T.tolist(), strict=True)
    ]
    theirs = scipy.stats.permutation_test(
        (values[:, 1] - values[:, 0],), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert first(compare(*sides))["p"] == pytest.approx(theirs.pvalue)


def test_verdicts_get_mcnemars_test(tmp_path):
    a = [0.0] * 20 + [1.0] * 9 + [0.0] * 2
    b = [0.0] * 20 + [0.0] * 9 + [1.0] * 2
    sides = [
        write(
            tmp_path / name,
            [row(f"f{n}", {"vision.hallucination": one}, session=f"s{n}") for n, one in enumerate(side)],
        )
        for name, side in (("a", a), ("b", b))
    ]
    one = first(compare(*sides))
    assert (one["wins"], one["losses"]) == (9, 2)  # a hallucination less is a win
    assert one["mcnemar"]["p"] == pytest.approx(scipy.stats.binomtest(2, 11).pvalue)
    assert one["figure"] == "hallucination_rate"
    assert one["difference"] == pytest.approx(-7 / 31)


def test_lower_is_better_where_the_metric_says_so(tmp_path):
    low = [row(f"f{n}", {"vision.hallucination": float(n % 10 == 0)}, session=f"s{n}") for n in range(100)]
    high = [row(f"f{n}", {"vision.hallucination": float(n % 2 == 0)}, session=f"s{n}") for n in range(100)]
    low, high = write(tmp_path / "low", low), write(tmp_path / "high", high)
    assert (compare(low, high)["verdict"], first(compare(low, high))["verdict"]) == ("regressed", "worse")
    assert (compare(high, low)["verdict"], first(compare(high, low))["verdict"]) == ("improved", "better")


def transcript(hits, substitutions, deletions, insertions):
    words = hits + substitutions + deletions
    edits = substitutions + deletions + insertions
    part = {"hits": hits, "substitutions": substitutions, "deletions": deletions, "insertions": insertions}
    return {"state": "scored" if words else "skipped", "score": edits / words if words else None, **part}


def test_word_error_rates_are_compared_as_ratios_of_sums(tmp_path):
    before = [transcript(9, 1, 0, 0), transcript(2, 0, 0, 0), transcript(0, 0, 0, 1)]
    after = [transcript(6, 3, 1, 1), transcript(2, 0, 0, 0), transcript(0, 0, 0, 0)]
    sides = [
        write(tmp_path / name, [row(f"u{n}", {"speech.wer": one}, session=f"s{n}") for n, one in enumerate(side)])
        for name, side in (("a", before), ("b", after))
    ]
    one = first(compare(*sides))
    assert one["baseline_value"] == pytest.approx(2 / 12)  # the insertion without a reference counts, as in the report
    assert one["candidate_value"] == pytest.approx(5 / 12)
    assert one["difference"] == pytest.approx(3 / 12)
    assert not one["higher_is_better"]


def test_rankings_are_compared_by_the_figure_asked_for(tmp_path):
    def ranked(reciprocal, recall):
        return {"state": "scored", "score": reciprocal, "recall@10": recall, "average_precision": recall / 2}

    a = [row(f"q{n}", {"retrieval.ranking": ranked(0.5, 1.0)}) for n in range(12)]
    b = [row(f"q{n}", {"retrieval.ranking": ranked(0.5, 0.5)}) for n in range(12)]
    a, b = write(tmp_path / "a", a), write(tmp_path / "b", b)
    assert first(compare(a, b))["verdict"] == "same"
    found = compare(a, b, metrics=["retrieval.ranking.recall@10", "retrieval.ranking.map"])
    assert [(one["figure"], one["difference"]) for one in found["comparisons"]] == [("recall@10", -0.5), ("map", -0.25)]
    with pytest.raises(RequestError, match=r"no figure 'recal@10' per query. Did you mean recall@1"):
        compare(a, b, metrics=["retrieval.ranking.recal@10"])


def test_more_comparisons_need_smaller_ps(tmp_path):
    rng = np.random.default_rng(1)
    base = rng.normal(0.7, 0.1, 30)
    worse = base - 0.04 + rng.normal(0, 0.1, 30)

    def folder(name, scores):
        return write(
            tmp_path / name, [row(f"f{n}", {"vision.similarity": one}, session=f"s{n}") for n, one in enumerate(scores)]
        )

    a, b = folder("a", base.tolist()), folder("b", worse.tolist())
    others = [folder(f"c{n}", (base + rng.normal(0, 0.1, 30)).tolist()) for n in range(3)]
    alone, among = first(compare(a, b)), first(compare(a, b, *others))
    assert alone["p"] == among["p"] == alone["p_corrected"]
    assert among["p_corrected"] > alone["p_corrected"]
    assert compare(a, b, *others)["rules"]["n_figures_tested"] == 4


def test_signatures_that_differ_are_named(tmp_path):
    def signed(name, **parts):
        words = "|".join(f"{key}:{value}" for key, value in parts.items())
        return write(
            tmp_path / name, similar([0.5, 0.6]), signature={"vision.similarity": f"vision.similarity|{words}"}
        )

    a = signed("a", model="mpnet", threshold=0.75, mode="strict")
    b = signed("b", model="mpnet", threshold=0.6, mode="compat:fair-forge")
    found = compare(a, b)
    message = next(one["message"] for one in found["warnings"] if one["code"] == "signature_differs")
    assert "threshold 0.75 and 0.6" in message
    assert "mode strict and compat:fair-forge" in message
    assert "model" not in message
    assert message in render_comparison(found)
    assert "signature_differs" not in codes(compare(a, a))


def test_a_metric_without_values_per_sample_is_refused(tmp_path):
    part = {"state": "skipped", "score": None}
    rows = [row(f"f{n}", {"vlm2bench.native": part, "speech.next": part, "vision.similarity": 0.5}) for n in range(3)]
    a, b = write(tmp_path / "a", rows), write(tmp_path / "b", rows)
    found = compare(a, b)
    reasons = {one["metric"]: one["reason"] for one in found["refused"]}
    assert "does not know the metric" in reasons.pop("speech.next")
    assert "no row of a has a score of its own" in reasons.pop("vlm2bench.native")
    assert not reasons
    with pytest.raises(InputError, match=r"vlm2bench\.native of b cannot be compared: no row of a has a score"):
        compare(a, b, metrics=["vlm2bench.native"])
    only = [row(f"f{n}", {"vlm2bench.native": part}) for n in range(3)]
    with pytest.raises(InputError, match="cannot be compared"):
        compare(write(tmp_path / "c", only), write(tmp_path / "d", only))


def test_a_metric_of_one_side_is_refused(tmp_path):
    a = write(tmp_path / "a", [row("f", {"vision.similarity": 0.5, "pope": 1.0})])
    b = write(tmp_path / "b", [row("f", {"vision.similarity": 0.5})])
    assert compare(a, b)["refused"] == [{"candidate": "b", "metric": "pope", "reason": "b was not scored by pope"}]


def test_an_open_question_says_what_would_settle_it(tmp_path):
    rng = np.random.default_rng(0)
    differences = rng.normal(-0.01, 0.1, 40)
    differences += -0.01 - differences.mean()  # a mean of exactly -0.01
    a = [row(f"f{n}", {"vision.similarity": 0.7}, session=f"s{n}") for n in range(40)]
    b = [row(f"f{n}", {"vision.similarity": 0.7 + one}, session=f"s{n}") for n, one in enumerate(differences)]
    one = first(compare(write(tmp_path / "a", a), write(tmp_path / "b", b)))
    error = np.std(differences, ddof=1) / math.sqrt(40)
    needed = scipy.stats.t.ppf(0.975, 39) + scipy.stats.t.ppf(0.8, 39)
    assert one["verdict"] == "open"
    assert one["detectable_difference"] == pytest.approx(needed * error, rel=1e-6)
    assert one["to_settle"]["factor"] == pytest.approx((needed * error / 0.01) ** 2, rel=1e-6)
    assert one["to_settle"]["n_samples"] == math.ceil(40 * one["to_settle"]["factor"])


def test_a_drop_within_the_tolerance_is_no_regression(tmp_path):
    a = [row(f"f{n}", {"vision.similarity": 0.7}, session=f"s{n}") for n in range(40)]
    b = [row(f"f{n}", {"vision.similarity": 0.69 - 0.0001 * (n % 3)}, session=f"s{n}") for n in range(40)]
    a, b = write(tmp_path / "a", a), write(tmp_path / "b", b)
    assert compare(a, b).regressed
    within = compare(a, b, tolerance=0.02)
    assert (within.regressed, first(within)["verdict"]) == (False, "within_tolerance")
    for wrong in (-0.1, math.nan):
        with pytest.raises(RequestError, match="tolerance must be 0 or more"):
            compare(a, b, tolerance=wrong)


def test_lost_texts_are_shown_where_a_report_quotes_them(tmp_path):
    a = write(tmp_path / "a", similar([0.9, 0.8, 0.7]))
    worst = [{"index": 1, "answer": "A cat sleeps.", "references": ["A dog runs."]}]
    b = write(tmp_path / "b", similar([0.9, 0.1, 0.6]), worst=worst)
    lost = first(compare(a, b))["regressed"]
    assert [(one["sample_id"], one["candidate_answer"], one["references"]) for one in lost] == [
        ("f1", "A cat sleeps.", ["A dog runs."]),
        ("f2", None, None),
    ]
    shown = render_comparison(compare(a, b))
    assert "after : A cat sleeps." in shown
    assert "look up the other texts in " in shown


def test_the_same_comparison_is_written_to_the_same_bytes(tmp_path):
    a, b = write(tmp_path / "a", similar([0.9, 0.8])), write(tmp_path / "b", similar([0.9, 0.7]), content="d")
    one, again = (compare(a, b, output=str(tmp_path / name)) for name in ("one", "again"))
    texts = [(tmp_path / name).rglob("comparison.json") for name in ("one", "again")]
    texts = [next(found) for found in texts]
    assert texts[0].read_bytes() == texts[1].read_bytes()
    assert one.location.rpartition("/")[2] == again.location.rpartition("/")[2]
    assert json.loads(texts[0].read_text())["schema"] == "scenescore.comparison/1"
    other = compare(a, b, tolerance=0.5, output=str(tmp_path / "one"))
    assert other.location != one.location


def test_results_are_named_in_every_way(tmp_path):
    a, b = write(tmp_path / "r" / "a", similar([0.9, 0.8])), write(tmp_path / "b", similar([0.9, 0.7]))
    (tmp_path / "r" / "latest.json").write_text(json.dumps({"schema": "scenescore.latest/1", "folder": "a"}))
    expected = dict(compare(a, b))
    assert dict(compare(str(tmp_path / "r"), f"{b}/report.json")) == expected
    with pytest.raises(InputError, match="there is no result here"):
        compare(a, str(tmp_path / "nowhere"))
    with pytest.raises(RequestError, match="nothing to compare with"):
        compare(a)


def test_reports_in_memory_are_compared(tmp_path):
    folders = [
        write(tmp_path / name, similar(scores, assistant=f"assistant {name}"))
        for name, scores in (("a", [0.9, 0.8]), ("b", [0.9, 0.7]))
    ]

    def loaded(folder):
        lines = (tmp_path / folder / "samples.jsonl").read_text().splitlines()
        return Report(json.loads((tmp_path / folder / "report.json").read_text()), samples=list(map(json.loads, lines)))

    from_disk, in_memory = dict(compare(*folders)), dict(compare(loaded("a"), loaded("b")))
    for one in (from_disk, in_memory):
        for run in one["runs"]:
            del run["location"]
    assert in_memory == from_disk


def test_a_damaged_row_is_named_by_file_and_line(tmp_path):
    a, b = write(tmp_path / "a", similar([0.9, 0.8])), write(tmp_path / "b", similar([0.9, 0.7]))
    with (tmp_path / "b" / "samples.jsonl").open("a") as stream:
        stream.write('{"index": 2}\n')
    with pytest.raises(InputError, match=r"b/samples.jsonl:3: the row cannot be read"):
        compare(a, b)


def test_hostile_names_stay_on_their_line(tmp_path):
    a = write(tmp_path / "a", similar([0.9] * 12, tags={"camera\x1b[31m": "7\n8"}))
    b = write(tmp_path / "b", similar([0.9] * 12, assistant="\x1b]0;evil\x07"))
    text = render_comparison(compare(a, b, group_by=["camera\x1b[31m"]))
    assert "\x1b" not in text
    assert "\x07" not in text
