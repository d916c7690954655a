"""Two texts judged on the real encoder: what a person would say of them, and what has to hold of any two."""

from __future__ import annotations

import time

import numpy as np
import pytest

from handler.claims import DEFAULT_THRESHOLD, LAYERS, Kind, judge, read_text
from handler.models import TokenVectors


@pytest.fixture(scope="module")
def read(encoder):
    """Readings of texts, one pass each."""
    known = {}

    def of(text):
        if text not in known:
            known[text] = encoder.read([text], LAYERS, read_text)[text][1]
        return known[text]

    return of


@pytest.fixture(scope="module")
def judged(read):
    return lambda answer, reference, **options: judge(read(answer), read(reference), **options)


CONTRADICTED = [
    ("The man bites the dog.", "The dog bites the man.", Kind.ROLE, "man"),
    ("Three cyclists wait at the light.", "Two cyclists wait at the light.", Kind.NUMBER, "Three"),
    ("A woman in a green coat feeds the birds.", "A woman in a red coat feeds the birds.", Kind.ATTRIBUTE, "green"),
    ("The van turns left into the yard.", "The van turns right into the yard.", Kind.DIRECTION, "left"),
    ("The fire door is not closed.", "The fire door is closed.", Kind.NEGATION, "closed"),
    ("A boy is feeding a horse.", "A boy is feeding a goat.", Kind.OBJECT, "horse"),
]
AGREED = [
    ("The man is bitten by the dog.", "The dog bites the man."),
    ("A pair of cyclists wait at the light.", "Two cyclists wait at the light."),
    ("A woman wearing a red coat is feeding birds.", "A woman in a red coat feeds the birds."),
    ("The fire door is shut.", "The fire door is closed."),
    ("A kid is feeding a goat.", "A boy is feeding a goat."),
]


@pytest.mark.parametrize(("answer", "reference", "kind", "word"), CONTRADICTED)
def test_the_first_claim_names_the_wrong_word(judged, answer, reference, kind, word):
    found = judged(answer, reference)
    assert found.contradiction > DEFAULT_THRESHOLD
    first = found.claims[0]
    assert first.kind is kind
    assert word in " ".join(answer[start:end] for start, end in first.answer_spans).split()
    assert all(0 <= start < end <= len(reference) for start, end in first.reference_spans)


@pytest.mark.parametrize(("answer", "reference"), AGREED)
def test_the_same_in_other_words_is_no_contradiction(judged, answer, reference):
    found = judged(answer, reference)
    assert found.contradiction <= DEFAULT_THRESHOLD
    assert found.claims == ()


@pytest.mark.parametrize(
    "text",
    [
        "A man in a black jacket walks past two parked cars.",
        "Not one of the doors is open. Nobody is there.",
        "Ein Mann geht über die Straße.",
        "🚗 🚙",
        "**A dog** <b>sleeps</b> on the [sofa](https://a.example).",
    ],
)
def test_identical_texts_agree_wholly(judged, text):
    found = judged(text, text)
    assert found.contradiction == 0.0
    assert found.claims == found.omissions == found.notes == ()


def test_capitals_and_closing_marks_say_nothing(judged):
    assert judged("a man walks past two parked cars", "A MAN walks past two parked cars.").contradiction == 0.0


@pytest.mark.parametrize("blank", ["", "  \n", "...", "🚗"])
def test_an_answer_without_words_contradicts_nothing_and_leaves_out_everything(judged, blank):
    found = judged(blank, "A red car waits.")
    assert (found.contradiction, found.claims, found.worst) == (0.0, (), None)
    assert " ".join(note.words for note in found.omissions) == "red car waits"
    assert judged("A red car waits.", blank).contradiction == 0.0
    assert judged(blank, blank).omissions == ()


def test_what_the_answer_leaves_out_is_an_omission_and_what_it_adds_is_a_note(judged):
    reference = "A man walks a dog on the beach at sunset."
    short = judged("A man walks a dog.", reference)
    assert short.claims == ()
    omitted = {reference[start:end] for note in short.omissions for start, end in note.spans}
    assert {"beach", "sunset"} <= omitted
    longer = judged(reference, "A man walks a dog.")
    added = {reference[start:end] for note in longer.notes for start, end in note.spans}
    assert {"beach", "sunset"} <= added


def test_the_words_of_a_claim_are_neither_notes_nor_omissions(judged):
    answer, reference = "A red box lies on the wet floor.", "A blue box lies on the floor."
    found = judged(answer, reference)
    assert found.claims[0].kind is Kind.ATTRIBUTE
    assert [note.words for note in found.notes] == ["wet"]
    assert found.omissions == ()


def test_the_wrong_sentence_among_three_is_the_worst(judged):
    reference = "A white van is parked by the gate. Two men unload boxes. The gate is open."
    answer = "The gate stands open. Three men unload boxes. By the gate there is a parked white van."
    found = judged(answer, reference)
    assert answer[slice(*found.worst)] == "Three men unload boxes."
    assert found.contradiction > DEFAULT_THRESHOLD
    assert found.claims[0].kind is Kind.NUMBER
    assert reference[slice(*found.claims[0].reference_spans[0])].startswith("Two")


