"""Which samples of two results are compared: joined by what, parted by what, left out and said."""

from __future__ import annotations

import pytest

from handler.decisions.comparison import compare
from handler.errors import InputError, RequestError
from tests.decisions.compared import row, similar, write


def first(found):
    return found["comparisons"][0]


def codes(found):
    return {one["code"] for one in found["warnings"]}


def test_unmatched_samples_are_counted_and_named(tmp_path):
    a = write(tmp_path / "a", similar([0.5] * 12))
    b = write(tmp_path / "b", [*similar([0.5] * 10), row("new", {"vision.similarity": 0.1})])
    found = compare(a, b)
    matching = found["matching"][0]
    assert (matching["n_matched"], matching["n_only_baseline"], matching["n_only_candidate"]) == (10, 2, 1)
    assert matching["only_baseline"] == [
        {"session_id": "s", "sample_id": "f10"},
        {"session_id": "s", "sample_id": "f11"},
    ]
    assert matching["only_candidate"] == [{"session_id": "s", "sample_id": "new"}]
    assert "unmatched" in codes(found)
    assert first(found)["candidate_value"] == 0.5  # `new` is left out


def test_repeated_ids_are_joined_in_order_or_left_out(tmp_path):
    def rows(*ids_and_scores):
        return [row(one, {"vision.similarity": score}) for one, score in ids_and_scores]

    a = write(tmp_path / "a", rows(("twice", 0.1), ("once", 0.5), ("twice", 0.9), ("odd", 0.3)))
    b = write(tmp_path / "b", rows(("odd", 0.3), ("odd", 0.4), ("twice", 0.2), ("twice", 0.8), ("once", 0.5)))
    found = compare(a, b)
    matching = found["matching"][0]
    assert (matching["n_matched"], matching["n_repeated"], matching["n_ambiguous"]) == (3, 2, 3)
    one = first(found)
    assert (one["wins"], one["ties"], one["losses"]) == (1, 1, 1)  # 0.1 -> 0.2, 0.5, 0.9 -> 0.8
    assert {"ambiguous", "repeated_id"} <= codes(found)


def test_the_order_of_rows_does_not_matter(tmp_path):
    rows = [row(f"f{n}", {"vision.similarity": 0.01 * n}, session=f"s{n % 3}") for n in range(60)]
    found = compare(write(tmp_path / "a", rows), write(tmp_path / "b", rows[::-1]))
    assert found["verdict"] == "same"


def test_files_of_other_names_are_joined_by_id_when_told_to(tmp_path):
    a = write(tmp_path / "a", similar([0.5, 0.6, 0.7], session="gpt"))
    b = write(tmp_path / "b", similar([0.5, 0.6, 0.6], session="llava"))
    with pytest.raises(
        InputError, match=r"no sample in common by session_id, sample_id.*3 would be joined: --on sample_id"
    ):
        compare(a, b)
    assert compare(a, b, on=["sample_id"])["matching"][0]["n_matched"] == 3
    c = write(tmp_path / "c", [row("x", {"vision.similarity": 0.1}, session="other")])
    with pytest.raises(InputError, match=r"They begin with gpt/f0 and other/x"):
        compare(a, c)


@pytest.mark.parametrize("option", ["on", "cluster_by", "group_by"])
def test_a_field_that_no_row_has_is_refused(tmp_path, option):
    a = write(tmp_path / "a", similar([0.5, 0.6, 0.7], tags={"camera": "7"}))
    with pytest.raises(RequestError, match=r"no row has a tag or column 'camra'. Rows have: .*camera"):
        compare(a, a, **{option: "camra" if option == "cluster_by" else ["camra"]})


def test_what_is_independent_can_be_named(tmp_path):
    rows = [row(f"f{n}", {"vision.similarity": 0.5 + n / 100}, tags={"site": f"s{n % 9}"}) for n in range(18)]
    lower = [row(f"f{n}", {"vision.similarity": 0.4 + n / 90}, tags={"site": f"s{n % 9}"}) for n in range(18)]
    a, b = write(tmp_path / "a", rows), write(tmp_path / "b", lower)
    assert (first(compare(a, b))["unit"], first(compare(a, b))["n_units"]) == ("sample", 18)
    assert "one_session" in codes(compare(a, b))
    by_site, by_sample = compare(a, b, cluster_by="site"), compare(a, b, cluster_by="sample_id")
    assert (first(by_site)["unit"], first(by_site)["n_units"]) == ("site", 9)
    assert (first(by_sample)["unit"], first(by_sample)["n_units"]) == ("sample", 18)
    assert "one_session" not in codes(by_sample)


def test_one_result_is_parted_by_assistant(tmp_path):
    rows = (
        similar([0.8] * 12, assistant="old")
        + similar([0.7] * 12, assistant="new")
        + similar([0.8] * 12, assistant="third")
    )
    folder = write(tmp_path / "a", rows)
    found = compare(folder, by="assistant_id")
    assert [(one["baseline"], one["candidate"]) for one in found["comparisons"]] == [("old", "new"), ("old", "third")]
    found = compare(folder, by="assistant_id", baseline="new")
    assert [one["candidate"] for one in found["comparisons"]] == ["old", "third"]
    assert {one["verdict"] for one in found["comparisons"]} == {"better"}
    with pytest.raises(RequestError, match=r"no sample has assistant_id 'newest'\. There is: old, new, third"):
        compare(folder, by="assistant_id", baseline="newest")
    with pytest.raises(RequestError, match="all samples have the same session_id"):
        compare(folder, by="session_id")


def test_versions_of_several_assistants_are_joined_by_assistant_too(tmp_path):
    a = write(tmp_path / "a", similar([0.8] * 3, assistant="x") + similar([0.6] * 3, assistant="y"))
    b = write(tmp_path / "b", similar([0.6] * 3, assistant="y") + similar([0.7] * 3, assistant="x"))
    found = compare(a, b)
    assert found["rules"]["joined_by"] == ["session_id", "assistant_id", "sample_id"]
    assert (first(found)["ties"], first(found)["losses"]) == (3, 3)


def test_samples_scored_on_one_side_alone_are_left_out_and_said(tmp_path):
    a = write(tmp_path / "a", similar([0.5] * 10))
    b = write(tmp_path / "b", similar([0.5] * 8 + [None, None]))
    found = compare(a, b)
    assert (first(found)["n_samples"], first(found)["n_baseline_only"], first(found)["n_candidate_only"]) == (8, 2, 0)
    assert "scored_on_one_side" in codes(found)
