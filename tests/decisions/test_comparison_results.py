"""Comparisons of results as they lie about: grouped, damaged, without names."""

from __future__ import annotations

import json

import numpy as np
import pytest

from handler.decisions.comparison import compare, comparison_markdown, render_comparison
from handler.errors import InputError
from tests.decisions.compared import row, similar, write


def test_what_the_baseline_was_grouped_by_is_sliced_unasked(tmp_path):
    for name, low in (("a", 0.8), ("b", 0.2)):
        rows = [
            row(f"f{n}", {"vision.similarity": (low if n % 4 == 3 else 0.8) + 0.001 * (n % 7)}, session=f"s{n}")
            for n in range(80)
        ]
        for n, one in enumerate(rows):
            one["columns"] = {"camera": f"cam-{n % 4}"}
        write(tmp_path / name, rows)
        document = json.loads((tmp_path / name / "report.json").read_text())
        document["request"] = {"group_by": ["camera"]}
        (tmp_path / name / "report.json").write_text(json.dumps(document))
    found = compare(tmp_path / "a", tmp_path / "b")
    worse = [one["value"] for one in found["comparisons"][0]["slices"] if one["verdict"] == "worse"]
    assert worse == ["cam-3"]


def test_rows_that_went_missing_are_no_comparison(tmp_path):
    rows = [row(f"f{n}", {"vision.similarity": 0.5}) for n in range(12)]
    for name in "ab":
        write(tmp_path / name, rows)
    samples = tmp_path / "b" / "samples.jsonl"
    samples.write_text("".join(samples.read_text().splitlines(keepends=True)[:10]))
    with pytest.raises(InputError, match="10 rows found where the report counts 12"):
        compare(tmp_path / "a", tmp_path / "b")


def test_an_assistant_without_a_name_names_no_side(tmp_path):
    sides = [
        write(tmp_path / name, similar([0.5] * 4, assistant=name), name=f"{name}.jsonl") for name in ("unknown", "m")
    ]
    assert compare(*sides)["comparisons"][0]["baseline"] == "unknown.jsonl"


def test_rates_are_summed_up_in_percentage_points(tmp_path):
    a, b = ([row(f"f{n}", {"pope": value}, session=f"s{n}") for n in range(40)] for value in (1.0, 0.0))
    assert "by 100.0 pp" in compare(write(tmp_path / "a", a), write(tmp_path / "b", b))["summary"]


def grouped_by_camera(folder, answers):
    """24 sessions of 6 cameras, 20 answers each, as a result that was grouped by camera. answers: (sessions, 20)."""
    rows = []
    for number, one in enumerate(answers):
        for n, value in enumerate(one):
            rows.append(row(f"f{n}", {"pope": float(value)}, session=f"s{number}"))
            rows[-1]["columns"] = {"camera": f"cam-{number // 4}"}
    write(folder, rows)
    document = json.loads((folder / "report.json").read_text())
    document["request"] = {"group_by": ["camera"]}
    (folder / "report.json").write_text(json.dumps(document))
    return folder


def test_a_camera_that_got_worse_is_named_among_sessions_that_vary(tmp_path):
    rng = np.random.default_rng(8)
    right = rng.random((24, 20)) < rng.uniform(0.7, 0.95, 24)[:, None]
    worse = right.copy()
    worse[8:12] &= rng.random((4, 20)) < 0.3
    found = compare(grouped_by_camera(tmp_path / "a", right), grouped_by_camera(tmp_path / "b", worse))
    assert [(one["by"], one["value"]) for one in found["comparisons"][0]["slices"] if one["verdict"] == "worse"] == [
        ("camera", "cam-2")
    ]
    assert "at camera cam-2 (by " in found["summary"]
    assert {one["by"] for one in found["comparisons"][0]["slices"]} == {"camera"}


def test_slices_within_a_session_are_tested_only_when_asked_for(tmp_path):
    rows = [
        row(f"f{n}", {"pope": float(n % 3 > 0)}, session=f"s{n % 4}", tags={"place": f"p{n % 4 // 3}"})
        for n in range(80)
    ]
    foggy = [one if one["session_id"] != "s3" else {**one, "metrics": rows[0]["metrics"]} for one in rows]
    a, b = write(tmp_path / "a", rows), write(tmp_path / "b", foggy)
    found = compare(a, b)
    assert [one["value"] for one in found["comparisons"][0]["slices"]] == ["p0"]
    assert not found.regressed
    told = next(one["message"] for one in found["warnings"] if one["code"] == "slice_of_one_unit")
    assert "place p1" in told
    assert "--group-by place" in told
    asked = compare(a, b, group_by=["place", "session_id"])
    assert {one["value"] for one in asked["comparisons"][0]["slices"] if one["verdict"] == "worse"} == {"p1", "s3"}
    assert "slice_of_one_session" in {one["code"] for one in asked["warnings"]}


def test_sessions_named_after_their_files_take_no_part_in_the_join(tmp_path):
    a = write(tmp_path / "a", similar([0.5, 0.6, 0.7], session="gpt"), name="gpt.jsonl.gz")
    b = write(tmp_path / "b", similar([0.5, 0.6, 0.6], session="llava"), name="llava.csv")
    found = compare(a, b)
    assert (found["rules"]["joined_by"], found["matching"][0]["n_matched"]) == (["sample_id"], 3)
    assert "joined_by_id" in {one["code"] for one in found["warnings"]}
    assert "samples are joined by sample_id alone" in render_comparison(found)
    with pytest.raises(InputError, match="no sample in common by session_id, sample_id"):
        compare(a, b, on=["session_id", "sample_id"])
    named = [*similar([0.5], session="llava"), *similar([0.5], session="door")]
    with pytest.raises(InputError, match="no sample in common"):
        compare(a, write(tmp_path / "c", named, name="llava.csv"))


def test_several_assistants_of_such_files_are_kept_apart(tmp_path):
    sides = [
        write(
            tmp_path / name,
            similar([0.8] * 3, session=name, assistant="x") + similar([0.6] * 3, session=name, assistant="y"),
            name=f"{name}.jsonl",
        )
        for name in ("one", "two")
    ]
    assert compare(*sides)["rules"]["joined_by"] == ["assistant_id", "sample_id"]


def test_a_figure_that_is_not_the_headline_is_named_and_p_is_called_corrected(tmp_path):
    rows = [row(f"f{n}", {"captions.ngram": n / 20, "vision.similarity": n / 20}, session=f"s{n}") for n in range(20)]
    found = compare(write(tmp_path / "a", rows), write(tmp_path / "b", rows))
    text = render_comparison(found)
    lines = [line.split("  ")[0] for line in text.splitlines()]
    assert "captions.ngram rouge_l mean" in lines
    assert "vision.similarity" in lines
    assert "  p, corrected  " in text
    for shown in (text, comparison_markdown(found)):
        assert "(Holm) for 2 figures tested; the intervals are not corrected" in " ".join(shown.split())
