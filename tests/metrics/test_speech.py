"""The rules of `speech.wer`, by figures worked out by hand."""

from __future__ import annotations

import json
import math
import random

import pytest

from handler.errors import RequestError
from handler.metrics import get_metric
from handler.metrics.speech import Counts, cer, rate_interval, wer, word_errors
from handler.samples import Sample, SpeechSample

PAIRS = [
    ("the cat sat", "the cat sat"),
    ("the cat sat", "the bat sat down"),
    ("a b c d", ""),
    ("", "thanks for watching"),
    ("", ""),
    ("Hello, world.", "hello world"),
]


def heard(hypothesis, *references):
    return SpeechSample(0, "s", "a", "u", hypothesis, references)


def scored(hypothesis, *references, **options):
    return get_metric("speech.wer", **options).compute(heard(hypothesis, *references))


def tallied(pairs, **options):
    metric = get_metric("speech.wer", **options)
    tally = metric.tally()
    for reference, hypothesis in pairs:
        tally.add(metric.compute(heard(hypothesis, reference)))
    return tally


@pytest.mark.parametrize(
    ("reference", "hypothesis", "rate"),
    [
        ("book a table for two at eight", "book table for two at eight", 1 / 7),
        ("turn on the lights", "turn off the lights", 1 / 4),
        ("one two three four five six seven eight nine ten", "one too three four five six seven nine ten end", 3 / 10),
        ("a", "b c d", 3.0),
        ("a b", "", 1.0),
        ("", "", 0.0),
        ("", "word", None),
        ("cafe\u0301", "caf\u00e9", 0.0),
        ("a\u00a0b\tc\nd", " a b  c d ", 0.0),
        ("a \u200b b", "a b", 0.0),
    ],
)
def test_word_error_rate(reference, hypothesis, rate):
    assert wer(reference, hypothesis) == (rate if rate is None else pytest.approx(rate))


def test_all_figures_of_one_pair():
    found = word_errors("the quick brown fox", "the quack brown fox jumps")
    assert found.words == Counts(hits=3, substitutions=1, deletions=0, insertions=1)
    assert (found.hits, found.substitutions, found.deletions, found.insertions) == (3, 1, 0, 1)
    assert (found.wer, found.mer) == (2 / 4, 2 / 5)
    assert found.wip == pytest.approx(3 / 4 * 3 / 5)
    assert found.wil == pytest.approx(1 - 9 / 20)
    assert found.characters == Counts(hits=18, substitutions=1, deletions=0, insertions=6)
    assert found.cer == cer("the quick brown fox", "the quack brown fox jumps") == 7 / 19
    assert [tuple(pair) for pair in found.alignments[0]] == [
        ("=", "the", "the"),
        ("S", "quick", "quack"),
        ("=", "brown", "brown"),
        ("=", "fox", "fox"),
        ("I", None, "jumps"),
    ]
    assert str(found).split("\n") == [
        "REF: the quick brown fox *****",
        "HYP: the quack brown fox jumps",
        "         S               I",
    ]


def test_several_utterances_are_rated_together():
    assert wer(["a b c d", "e"], ["a b c d", "f"]) == 1 / 5
    assert wer(["a b", ""], ["a b", "c"]) == 1 / 2
    assert wer(["a b c", "d"], ["a", "b c d"]) == 4 / 4
    assert wer(["a b c", "d"], ["a", "b c d"], contiguous=True) == 0
    assert wer(["a b c", "d"], ["a b", "c", "d"], contiguous=True) == 0


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: wer(["a", "b"], ["a"]), "references are 2 and the hypotheses 1.*contiguous=True"),
        (lambda: wer("a", None), "hypothesis 1 is NoneType, not text"),
        (lambda: wer(["a", 2], ["a", "b"]), "reference 2 is int, not text"),
        (lambda: wer("a", "b", normaliser="whisper"), "no normaliser 'whisper'.*none, basic, english, characters"),
        (lambda: wer("a", "b", mode="compat:sclite"), "no mode compat:sclite"),
        (lambda: wer("a", "b", mode="compat", normaliser="basic"), "without transforms"),
        (lambda: get_metric("speech.wer", normaliser=3), "3, not a name"),
        (lambda: get_metric("speech.wer", mode="compat:vqa"), "no mode compat:vqa"),
    ],
)
def test_calls_that_make_no_sense(call, match):
    with pytest.raises(RequestError, match=match):
        call()


