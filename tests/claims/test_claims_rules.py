"""Claims about pairs of sentences: what a person would call wrong, and what not."""

import pytest
from lexical_alignment import align, claims_of, sentence, substitutions_of

from handler.claims import Kind
from handler.claims._rules import RULE_FEATURES, find_claims, rule_features

CONTRADICTIONS = [
    (Kind.NEGATION, "The man is not wearing a hat.", "The man is wearing a hat.", "not", "wearing"),
    (Kind.NEGATION, "The gate is open with a guard.", "The gate is open without a guard.", "guard", "without"),
    (Kind.NEGATION, "The door is unlocked.", "The door is locked.", "unlocked", "locked"),
    (Kind.NUMBER, "Three dogs sleep on the mat.", "Two dogs sleep on the mat.", "three", "two"),
    (Kind.NUMBER, "Both of the two screens are lit.", "One of the two screens is lit.", "both", "one"),
    (Kind.NEGATION, "All of the lamps are on.", "None of the lamps are on.", "all", "none"),
    (Kind.NUMBER, "One person queues at the desk.", "Several people queue at the desk.", "one", "several"),
    (Kind.ATTRIBUTE, "A blue car waits behind a red bus.", "A red car waits behind a blue bus.", "blue car", "red car"),
    (Kind.ATTRIBUTE, "The gate is green.", "The gate is white.", "green", "white"),
    (Kind.ATTRIBUTE, "A big dog sits near a small cat.", "A small dog sits near a big cat.", "big dog", "small dog"),
    (
        Kind.DIRECTION,
        "A cup stands to the right of the lamp.",
        "A cup stands to the left of the lamp.",
        "right",
        "left",
    ),
    (Kind.DIRECTION, "The bus is behind the tram.", "The bus is in front of the tram.", "behind", "front"),
    (Kind.DIRECTION, "The lamp is under the shelf.", "The shelf is under the lamp.", "lamp", "shelf"),
    (
        Kind.DIRECTION,
        "The upper drawer is empty and the lower drawer is full.",
        "The upper drawer is full and the lower drawer is empty.",
        "upper",
        "upper",
    ),
    (
        Kind.DIRECTION,
        "A woman walks from right to left.",
        "A woman walks from left to right.",
        "right left",
        "left right",
    ),
    (Kind.ATTRIBUTE, "A man waits at the back door.", "A man waits at the front door.", "back door", "front door"),
    (Kind.NEGATION, "A clerk is behind the desk.", "No one is behind the desk.", "clerk", "no one"),
    (Kind.PLACE, "A bag lies under the bench.", "A bag lies on the bench.", "under", "on"),
    (Kind.NEGATION, "Two people are in the room.", "Nobody is in the room.", "two people", "nobody"),
    (Kind.ATTRIBUTE, "It is night.", "It is daytime.", "night", "daytime"),
    (Kind.ACTION, "A woman leaves the shop.", "A woman enters the shop.", "leaves", "enters"),
    (Kind.OPPOSITE, "The window is open.", "The window is closed.", "open", "closed"),
    (Kind.ACTION, "A clerk turns the lights off.", "A clerk switches the lights on.", "off", "on"),
    (Kind.ACTION, "A boy takes a jar off the shelf.", "A boy puts a jar back on the shelf.", "takes", "puts"),
    (Kind.OBJECT, "A man waits for the tram.", "A woman waits for the tram.", "man", "woman"),
    (Kind.ROLE, "The cat chases the dog.", "The dog chases the cat.", "cat", "dog"),
    (Kind.ROLE, "The dog is chased by the cat.", "The dog chases the cat.", "dog", "cat"),
    (
        Kind.ROLE,
        "The guard hands a card to the driver.",
        "The guard receives a card from the driver.",
        "guard",
        "driver",
    ),
    (
        Kind.ROLE,
        "A man in a uniform points at a man in a suit.",
        "A man in a suit points at a man in a uniform.",
        "points",
        "points",
    ),
]

