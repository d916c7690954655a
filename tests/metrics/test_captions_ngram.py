"""The rules of `captions.ngram`, by figures worked out by hand."""

from __future__ import annotations

import json
import math
import random

import pytest

from handler.errors import RequestError
from handler.metrics import describe, get_metric, metric_class
from handler.metrics.captions import bleu, cider, document_frequencies, rouge_l
from handler.samples import CaptionSample, Sample

FIGURES = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "cider")
WORDS = "a man dog bus red rides on the street two tall and blue".split()


def said(image, caption, *references, session="s"):
    return CaptionSample(0, session, "m", image, caption, references)


def scored(caption, *references, mode="strict"):
    return get_metric("captions.ngram", mode=mode).compute(said("1", caption, *references))


def tallied(samples, mode="strict"):
    metric = get_metric("captions.ngram", mode=mode)
    tally = metric.tally()
    for sample in samples:
        tally.add(metric.compute(sample))
    return tally


def captions(n, seed=7):
    """n captions of n - 5 pictures: some pictures have two."""
    dice = random.Random(seed)
    people = {
        str(i): tuple(" ".join(dice.choices(WORDS, k=dice.randint(3, 9))) for _ in range(dice.randint(1, 5)))
        for i in range(n - 5)
    }
    images = [*people, *list(people)[:5]]
    return [said(image, " ".join(dice.choices(WORDS, k=dice.randint(0, 9))), *people[image]) for image in images]


def test_bleu_counts_a_word_as_often_as_some_reference_does():
    found = bleu(["the the the the"], [["the cat the dog", "a the"]])
    assert found.counts.matches == (2, 0, 0, 0)
    assert found.counts.totals == (4, 3, 2, 1)
    assert found.bleu_1 == pytest.approx(1 / 2)
    assert found.bleu_2 < 1e-7


def test_bleu_is_of_the_corpus_and_not_a_mean():
    """1 of 1 words and 1 of 3, against references just as long: 2 of 4, where the mean would be 2/3."""
    found = bleu(["red", "red car here"], [["red"], ["red bus there"]])
    assert found.bleu_1 == pytest.approx(2 / 4)
    assert [one[0] for one in found.per_image] == pytest.approx([1, 1 / 3])


def test_the_nearest_reference_in_length_counts_and_of_two_as_near_the_shorter():
    found = bleu(["a b c"], [["a b c d", "a b", "a b c d e f g"]])
    assert (found.counts.length, found.counts.reference_length) == (3, 2)
    short = bleu(["a b c"], [["a b c d e", "a b c d e f"]])
    assert short.bleu_1 == pytest.approx(math.exp(1 - 5 / 3))


def test_rouge_takes_precision_and_recall_each_from_the_best_reference():
    """Common subsequences: "red bus" of 3 and 5 words, "stops" of 1 word: precision 2/3, recall 1/1."""
    found = rouge_l("red bus stops", ["red and blue bus here", "stops"])
    precision, recall, beta = 2 / 3, 1.0, 1.2
    assert found[1:] == pytest.approx((precision, recall))
    assert found.score == pytest.approx((1 + beta**2) * precision * recall / (recall + beta**2 * precision))


def test_rouge_of_texts_in_another_order():
    assert rouge_l("a b c", "c b a").precision == pytest.approx(1 / 3)
    assert rouge_l("dog", "cat") == (0.0, 0.0, 0.0)


def test_cider_of_a_copy_is_ten_times_the_lengths_of_n_grams_it_has():
    """Two words have n-grams of two lengths out of four, each with cosine 1."""
    assert cider(["red bus", "blue car"], [["red bus"], ["blue car"]]).per_image == pytest.approx((5, 5))
    whole = "red bus stops here"
    assert cider([whole, "blue car"], [[whole], ["blue car"]]).per_image[0] == pytest.approx(10)


def test_cider_by_hand():
    """One word of two: cosine 1/sqrt(2) for single words, 0 for pairs; no pair against one: a penalty of exp(-1/72)."""
    found = cider(["red", "blue car"], [["red bus"], ["blue car"]])
    assert found.per_image[0] == pytest.approx(10 / 4 / math.sqrt(2) * math.exp(-1 / 72))
    assert found.score == pytest.approx(sum(found.per_image) / 2)


def test_words_of_every_image_are_worth_nothing():
    assert cider(["red", "red"], [["red bus"], ["red car"]]).score == 0


def test_one_image_scores_0_and_fixed_document_frequencies_mend_that():
    assert cider(["red bus"], [["red bus"]]).score == 0
    fixed = document_frequencies([["red bus"], ["blue car"], ["green tram", "a tram"]])
    assert fixed.n_images == 3
    assert fixed.counts["tram"] == 1
    assert cider(["red bus"], [["red bus"]], frequencies=fixed).score == pytest.approx(5)


@pytest.mark.parametrize("call", [bleu, cider])
@pytest.mark.parametrize(
    ("candidates", "references", "match"),
    [
        (["a"], [], "1 candidates and 0 lists"),
        ("a dog", [["a dog"]], "one text, not a list"),
        (["a"], ["a"], r"references\[0\] is one text"),
        (["a", "b"], [["a"], []], r"references\[1\] is empty"),
    ],
)
def test_lists_that_do_not_match_are_refused(call, candidates, references, match):
    with pytest.raises(RequestError, match=match):
        call(candidates, references)


def test_rouge_without_a_reference_is_refused():
    with pytest.raises(RequestError, match="is empty"):
        rouge_l("a", [])


