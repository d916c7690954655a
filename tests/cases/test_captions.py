"""The COCO caption evaluation: its recorded tokens and figures, and what is made of files that it ends in an error for."""

from __future__ import annotations

import json

import pytest

from handler import evaluate
from handler.metrics import get_metric
from handler.metrics.captions import tokenised
from handler.samples import Sample

SETS = ("fakecap-1-image", "fakecap-2-images", "fakecap-5-images", "fakecap-76-images", "instructblip-225",
        "mplug-owl-225")  # fmt: skip
FIGURES = {
    "bleu_1": "Bleu_1", "bleu_2": "Bleu_2", "bleu_3": "Bleu_3", "bleu_4": "Bleu_4", "rouge_l": "ROUGE_L",
    "cider": "CIDEr",
}  # fmt: skip
AWKWARD = (
    "missing_candidates", "empty_caption", "punctuation_only", "whitespace_caption", "newline_in_caption",
    "unicode_caption", "possessive_and_numbers", "reordered", "copied_reference",
)  # fmt: skip
MODES = ("strict", "compat:coco")


@pytest.fixture
def folder(cases):
    return cases / "05-coco-captions"


def loaded(path):
    return json.loads(path.read_text())


def references_of(folder):
    people = {}
    for one in loaded(folder / "annotations.json")["annotations"]:
        people.setdefault(str(one["image_id"]), []).append(one["caption"])
    return people


def scored(folder, results="results.json", **request):
    return evaluate(
        folder / results,
        references=folder / "annotations.json",
        metrics=["captions.ngram"],
        on_missing="skip",
        **request,
    )


def overall(report):
    return report["metrics"]["captions.ngram"]["overall"]


def figures(summary):
    return {name: summary[ours] for ours, name in FIGURES.items()}


def without_meteor(expected):
    return pytest.approx({name: score for name, score in expected.items() if name != "METEOR"}, abs=1e-6)


@pytest.mark.parametrize("name", SETS)
def test_every_list_of_tokens_is_the_recorded_one(folder, name):
    expected = loaded(folder / name / "expected.json")
    people = references_of(folder / name)
    for one in loaded(folder / name / "results.json"):
        image = str(one["image_id"])
        assert [tokenised(one["caption"])] == expected["ptb_candidate"][image]
        assert [tokenised(text) for text in people[image]] == expected["ptb_references"][image]


@pytest.mark.parametrize("name", AWKWARD)
def test_the_tokens_of_awkward_captions(folder, name):
    recorded = loaded(folder / "awkward" / "expected.json")[name].get("ptb_candidate_first_image")
    if recorded is not None:
        first = loaded(folder / "awkward" / f"results_{name}.json")[0]["caption"]
        assert [tokenised(first)] == recorded


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SETS)
def test_the_figures_are_those_of_the_evaluation(folder, name, mode):
    expected = loaded(folder / name / "expected.json")
    report = scored(folder / name, mode=mode)
    assert figures(overall(report)) == without_meteor(expected["scores"])
    assert overall(report)["n_images"] == overall(report)["n_scored"] == expected["n_images"]
    rows = {row["sample_id"]: row["metrics"]["captions.ngram"] for row in report.samples}
    for image, scores in expected["per_image"].items():
        for ours in ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l"):
            assert rows[image][ours] == pytest.approx(scores[FIGURES[ours]], abs=1e-6)
        assert rows[image]["score"] == rows[image]["rouge_l"]


@pytest.mark.parametrize("n_shards", [1, 2, 7])
@pytest.mark.parametrize("name", ["fakecap-76-images", "mplug-owl-225"])
def test_cider_of_each_image_in_any_cut(folder, name, n_shards):
    expected = loaded(folder / name / "expected.json")
    people = references_of(folder / name)
    metric = get_metric("captions.ngram", mode="compat:coco")
    shards = [metric.tally() for _ in range(n_shards)]
    for place, one in enumerate(loaded(folder / name / "results.json")):
        image = str(one["image_id"])
        sample = Sample(place, "s", "a", image, one["caption"], tuple(people[image]))
        shards[place % n_shards].add(metric.compute(sample))
    whole = metric.tally()
    for shard in reversed(shards):
        whole.merge_from(shard)
    assert dict(whole.cider_scores()) == pytest.approx(
        {image: scores["CIDEr"] for image, scores in expected["per_image"].items()}, abs=1e-9
    )
    assert figures(whole.summary()) == pytest.approx(
        {name: score for name, score in expected["scores"].items() if name != "METEOR"}, abs=1e-9
    )


