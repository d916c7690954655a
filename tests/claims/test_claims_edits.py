"""False versions and rewrites: what a person would write down as such, kind by kind."""

from __future__ import annotations

import itertools

import pytest

from handler.claims import REWRITE_KINDS, Kind, false_versions, rewrites


def texts(text, make, kind, seeds=range(12)):
    return {edit.text for seed in seeds for edit in make(text, seed=seed) if edit.kind == kind}


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("The door is open.", Kind.NEGATION, "The door is not open."),
        ("The guard opens the gate.", Kind.NEGATION, "The guard does not open the gate."),
        ("There is a car in the yard.", Kind.NEGATION, "There is no car in the yard."),
        ("There is no car in the yard.", Kind.NEGATION, "There is a car in the yard."),
        ("A man walks without a dog.", Kind.NEGATION, "A man walks with a dog."),
        ("The car turns left.", Kind.DIRECTION, "The car turns right."),
        ("A cup stands behind the box.", Kind.DIRECTION, "A cup stands in front of the box."),
        ("The dog chases the cat.", Kind.ROLE, "The cat chases the dog."),
        ("A woman hugs a child in the street.", Kind.ROLE, "A child hugs a woman in the street."),
    ],
)
def test_a_false_version_of_its_kind(text, kind, expected):
    assert expected in texts(text, false_versions, kind)


@pytest.mark.parametrize(
    ("text", "kind", "replaced", "wrong"),
    [
        ("Two dogs sleep.", Kind.NUMBER, "Two", {"two", "2", "a", "pair"}),
        ("A red car waits.", Kind.ATTRIBUTE, "red", {"red", "crimson", "scarlet"}),
        ("A woman holds a guitar.", Kind.OBJECT, "guitar", {"guitar", "instrument"}),
        ("A boy runs on the beach.", Kind.PLACE, "beach", {"beach", "shore"}),
        ("A child is jumping.", Kind.ACTION, "jumping", {"jumping", "leaping"}),
    ],
)
def test_a_word_gives_way_to_one_that_excludes_it(text, kind, replaced, wrong):
    found = [edit for seed in range(12) for edit in false_versions(text, seed=seed) if edit.kind == kind]
    changed = [edit for edit in found if any(replaced in text[start:end] for start, end in edit.replaced)]
    assert changed
    for edit in changed:
        new = {word for start, end in edit.spans for word in edit.text[start:end].lower().split()} - {"a", "an"}
        assert new
        assert not new & wrong


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("A man is washing a car.", "voice", "A car is being washed by a man."),
        ("The guard opens the gates.", "voice", "The gates are opened by the guard."),
        ("The gate is opened by the guard.", "voice", "The guard opens the gate."),
        ("A man walks in the street.", "order", "In the street, a man walks."),
        ("Two dogs sleep.", "number form", "2 dogs sleep."),
        ("A lady walks.", "synonym", "A woman walks."),
        ("A lamp stands next to the bed.", "wording", "A lamp stands beside the bed."),
    ],
)
def test_a_rewrite_says_the_same(text, kind, expected):
    assert expected in texts(text, rewrites, kind)


def test_spans_show_the_edit_on_both_sides():
    text = "A man holds an umbrella in his left hand."
    for edit in false_versions(text) + rewrites(text):
        rest, other = text, edit.text
        for start, end in reversed(edit.replaced):
            rest = rest[:start] + rest[end:]
        for start, end in reversed(edit.spans):
            other = other[:start] + other[end:]
        assert rest == other


def test_an_article_fits_its_new_word():
    for seed in range(30):
        for edit in false_versions("An elephant stands near a orange bag.", seed=seed):
            words = edit.text.lower().split()
            following = [after for word, after in itertools.pairwise(words) if word == "an"]
            assert all(word[0] in "aeiou" for word in following)


def test_the_same_for_the_same_seed_and_one_of_a_kind_at_most():
    text = "Two women carry a red box up the stairs. A dog sleeps on the sofa."
    assert false_versions(text, seed=3) == false_versions(text, seed=3)
    kinds = [edit.kind for edit in false_versions(text, seed=3)]
    assert kinds == [kind.value for kind in Kind if kind in kinds] or len(kinds) == len(set(kinds))
    assert {edit.kind for edit in rewrites(text)} <= set(REWRITE_KINDS)
    assert all(edit.false for edit in false_versions(text))
    assert not any(edit.false for edit in rewrites(text))
    assert len({tuple(edit.text for edit in false_versions(text, seed=seed)) for seed in range(9)}) > 1


@pytest.mark.parametrize("text", ["", "   ", "🚗🚗", "Der Wagen fährt.", "一只狗在睡觉。", "12:30"])
def test_nothing_to_edit_gives_nothing(text):
    assert false_versions(text) == []
    assert rewrites(text) == []


def test_half_of_a_surrogate_pair_can_be_edited():
    text = "The man\ud800 opens two red doors."
    made = [*false_versions(text), *rewrites(text)]
    assert {"number", "attribute", "number form"} <= {edit.kind for edit in made}
    assert all("\ud800" in edit.text for edit in made)
