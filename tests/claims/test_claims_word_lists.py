"""The word lists are data that anybody may extend: what has to hold of them."""

import tomllib
from pathlib import Path

import pytest

from handler.claims._lexicon import relation_of_forms
from handler.claims._slot_types import Relation
from handler.claims._word_lists import word_lists

TABLES = tomllib.loads((Path(__file__).parents[2] / "handler/claims/data/words.toml").read_text("utf-8"))


@pytest.mark.parametrize("axis", TABLES["axes"])
def test_no_word_points_both_ways_along_an_axis(axis):
    table = TABLES["axes"][axis]
    assert table["plus"].split()
    assert table["minus"].split()
    assert not set(table["plus"].split()) & set(table["minus"].split())
    assert not set(table.get("plus_phrases", ())) & set(table.get("minus_phrases", ()))
    assert all(len(phrase.split()) in (2, 3) for name in table if name.endswith("phrases") for phrase in table[name])


def test_lists_name_axes_that_are_there():
    assert {*TABLES["directions"]["symmetric"], *TABLES["directions"]["loose"]} <= TABLES["axes"].keys()


@pytest.mark.parametrize("pair", TABLES["opposites"]["pairs"])
def test_an_opposite_pair_is_two_words_that_oppose_each_other(pair):
    word, other = pair.split()
    assert relation_of_forms(word, other) is Relation.OPPOSITE
    assert relation_of_forms(other, word) is Relation.OPPOSITE


@pytest.mark.parametrize("group", TABLES["synonyms"]["groups"])
def test_a_group_of_synonyms_opposes_nothing_within(group):
    words = group.split()
    found = {relation_of_forms(word, other) for word in words for other in words}
    assert len(words) == len(set(words)) > 1
    assert found <= {Relation.SAME, Relation.SYNONYM}


def test_words_of_one_family_differ_when_they_share_no_value():
    colours = {
        word: dict(families)["colour"]
        for word, families in word_lists().attributes.items()
        if "colour" in dict(families)
    }
    assert colours["grey"] & colours["silver"]
    assert colours["teal"] & colours["blue"]
    assert colours["teal"] & colours["green"]
    assert not colours["red"] & colours["blue"]
    assert not colours["black"] & colours["white"]


def test_opposites_and_converses_hold_both_ways():
    lists = word_lists()
    for table in (lists.opposites, lists.opposite_phrases, lists.converse, lists.opposed_prepositions):
        assert all(word in table[other] for word, others in table.items() for other in others)
