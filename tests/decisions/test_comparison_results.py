"""Comparisons of results as they lie about: grouped, damaged, without names."""

from __future__ import annotations

import json

import pytest

from handler.decisions.comparison import compare
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
    with pytest.raises(InputError, match="10 rows stand where the report counts 12"):
        compare(tmp_path / "a", tmp_path / "b")


def test_an_assistant_without_a_name_names_no_side(tmp_path):
    sides = [
        write(tmp_path / name, similar([0.5] * 4, assistant=name), name=f"{name}.jsonl") for name in ("unknown", "m")
    ]
    assert compare(*sides)["comparisons"][0]["baseline"] == "unknown.jsonl"


def test_rates_are_summed_up_in_percentage_points(tmp_path):
    a, b = ([row(f"f{n}", {"pope": value}, session=f"s{n}") for n in range(40)] for value in (1.0, 0.0))
    assert "by 100.0 pp" in compare(write(tmp_path / "a", a), write(tmp_path / "b", b))["summary"]