AGREEMENTS = [
    ("The cat is being chased by the dog.", "The dog chases the cat."),
    ("The guard receives a card from the driver.", "The driver hands a card to the guard."),
    ("The dog leads the boy.", "The boy follows the dog."),
    ("The tram is behind the bus.", "The bus is in front of the tram."),
    ("The yellow bin is behind the blue one.", "The blue bin is in front of the yellow bin."),
    ("There is no one in the room.", "Nobody is in the room."),
    ("The girl catches the ball from the boy.", "The boy throws the ball to the girl."),
    ("The boy gets a toy from the nurse.", "The nurse gives the boy a toy."),
    ("The passengers do not wear masks.", "None of the passengers are wearing masks."),
    ("Fifteen people wait.", "More than ten people wait."),
    ("There are three clients.", "There are fewer than five clients."),
    ("A stool stands next to a plant.", "A plant stands next to a stool."),
    ("A man sits in front of a fence.", "A man sits on a bench with a fence behind him."),
    ("A grey van waits.", "A silver van waits."),
    ("The bottle is not full.", "The bottle is empty."),
    ("Six boxes stand here.", "Half a dozen boxes stand here."),
    ("A pair of dogs bark.", "Two dogs bark."),
    ("Both dogs bark.", "Two dogs bark."),
    ("The lamp is not lit.", "The lamp is unlit."),
    ("No trucks are in the bay.", "The bay is empty of trucks."),
    ("A man in black shorts and a white shirt runs.", "A man in a white shirt and black shorts runs."),
    ("A vase lies on the table.", "A vase stands on the table."),
    ("The room is dimly lit.", "The room is dark."),
    ("A man holds a phone in his right hand.", "A man holds a phone in his right hand."),
    ("A man raises his arm.", "A man raises his right arm."),
    ("The woman hugs the girl.", "The girl hugs the woman."),
]


@pytest.mark.parametrize(("kind", "answer", "reference", "said", "seen"), CONTRADICTIONS)
def test_the_first_claim_names_what_is_wrong(kind, answer, reference, said, seen):
    first = claims_of(answer, reference)[0]
    assert first.kind is kind
    assert set(said.split()) <= set(first.answer.split())
    assert set(seen.split()) <= set(first.reference.split())
    assert 0 < first.confidence <= 1


@pytest.mark.parametrize(("kind", "answer", "reference", "said", "seen"), CONTRADICTIONS)
def test_either_side_contradicts_the_other(kind, answer, reference, said, seen):
    del said, seen
    kinds = sorted(claim.kind for claim in claims_of(answer, reference))
    assert kind in kinds
    assert sorted(claim.kind for claim in claims_of(reference, answer)) == kinds


@pytest.mark.parametrize(("answer", "reference"), AGREEMENTS)
def test_other_words_for_one_scene_are_no_claim(answer, reference):
    assert claims_of(answer, reference) == ()
    assert claims_of(reference, answer) == ()


@pytest.mark.parametrize(
    "text", sorted({text for _, answer, reference, *_ in CONTRADICTIONS for text in (answer, reference)})
)
def test_a_text_does_not_contradict_itself(text):
    assert claims_of(text, text) == ()


def test_spans_point_at_the_words_of_both_texts():
    answer, reference = "The man isn't wearing a hat.", "The man wears a hat."
    first = claims_of(answer, reference)[0]
    assert [answer[start:end] for start, end in first.answer_spans] == ["n't wearing"]
    assert [reference[start:end] for start, end in first.reference_spans] == ["wears"]


@pytest.mark.parametrize(
    ("kind", "answer", "reference", "said", "seen"),
    [
        (
            Kind.OBJECT,
            "The man is drinking wine at his desk.",
            "The man is drinking coffee at his desk.",
            "wine",
            "coffee",
        ),
        (Kind.ACTION, "A boy is fishing in the lake.", "A boy is swimming in the lake.", "fishing", "swimming"),
        (Kind.OBJECT, "A girl plays the violin.", "A girl plays the guitar.", "violin", "guitar"),
        (Kind.PLACE, "A boat floats on the ocean.", "A boat floats on the river.", "ocean", "river"),
    ],
)
def test_substitutions_pair_the_words_that_stand_in_one_place(kind, answer, reference, said, seen):
    first = substitutions_of(answer, reference)[0]
    assert (first.kind, first.answer, first.reference) == (kind, said, seen)
    assert first.confidence < 0.7  # never as sure as a slot


def test_supported_words_are_no_substitution():
    assert substitutions_of("A guy rides a bicycle.", "A man rides a bike.") == ()


@pytest.mark.parametrize(("answer", "reference"), [*AGREEMENTS, *((a, r) for _, a, r, *_ in CONTRADICTIONS)])
def test_features_have_fixed_names_and_are_finite(answer, reference):
    left, right = sentence(answer), sentence(reference)
    aligned = align(left, right)
    claims = find_claims(left, right, aligned)
    features = rule_features(left, right, aligned, claims)
    assert tuple(features) == RULE_FEATURES
    assert all(-10 < value < 10 for value in features.values())
    assert features["surest_claim"] == max((claim.confidence for claim in claims), default=0.0)
