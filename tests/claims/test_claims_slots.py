"""Slots of single sentences, against what a person reads in them."""

from math import inf

import pytest
from lexical_alignment import sentence

from handler.claims._slot_types import Analysis


def name(found: Analysis, i: int | None) -> str | None:
    return None if i is None else found.words[i].lower


def negated(text: str) -> set[str]:
    return {word.lower for word in sentence(text).words if word.negated and word.content}


def quantities(text: str) -> list[tuple]:
    found = sentence(text)
    return [
        (name(found, q.word), q.low, q.high, name(found, q.head), q.share) for q in found.quantities if not q.implied
    ]


def attributes(text: str) -> list[tuple]:
    found = sentence(text)
    return [(one.family, name(found, one.word), name(found, one.head)) for one in found.attributes]


def directions(text: str) -> list[tuple]:
    found = sentence(text)
    return [(one.axis, one.sign, name(found, one.subject), name(found, one.anchor)) for one in found.directions]


def predicates(text: str) -> list[tuple]:
    found = sentence(text)
    return [(name(found, p.verb), name(found, p.agent), name(found, p.patient)) for p in found.predicates]


def lemmas(text: str) -> list[tuple]:
    return [(word.lemma, word.pos) for word in sentence(text).words if word.content]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The men were running.", [("man", "n"), ("run", "v")]),
        ("A man rides a bike.", [("man", "n"), ("ride", "v"), ("bike", "n")]),
        ("The traffic lights are red.", [("traffic", "n"), ("light", "n"), ("red", "a")]),
        ("The car turns left.", [("car", "n"), ("turn", "v"), ("left", "r")]),
        ("Two people wait at the bus stop.", [("people", "n"), ("wait", "v"), ("bus", "n"), ("stop", "n")]),
        ("The door is unlocked.", [("door", "n"), ("lock", "v")]),
        ("My uncle is under the umbrella.", [("uncle", "n"), ("umbrella", "n")]),
        ("The nurse helps the patient stand up.", [("nurse", "n"), ("help", "v"), ("patient", "n"), ("stand", "v")]),
    ],
)
def test_base_forms_and_parts_of_speech(text, expected):
    found = lemmas(text)
    assert [lemma for lemma, _ in found] == [lemma for lemma, _ in expected]
    assert [pos for lemma, pos in found if lemma != "left"] == [pos for lemma, pos in expected if lemma != "left"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The man is not wearing a hat.", {"wearing", "hat"}),
        ("There are no cars or trucks in the bay.", {"cars", "trucks"}),
        ("A child plays without an adult.", {"adult"}),
        ("The bay is empty of trucks.", {"trucks"}),
        ("The air is free of smoke.", {"smoke"}),
        ("The door is unlocked.", {"unlocked"}),
        ("The door is not unlocked.", set()),
        ("Nobody is in the shop.", set()),
        ("Women with no shoes playing games.", {"shoes"}),
        ("A bathroom with no toilets and a red bucket.", {"toilets"}),
        ("Not only the dog barks.", set()),
        ("The guard is missing.", {"guard"}),
        ("The dog is on a leash.", set()),
    ],
)
def test_negation_reaches_what_it_denies_and_no_further(text, expected):
    assert negated(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Two red cars wait.", [("two", 2, 2, "cars", "")]),
        ("Half a dozen cartons stand here.", [("dozen", 6, 6, "cartons", "")]),
        ("A pair of dogs bark.", [("pair", 2, 2, "dogs", "")]),
        ("Several people queue.", [("several", 3, inf, "people", "")]),
        ("A few dogs bark.", [("few", 2, 10, "dogs", "")]),
        ("A group of five men waits.", [("five", 5, 5, "men", "")]),
        ("One of the two screens is lit.", [("one", 1, 1, "screens", "some"), ("two", 2, 2, "screens", "")]),
        ("None of the lights are on.", [("none", 0, 0, "lights", "none")]),
        ("All of the lights are on.", [("all", inf, inf, "lights", "all")]),
        ("Nobody waits.", [("nobody", 0, 0, "nobody", "none")]),
        ("Nobody else waits.", []),
        ("There are 12 boats.", [("12", 12, 12, "boats", "")]),
        ("They sit next to one another.", []),
        ("The blue one is full.", []),
        ("Both the kitchen and the hall are dark.", []),
        ("It is the 2nd door.", []),
    ],
)
def test_numbers_count_their_noun(text, expected):
    assert quantities(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A red car waits behind a blue bus.", [("colour", "red", "car"), ("colour", "blue", "bus")]),
        ("The traffic light is green.", [("colour", "green", "light")]),
        ("The smoke rising from the chimney is black.", [("colour", "black", "smoke")]),
        ("A fair-haired lady waits.", [("colour", "fair", None)]),
        ("A black and white dog.", [("colour", "black", "dog"), ("colour", "white", "dog")]),
        ("An orange lies on a wooden table.", [("material", "wooden", "table")]),
        ("A glass of water.", []),
        ("An old man in a small boat.", [("age", "old", "man"), ("size", "small", "boat")]),
    ],
)
def test_attributes_are_bound_to_their_noun(text, expected):
    found = attributes(text)
    assert [(f, w, h if expected[i][2] else None) for i, (f, w, h) in enumerate(found)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A man stands to the left of the vending machine.", [("left-right", 1, "man", "machine")]),
        ("The car turns right at the corner.", [("left-right", -1, "car", None)]),
        ("A red car waits behind a blue bus.", [("front-behind", -1, "car", "bus")]),
        ("The bin is in front of the gate.", [("front-behind", 1, "bin", "gate")]),
        ("Above the roof, a bird is flying.", [("up-down", 1, "bird", "roof")]),
        ("A sink with a cabinet underneath it.", [("up-down", -1, "cabinet", "sink")]),
        ("A man walks away from the camera.", [("towards-away", -1, "man", "camera")]),
        ("The boy stands up.", []),
        ("Someone left a bag.", []),
        ("The fire exit is blocked.", []),
        ("People are riding the lift.", []),
    ],
)
def test_directions_along_their_axes(text, expected):
    assert directions(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The dog chases the cat across the yard.", [("chases", "dog", "cat")]),
        ("The cat is being chased through the garden by the dog.", [("chased", "dog", "cat")]),
        ("The woman was filmed by the man.", [("filmed", "man", "woman")]),
        ("A man who holds a bag waits.", [("holds", "man", "bag"), ("waits", "man", None)]),
        (
            "An old man is sitting on the steps reading a newspaper.",
            [("sitting", "man", None), ("reading", "man", "newspaper")],
        ),
        ("The police officer opens the gate.", [("opens", "officer", "gate")]),
    ],
)
def test_who_does_what_to_whom(text, expected):
    assert predicates(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "A woman hands the keys to the guard.",
        "A woman hands the guard the keys.",
        "The guard receives the keys from a woman.",
        "The guard is handed the keys by a woman.",
        "The keys are handed to the guard by a woman.",
    ],
)
def test_giving_and_receiving_name_the_same_giver_and_receiver(text):
    found = sentence(text)
    (one,) = found.predicates
    assert (name(found, one.giver), name(found, one.recipient), name(found, one.patient)) == ("woman", "guard", "keys")