def test_a_reference_without_words_has_no_rate_but_its_insertions_count():
    silent = scored("thanks for watching", "")
    assert (silent.score, silent.details["skipped"], silent.details["insertions"]) == (None, "empty_reference", 3)
    assert scored("", " ").score == 0
    assert scored("uh", "...", normaliser="basic").score is None
    summary = tallied([("a b c d", "a b c d"), ("", "thanks for watching")]).summary()
    assert (summary["wer"], summary["insertions_without_reference"]) == (3 / 4, 3)
    assert (summary["n_scored"], summary["n_skipped"], summary["skipped"]) == (1, 1, {"empty_reference": 1})
    only_silence = tallied([("", "thanks")]).summary()
    assert (only_silence["wer"], only_silence["cer"], only_silence["mer"]) == (None, None, 1.0)
    assert scored("thanks for watching", "", mode="compat:jiwer").score == 3


def test_what_is_missing_is_skipped_and_what_is_blank_is_scored():
    assert scored(None, "a").details == {"skipped": "missing_answer"}
    assert scored("a").details == {"skipped": "missing_reference"}
    blank = scored(" \u200b", "a b")
    assert (blank.score, blank.details["warnings"]) == (1.0, ["empty_answer"])
    assert "warnings" not in scored("", "").details
    nothing = get_metric("speech.wer").tally().summary()
    assert [nothing[name] for name in ("wer", "cer", "mer", "wil", "wip", "sentence_error_rate")] == [None] * 6


def test_a_day_in_one_piece_is_not_compared():
    assert scored("a " * 250_000, "b " * 250_000).details == {"skipped": "too_long"}


def test_of_several_references_the_one_with_the_fewest_edits_counts():
    result = scored("we go home", "they left", "we go home now", "we went home")
    assert (result.details["best_reference"], result.score) == (1, 1 / 4)  # as many edits as the third, and longer
    blank = scored("hello there you", "", "hello there")
    assert (blank.details["best_reference"], blank.score) == (1, 1 / 2)
    assert scored("a", "b", "c").details["best_reference"] == 0


def test_the_signature_names_the_normaliser():
    assert get_metric("speech.wer").signature() == "speech.wer|version:1|normaliser:none|mode:strict"
    basic = get_metric("speech.wer", normaliser="basic")
    assert "normaliser:basic" in basic.signature()
    assert get_metric("speech.wer", mode="compat").signature().endswith("mode:compat:jiwer")


def test_a_slice_is_total_edits_over_total_words():
    summary = tallied(PAIRS).summary()
    # edits: 0, 2 (bat, down), 4, 3 without a reference, 0, 2; words: 3, 3, 4, 0, 0, 2
    assert summary["wer"] == 11 / 12
    assert (summary["hits"], summary["substitutions"], summary["deletions"], summary["insertions"]) == (5, 3, 4, 4)
    assert summary["n_reference_words"] == 12
    assert summary["mer"] == 11 / 16
    assert summary["wip"] == pytest.approx(5 / 12 * 5 / 12)
    assert summary["sentence_error_rate"] == 3 / 5
    assert summary["case_or_punctuation"] == 2
    assert "11 word edits over 12 reference words: 91.7%. 2 of them are case" in summary["summary"]
    rate, low_high = summary["wer"], summary["intervals"]["wer"]
    assert low_high["low"] < rate < low_high["high"]


def test_the_interval_is_that_of_a_ratio():
    """Edits 1, 0, 2 over 4, 5, 6 words: R = 0.2, residuals 0.2, -1, 0.8, their squares 1.68; standard error
    sqrt(3 / 2 * 1.68) / 15 = 0.105830; t(0.975, 2) = 4.302653."""
    found = rate_interval(3, 15, 3, (5, 16, 77))
    assert found.method == "delta-method"
    assert found.high == pytest.approx(0.2 + 4.302653 * 0.105830, abs=1e-6)
    assert found.low == 0.0
    assert rate_interval(3, 15, 1, (9, 45, 225)) is None
    assert rate_interval(0, 15, 3, (0, 0, 77)) is None


