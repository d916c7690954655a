"""Which references are drawn, which pairs are made of them, and how outcomes are counted."""

from __future__ import annotations

import random

import pytest

from handler.doctor import Described, draw, examine, made_pairs
from handler.doctor._preference import Preference
from tests.doctor.examined import BARE, ONE, TWO, Made, Scored, edits, rewrites


def described(texts):
    return [Described(text, (f"{text} again",)) for text in texts]


def texts_of(drawn):
    return [one.text for one in drawn[0]]


def made(reference, *, others=(), seed=0, edits=edits, rewrites=rewrites):
    given = Described(reference, others)
    return list(made_pairs(given, edits=edits(reference), rewrites=rewrites, seed=seed))


def test_a_draw_depends_on_texts_and_seed_alone():
    texts = [f"reference {i} \ud83d" for i in range(300)]
    found, n = draw(described(texts), limit=40, seed=3)
    assert (len(found), len(set(found)), n) == (40, 40, 300)
    shuffled = texts * 2
    random.Random(1).shuffle(shuffled)
    again, n = draw(described(shuffled), limit=40, seed=3)
    assert (sorted(again), n) == (sorted(found), 600)
    assert set(draw(described(texts), limit=40, seed=4)[0]) != set(found)


def test_a_draw_is_spread_over_the_file():
    """Mean place of 100 of 10,000, drawn evenly: 5,000 with a standard error of 289."""
    places = described(map(str, range(10_000)))
    means = [sum(map(int, texts_of(draw(places, limit=100, seed=seed)))) / 100 for seed in range(9)]
    assert all(3800 < mean < 6200 for mean in means)


@pytest.mark.parametrize("limit", [None, 9, 3])
def test_all_references_come_in_their_order(limit):
    drawn = draw(described(["b", "a", "b", "c"]), limit=limit, seed=0)
    assert (texts_of(drawn), drawn[1]) == (["b", "a", "c"], 4)
    assert draw([], limit=limit, seed=0) == ([], 0)


def test_a_reference_gives_one_pair_of_each_kind():
    found = made(ONE)
    assert [one.kind for one in found] == ["attribute", "negation"]
    assert (found[0].false, found[0].spans) == ("A blue car stops.", ((2, 6),))


def test_rewrites_are_applied_one_after_another_each_once():
    """`synonym` turns car into automobile, `wording` puts "There is" before: both, in either order."""
    both = {
        ("There is: a red automobile stops.", "synonym + wording"),
        ("There is: a red automobile stops.", "wording + synonym"),
    }
    assert {(one.true, one.source) for seed in range(20) for one in made(ONE, seed=seed)} == both


def test_another_persons_words_come_before_a_rule():
    found = {
        (one.true, one.source) for seed in range(20) for one in made(ONE, others=("Red car.", ONE, "Halt."), seed=seed)
    }
    assert found == {("Red car.", "another person"), ("Halt.", "another person")}
    assert {one.source for one in made(ONE, others=(ONE,))} <= {"synonym + wording", "wording + synonym"}


def test_every_edit_is_made_by_some_seed():
    assert {one.false for seed in range(40) for one in made(ONE, seed=seed)} == {one.text for one in edits(ONE)}


def test_a_version_that_says_the_same_is_none():
    def same(reference):
        return [Made("negation", reference), Made("number", "Red car.")]

    assert made(ONE, others=("Red car.",), edits=same) == []
    assert made(TWO, rewrites=lambda text: [Made("order", text)]) == []


def test_ties_count_as_half_and_intervals_are_wilsons():
    """Wilson's 95 % interval of 8 of 10 is 0.490 to 0.943, of 7 of 10 0.397 to 0.892 (Newcombe 1998, formula 3)."""
    one = Preference()
    outcomes = [one.add(gain) for gain in [0.5] * 7 + [1e-7, -1e-7] + [-0.5]]
    assert outcomes == ["win"] * 7 + ["tie"] * 2 + ["loss"]
    found = one.document()
    assert (found["n"], found["wins"], found["ties"], found["losses"], found["preference"]) == (10, 7, 2, 1, 0.8)
    assert [round(found["interval"][end], 3) for end in ("low", "high")] == [0.490, 0.943]
    half = Preference(wins=7, ties=1, losses=2).document()
    assert half["preference"] == 0.75
    assert [round(half["interval"][end], 3) for end in ("low", "high")] == [0.397, 0.943]
    assert Preference().document()["preference"] is None
    assert Preference().document()["interval"] is None


@pytest.mark.parametrize(("higher", "expected"), [(True, (0, 1)), (False, (1, 0))])
def test_the_better_score_is_the_one_the_metric_says(higher, expected):
    metric = Scored(
        lambda answer: 0.9 if "blue" in answer or "not" in answer or "No " in answer else 0.2, higher=higher
    )
    document = examine([Described(one) for one in (ONE, TWO, BARE)], [metric], edits=edits, rewrites=rewrites).document
    kinds = {one["kind"]: one for one in document["kinds"]}
    for kind in ("attribute", "negation"):
        found = kinds[kind]["metrics"]["test.scored"]
        assert (found["wins"], found["losses"]) == expected
    assert (document["n_examined"], document["n_unedited"], document["n_without_true"]) == (3, 1, 1)
    assert (kinds["number"]["n_references"], kinds["number"]["n_pairs"]) == (1, 0)
    assert kinds["number"]["metrics"]["test.scored"]["preference"] is None
    assert (kinds["attribute"]["n_references"], kinds["role"]["n_references"]) == (2, 0)


def test_a_pair_without_both_scores_is_no_tie():
    metric = Scored(lambda answer: None if "blue" in answer else 0.5)
    kinds = {
        one["kind"]: one
        for one in examine([Described(ONE)], [metric], edits=edits, rewrites=rewrites).document["kinds"]
    }
    attribute, negation = (kinds[kind]["metrics"]["test.scored"] for kind in ("attribute", "negation"))
    assert (attribute["n"], attribute["ties"], attribute["not_scored"]) == (0, 0, {"no_reason": 1})
    assert (negation["n"], negation["ties"], negation["preference"]) == (1, 1, 0.5)


def test_what_most_metrics_got_wrong_is_the_example():
    def own_edits(reference):
        yield Made("number", reference.replace("Two", "Six"))

    references = [Described(f"Two {noun} wait.") for noun in ("men", "dogs", "vans", "cats")]
    first = Scored(lambda answer: 0.9 if "Six vans" in answer or "Six cats" in answer else 0.5, name="test.a")
    second = Scored(lambda answer: 0.9 if "Six vans" in answer else 0.1 if "Six" in answer else 0.5, name="test.b")
    found = examine(
        references,
        [first, second],
        edits=own_edits,
        rewrites=lambda one: [Made("synonym", one.replace("wait", "stay"))],
    )
    number = next(one for one in found.document["kinds"] if one["kind"] == "number")
    assert [one["reference"] for one in number["examples"]] == ["Two vans wait.", "Two men wait."]
    assert number["examples"][0]["preferred"] == {"test.a": "loss", "test.b": "loss"}
    assert len(found.pairs) == 4