def test_one_sentence_may_say_what_two_say(judged):
    parts = "A woman sits on a bench. She reads a newspaper."
    whole = "A woman sits on a bench and reads a newspaper."
    assert judged(whole, parts).contradiction <= DEFAULT_THRESHOLD
    assert judged(parts, whole).contradiction <= DEFAULT_THRESHOLD
    assert judged(whole, parts).claims == ()


def test_the_same_bits_beside_other_texts_and_in_any_order(encoder, judged):
    texts = sorted({text for answer, reference, *_ in CONTRADICTED + AGREED for text in (answer, reference)})
    together = {text: one for text, (_, one) in encoder.read(texts, LAYERS, read_text).items()}
    back = {text: one for text, (_, one) in encoder.read(texts[::-1], LAYERS, read_text).items()}
    for answer, reference, *_ in CONTRADICTED + AGREED:
        alone = judged(answer, reference)
        assert judge(together[answer], together[reference]) == alone
        assert judge(back[answer], back[reference]) == alone


def test_a_threshold_moves_no_score_and_names_no_word_below_it(judged):
    pair = CONTRADICTED[5][:2]
    loose, strict = judged(*pair, threshold=0.0), judged(*pair, threshold=1.0)
    assert loose.contradiction == strict.contradiction
    assert loose.claims
    assert strict.claims == ()


def test_a_text_beyond_the_longest_input_is_judged_by_its_whole_sentences(read):
    sentence = "A white van is parked by the gate. "
    long = read(sentence * 100)
    assert long.truncated
    assert 30 < len(long.sentences) < 60  # 384 tokens, 9 a sentence
    assert not read(sentence).truncated
    found = judge(long, read(sentence))
    assert found.contradiction == 0.0
    wrong = judge(
        read("Two dogs sleep on the sofa. " + sentence * 100), read(sentence + "Three dogs sleep on the sofa.")
    )
    assert wrong.claims[0].kind is Kind.NUMBER


def test_five_thousand_words_take_less_than_a_second(encoder, read):
    words = "A man walks his brown dog past the old station while two women wait for the bus. " * 300
    once = []

    def timed(text, tokens):
        start = time.process_time()
        reading = read_text(text, tokens)
        once.append(time.process_time() - start)
        return reading

    reading = encoder.read([words], LAYERS, timed)[words][1]
    start = time.process_time()
    judge(reading, read("A man walks his brown dog past the old station. Two women wait for the bus."))
    assert once[0] + time.process_time() - start < 1.0
    one_word = "car " * 5000
    assert judge(read(one_word), read("A car.")).contradiction <= 1.0


def test_a_sentence_about_something_else_is_a_note_and_no_contradiction(judged):
    answer, reference = "A man walks a dog. The sky is blue.", "A man walks a dog. Trees line the path."
    found = judged(answer, reference)
    assert found.contradiction <= DEFAULT_THRESHOLD
    assert found.claims == ()
    assert {"sky", "blue"} <= {answer[start:end] for note in found.notes for start, end in note.spans}
    assert {"Trees", "path"} <= {reference[start:end] for note in found.omissions for start, end in note.spans}


def test_vectors_that_are_not_finite_are_read_as_unknown(read):
    spans = [(0, 0), (0, 1), (2, 5), (6, 9), (10, 15), (15, 16), (0, 0)]
    broken = TokenVectors(spans, {layer: np.full((7, 768), np.nan, np.float32) for layer in LAYERS})
    reading = read_text("A red car waits.", broken)
    assert judge(reading, read("A blue car waits.")).claims[0].kind is Kind.ATTRIBUTE
    assert 0.0 <= judge(read("A dog."), reading).contradiction <= 1.0


def test_a_reading_is_small(read):
    reading = read("A tall man in a black coat carries two brown boxes upstairs.")
    sentence = reading.sentences[0]
    assert len(sentence.wording) == 12
    n_bytes = sum(values.nbytes for values in sentence.words.values()) + sentence.vector.nbytes
    assert n_bytes < 30_000


@pytest.mark.parametrize(
    "answer", ["Une voiture rouge attend.", "一辆红色的车在等待。", "١٢٣", "a" * 3000, "-" * 3000, "1" * 900]
)
def test_any_text_gives_a_finite_score(judged, answer):
    found = judged(answer, "A red car waits.")
    assert np.isfinite(found.contradiction)
    assert 0.0 <= found.contradiction <= 1.0
    assert all(0.0 <= claim.confidence <= 1.0 for claim in found.claims)


@pytest.mark.parametrize(
    ("answer", "reference", "apart"),
    [
        ("The area is empty.", "A man is climbing over the fence.", True),
        ("A cat sleeps.", "Two cars wait at the light.", True),
        ("A cat sleeps. Two cars wait.", "Two cars wait at the light.", False),
        ("Somebody collapsed by the door.", "A person fell near the entrance.", False),
        ("Nobody is there.", "A man waits at the gate.", False),
    ],
)
def test_texts_that_share_no_word_are_apart(judged, answer, reference, apart):
    assert judged(answer, reference).apart is apart