def test_nothing_at_all():
    assert cider([], []) == (0.0, ())
    assert bleu([], []).per_image == ()


def test_a_row_says_what_was_compared():
    found = scored("A man's dog.", "a dog", "The dogs, here")
    assert found.score == found.details["rouge_l"] == pytest.approx(rouge_l("A man's dog.", "a dog").score)
    assert found.details["compared"]["caption"] == "a man 's dog"
    assert found.details["compared"]["references"] == ["a dog", "the dogs here"]
    assert found.details["n_tokens"] == [4, 3]
    json.dumps(found.details)


@pytest.mark.parametrize(
    ("caption", "references", "reason"),
    [(None, ["a"], "missing_answer"), ("a", [], "missing_reference"), ("a", ["...", " "], "empty_reference")],
)
def test_what_is_missing_is_skipped_and_no_part_of_the_set(caption, references, reason):
    found = scored(caption, *references)
    assert (found.score, found.details["skipped"]) == (None, reason)
    both = tallied([said("1", caption, *references), said("2", "red bus", "red bus")])
    assert both.summary()["n_images"] == 1
    assert both.summary()["skipped"] == {reason: 1}


@pytest.mark.parametrize("caption", ["", "  ", "...", "😀"])
def test_a_caption_without_words_scores_0_with_a_warning(caption):
    found = scored(caption, "a dog")
    assert (found.score, found.details["warnings"]) == (0.0, ["empty_answer"])
    assert max(found.details[f"bleu_{n}"] for n in range(1, 5)) < 1e-9


def test_strict_reads_a_letter_as_one_however_it_was_written():
    assert scored("cafe\u0301", "caf\u00e9").score == 1.0
    assert scored("cafe\u0301", "caf\u00e9", mode="compat:coco").score == 0.0


def test_strict_passes_over_a_reference_without_words():
    """The evaluation takes it for a person: CIDEr-D is halved, and an empty caption agrees with it."""
    samples = [said("1", "red bus", "red bus", "!"), said("2", "blue car", "blue car")]
    strict, compat = (dict(tallied(samples, mode).cider_scores()) for mode in ("strict", "compat"))
    assert (strict["1"], compat["1"]) == pytest.approx((5, 2.5))
    assert (scored("", "a", "!").score, scored("", "a", "!", mode="compat").score) == (0.0, 1.0)


def test_an_image_with_two_captions_enters_the_document_frequencies_once():
    samples = [said("1", "red bus", "red bus"), said("1", "bus", "red bus"), said("2", "blue car", "blue car")]
    tally = tallied(samples)
    expected = cider(["red bus", "blue car"], [["red bus"], ["blue car"]]).per_image
    assert tally.cider_scores()[0] == ("1", pytest.approx(expected[0]))
    assert len(tally.cider_scores()) == tally.summary()["n_scored"] == 3
    assert tally.summary()["n_images"] == 2


def test_one_id_for_pictures_of_two_data_sets_is_two_images():
    tally = tallied([said("1", "red bus", "red bus", session="x"), said("1", "blue car", "blue car", session="y")])
    assert tally.summary()["cider"] == pytest.approx(5)


@pytest.mark.parametrize("n_shards", [1, 2, 7])
def test_any_cut_in_any_order_gives_the_same_figures(n_shards):
    samples = captions(60)
    whole = tallied(samples).summary()
    random.Random(n_shards).shuffle(samples)
    metric = get_metric("captions.ngram")
    merged = metric.tally()
    for shard in range(n_shards):
        state = json.loads(json.dumps(tallied(samples[shard::n_shards]).state()))
        part = metric.tally()
        part.restore(state)
        merged.merge_from(part)
    found = merged.summary()
    assert {name: found[name] for name in FIGURES} == pytest.approx({name: whole[name] for name in FIGURES}, abs=1e-9)
    assert (found["n_images"], found["n_references"]) == (whole["n_images"], whole["n_references"])
    assert found["intervals"]["cider"]["low"] == pytest.approx(whole["intervals"]["cider"]["low"], abs=1e-9)


def test_the_tally_is_the_functions():
    samples = [one for one in captions(60) if one.sample_id not in {"0", "1", "2", "3", "4"}]
    found = tallied(samples).summary()
    given, people = [one.answer for one in samples], [one.references for one in samples]
    assert found["cider"] == pytest.approx(cider(given, people).score)
    assert [found[f"bleu_{n}"] for n in range(1, 5)] == pytest.approx(bleu(given, people)[:4])


def test_small_sets_are_warned_of():
    def warnings(n):
        return tallied([said(str(i), "a dog", f"a dog {i}") for i in range(n)]).summary()["warnings"]

    assert [warnings(n) for n in (0, 1, 99, 100)] == [[], ["small_set"], ["small_set"], []]


def test_the_summary_says_what_a_figure_is_worth():
    assert "x10" in metric_class("captions.ngram").title
    assert tallied([]).summary()["summary"].startswith("There is nothing to average")
    assert tallied([]).summary()["cider"] is None
    assert "always 0" in tallied([said("1", "a", "a")]).summary()["summary"]
    assert "unstable" in tallied(captions(20)).summary()["summary"]


def test_any_sample_with_references_will_do():
    metric = get_metric("captions.ngram")
    assert metric.compute(Sample(0, "s", "a", "1", "a dog", ("a dog",))).score == 1.0
    assert describe(metric_class("captions.ngram"))["ancestors"] == ["coco"]