def test_the_interval_covers_the_true_rate_as_often_as_it_says():
    """Utterances of 5 to 25 words, each word wrong with a probability of its utterance's own, 0.12 on average."""
    chance, covered = random.Random(5), 0
    for _ in range(400):
        sums = [0, 0, 0, 0, 0]
        for _ in range(80):
            length, wrong = chance.randint(5, 25), chance.choice((0.02, 0.1, 0.24))
            edits = sum(chance.random() < wrong for _ in range(length))
            parts = (edits, length, edits * edits, edits * length, length * length)
            sums = [one + other for one, other in zip(sums, parts, strict=True)]
        found = rate_interval(sums[0], sums[1], 80, tuple(sums[2:]))
        covered += found.low <= 0.12 <= found.high
    assert 0.91 <= covered / 400 <= 0.985  # 95 %, give or take three and a half standard errors


def test_tallies_merge_in_any_cut_and_order():
    chance = random.Random(11)
    words = "the cat sat on a mat , Hello hello".split()
    pairs = [[" ".join(chance.choices(words, k=chance.randint(0, 9))) for _ in range(2)] for _ in range(200)]
    whole = tallied(pairs).summary()
    for n in (1, 2, 7):
        cut = [pairs[start::n] for start in range(n)]
        chance.shuffle(cut)
        merged = get_metric("speech.wer").tally()
        for part in cut:
            restored = get_metric("speech.wer").tally()
            restored.restore(json.loads(json.dumps(tallied(part).state())))
            merged.merge_from(restored)
        assert merged.summary() == whole


def test_case_and_punctuation_are_counted_and_forgiven_by_basic():
    details = scored("hello world yes", "Hello, world. Yes -").details
    assert (details["case_or_punctuation"], details["warnings"]) == (4, ["case_or_punctuation"])
    assert "case_or_punctuation" not in scored("hello word", "hello world").details
    assert scored("hello world yes", "Hello, world. Yes -", normaliser="basic").score == 0


def test_scripts_without_spaces_are_warned_about_and_scored_by_character():
    reference, hypothesis = "今日は東京で晴れです", "今日は東京で雨です"
    whole = scored(hypothesis, reference)
    assert (whole.score, whole.details["warnings"]) == (1.0, ["no_spaces"])
    assert whole.details["cer"] == 2 / 10
    single = scored(hypothesis, reference, normaliser="characters")
    assert (single.score, single.details["cer"]) == (2 / 10, 2 / 10)
    assert "warnings" not in single.details
    assert "warnings" not in scored("東京 は 晴れ", "東京 は 晴れ").details
    assert "warnings" not in scored("안녕하세요여러분 반갑습니다", "안녕하세요여러분 반갑습니다").details


def test_rows_show_where_it_went_wrong():
    long = [f"w{place}" for place in range(200)]
    hypothesis = [*long[:50], "wrong", *long[51:150], *long[151:]]
    reference, heard_line, ops = scored(" ".join(hypothesis), " ".join(long)).details["alignment"]
    assert reference == "REF: … w47 w48 w49 w50   w51 w52 w53 … w147 w148 w149 w150 w151 w152 w153 …"
    assert heard_line == "HYP: … w47 w48 w49 wrong w51 w52 w53 … w147 w148 w149 **** w151 w152 w153 …"
    assert (ops[heard_line.index("wrong")], ops[heard_line.index("****")], ops.split()) == ("S", "D", ["S", "D"])
    assert "alignment" not in scored("a", "a").details
    just, longer = "j" * 40, "l" * 41
    reference, *_ = scored("a b", f"{just} {longer}").details["alignment"]
    assert reference == f"REF: {just} {'l' * 39}…"
    bounded = scored(" ".join(f"{'x' * 90}{place}" for place in range(900)), " ".join(long)).details["alignment"]
    assert all(len(line) < 61 * 41 + 6 for line in bounded)
    assert scored("雨 x", "東京 x").details["alignment"] == ["REF: 東京 x", "HYP: 雨   x", "     S"]


def test_the_worst_are_the_highest_rates():
    metric = get_metric("speech.wer")
    results = [metric.compute(heard(hypothesis, reference)) for reference, hypothesis in PAIRS]
    assert [metric.badness(one) for one in results] == [None, 2 / 3, 1.0, None, None, 1.0]


def test_any_sample_with_references_will_do_and_no_figure_is_not_a_number():
    plain = Sample(0, "s", "a", "1", "a b", ("a c",))
    details = get_metric("speech.wer").compute(plain).details
    assert all(math.isfinite(one) for one in details.values() if isinstance(one, float))
    assert details["wil"] == 1 - 1 / 4