def test_raw_answers_are_the_results_layout(folder):
    """LLaVA-like lines with question_id, image_id, prompt and text give the figures of the same captions as results."""
    for name in ("instructblip-225", "mplug-owl-225"):
        expected = loaded(folder / name / "expected.json")["scores"]
        report = scored(folder / name, "raw_model_output.jsonl")
        assert figures(overall(report)) == without_meteor(expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_results_that_the_evaluation_takes(folder, name, mode):
    expected = loaded(folder / "awkward" / "expected.json")[name]["images_with_a_candidate"]
    report = scored(folder / "awkward", f"results_{name}.json", mode=mode)
    assert figures(overall(report)) == without_meteor(expected)
    assert overall(report)["warnings"] == ["small_set"]


@pytest.mark.parametrize(
    ("name", "codes"),
    [("empty_caption", {"empty_answer"}), ("whitespace_caption", {"empty_answer"}), ("punctuation_only", set()),
     ("missing_candidates", {"unanswered_question"})],
)  # fmt: skip
def test_awkward_results_are_warned_of(folder, name, codes):
    """`!!! ???` are words to the evaluation's tokeniser, and so they are here."""
    report = scored(folder / "awkward", f"results_{name}.json")
    assert {one["code"] for one in report["warnings"]} - {"small_set"} == codes


def test_images_without_a_caption_are_counted_and_no_part_of_the_set(folder):
    """The evaluation, asked about all annotated images, ends in an AssertionError."""
    recorded = loaded(folder / "awkward" / "expected.json")["missing_candidates"]["all_annotated_images"]
    assert all("raises" in one for one in recorded.values())
    summary = overall(scored(folder / "awkward", "results_missing_candidates.json"))
    assert (summary["n_scored"], summary["skipped"], summary["n_images"]) == (7, {"missing_answer": 3}, 7)


def test_an_unknown_image_is_reported_and_the_others_are_scored(folder):
    """The evaluation ends in an AssertionError; the ten known images are the plain case's."""
    recorded = loaded(folder / "awkward" / "expected.json")
    assert "raises" in recorded["unknown_image"]["images_with_a_candidate"]
    report = scored(folder / "awkward", "results_unknown_image.json")
    assert overall(report)["skipped"] == {"missing_reference": 1}
    assert figures(overall(report)) == without_meteor(recorded["reordered"]["images_with_a_candidate"])
    (told,) = [one for one in report["warnings"] if one["code"] == "answer_without_question"]
    assert "999999999" in told["examples"][0]


def test_two_captions_of_an_image_are_both_scored(folder):
    """The evaluation ends in an AssertionError, and its METEOR never ends."""
    report = scored(folder / "awkward", "results_duplicate_candidate.json")
    assert (overall(report)["n_scored"], overall(report)["n_images"]) == (11, 10)
    assert "duplicate_sample_id" in {one["code"] for one in report["warnings"]}


def test_ids_as_text_are_ids(folder):
    """The evaluation takes "58636" for another image than 58636 and ends in an AssertionError."""
    recorded = loaded(folder / "awkward" / "expected.json")
    assert "raises" in recorded["string_ids"]["images_with_a_candidate"]
    report = scored(folder / "awkward", "results_string_ids.json")
    assert figures(overall(report)) == without_meteor(recorded["reordered"]["images_with_a_candidate"])


def test_no_results_at_all(folder):
    """The evaluation ends in an IndexError."""
    summary = overall(scored(folder / "awkward", "results_empty_list.json", format="coco-captions"))
    assert (summary["n_scored"], summary["cider"], summary["skipped"]) == (0, None, {"missing_answer": 10})
