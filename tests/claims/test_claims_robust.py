"""Any text at all: defined results, spans inside the text, time that grows with its length and no faster."""

import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexical_alignment import align

from handler.claims._analysis import _remembered, analyse
from handler.claims._rules import find_claims, find_substitutions, rule_features
from handler.claims._words import MAX_WORDS

WORDS = (
    "a the one two no not never without both neither half dozen all of to by in on off left right under behind next front "
    "red blue dog man unlocked lock is are gives takes hands from up down and who which 's isn't 12 , . ; ! <b> 🐶 狗"
).split()
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "!!!", "🐶🐶", "<b></b>", "---", "\x00"])
def test_a_text_without_words_has_no_sentences(text):
    assert analyse(text) == ()


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=120) | SENTENCES)
def test_every_word_stands_where_its_span_says(text):
    for found in analyse(text):
        for word in found.words:
            start, end = word.span
            assert found.span[0] <= start < end <= found.span[1] <= len(text)
            if word.lower != "not":
                assert len(word.lower) == end - start


@settings(max_examples=300, deadline=None)
@given(SENTENCES, SENTENCES)
def test_any_two_sentences_can_be_compared(one, other):
    for left in analyse(one):
        assert find_claims(left, left, align(left, left)) == ()
        for right in analyse(other):
            aligned = align(left, right)
            claims = find_claims(left, right, aligned)
            for claim in (*claims, *find_substitutions(left, right, aligned)):
                assert 0 < claim.confidence <= 1
                assert all(0 <= start < end <= len(one) for start, end in claim.answer_spans)
                assert all(0 <= start < end <= len(other) for start, end in claim.reference_spans)
            assert all(
                value == value and abs(value) < 1e3 for value in rule_features(left, right, aligned, claims).values()
            )


@pytest.mark.parametrize(
    "text", ["Un perro rojo corre.", "Ein Hund läuft.", "狗在跑。", "собака бежит", "كلب يجري", "İki köpek"]
)
def test_another_language_makes_no_fuss(text):
    (found,) = analyse(text)
    assert find_claims(found, found, align(found, found)) == ()


def test_a_text_without_full_stops_is_cut():
    found = analyse("red dog " * 2500)
    assert [len(one.words) for one in found[:-1]] == [MAX_WORDS] * (len(found) - 1)
    assert sum(len(one.words) for one in found) == 5000


@pytest.mark.parametrize(
    "text",
    [
        "The dog runs on the street and two red cars are not left of it. " * 400,
        "no " * 5000,
        "." * 50_000 + "a",
        "\n " * 50_000,
        "a-" * 30_000,
        "<" * 50_000,
        "x" * 100_000,
    ],
    ids=["prose", "negators", "dots", "lines", "hyphens", "brackets", "letters"],
)
def test_long_texts_take_seconds_at_most(text):
    start = time.process_time()
    analyse(text)
    assert time.process_time() - start < 3.0


def test_what_is_remembered_of_long_texts_stays_small():
    texts = [f"{number} dogs. " + "Two red dogs carry a small box left of an old man. " * 19 for number in range(10)]
    analyse(texts[0][:-1])
    tracemalloc.start()
    try:
        held = [analyse(text) for text in texts]
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size / len(held) * _remembered.cache_info().maxsize < 20_000_000


def test_what_is_too_long_for_a_word_is_passed_over():
    (found,) = analyse(f"A dog {'x' * 5000} and {'9' * 5000} runs.")
    assert [word.lower for word in found.words] == ["a", "dog", "and", "runs", "."]
    assert analyse("x" * 5000) == ()
