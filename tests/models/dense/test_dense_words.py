"""The greedy search on tables of probabilities, and how its tokens become text."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handler.models.dense._decoding import DENSE_CAPTION, END, greedy
from handler.models.dense._words import caption_of

A, B, C = 10, 11, 12
WORDS = 120


def steps(*tables):
    """A decoder that gives each row its probabilities {token: probability} at each position; the last table repeats."""
    asked = []

    def step(tokens, position):
        asked.append((tokens.tolist(), position))
        table = tables[min(position, len(tables) - 1)]
        logits = np.full((len(tokens), WORDS), -np.inf, np.float32)
        for row, chances in enumerate(table):
            for token, chance in chances.items():
                logits[row, token] = math.log(chance)
        logits[np.isinf(logits)] = -1000
        return logits

    step.asked = asked
    return step


def test_the_likeliest_word_is_taken_and_fed_back():
    step = steps([{A: 0.7, B: 0.3}], [{B: 0.6, C: 0.4}], [{END: 0.9, A: 0.1}])
    (found,) = greedy(step, 1, DENSE_CAPTION)
    assert found.tokens == (A, B, END)
    assert found.log_probability == pytest.approx((math.log(0.7) + math.log(0.6) + math.log(0.9)) / 3)
    assert step.asked == [([DENSE_CAPTION], 0), ([A], 1), ([B], 2)]


def test_a_word_is_not_said_twice_in_a_row_and_loses_its_share():
    step = steps([{A: 1.0}], [{A: 0.5, B: 0.3, C: 0.2}], [{A: 0.6, END: 0.4}], [{A: 0.5, END: 0.5}])
    (found,) = greedy(step, 1, DENSE_CAPTION)
    assert found.tokens == (A, B, A, END)
    assert found.log_probability == pytest.approx((0 + math.log(0.6) + math.log(0.6) + 0) / 4, abs=1e-6)


def test_the_begin_token_may_come_again_at_once():
    (found,) = greedy(steps([{DENSE_CAPTION: 0.9, A: 0.1}], [{END: 1.0}]), 1, DENSE_CAPTION)
    assert found.tokens == (DENSE_CAPTION, END)


def test_a_row_that_ended_is_not_changed_by_those_that_go_on():
    step = steps([{END: 0.8, A: 0.2}, {A: 1.0}], [{B: 1.0}, {B: 1.0}], [{C: 1.0}, {END: 1.0}])
    first, second = greedy(step, 2, DENSE_CAPTION)
    assert first.tokens == (END,)
    assert first.log_probability == pytest.approx(math.log(0.8))
    assert second.tokens == (A, B, END)
    assert step.asked[1][0] == [END, A]


def test_all_rows_ending_at_once_still_have_their_probabilities():
    found = greedy(steps([{END: 0.5, A: 0.25, B: 0.25}, {END: 1.0}]), 2, DENSE_CAPTION)
    assert [one.tokens for one in found] == [(END,), (END,)]
    assert [one.log_probability for one in found] == pytest.approx([math.log(0.5), 0])


def test_forty_tokens_are_the_most():
    (found,) = greedy(steps([{A: 0.6, B: 0.4}]), 1, DENSE_CAPTION)
    assert found.tokens == (A, B) * 19 + (A,)  # 39 and the begin token
    assert found.log_probability == pytest.approx(
        math.log(0.6) / 39, abs=1e-6
    )  # the other word alone remains, 38 times


VOCABULARY = ["[PAD]", "dog", "##s", ".", ",", "'", "s", "t", "don", "red", "##ing", "n't", "!", "[unused5]"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("", ""),
        ("dog ##s", "dogs"),
        ("##s dog", "##s dog"),
        ("dog ' s", "dog's"),
        ("don ' t !", "don't!"),
        ("red , red .", "red, red."),
        ("don n't", "donn't"),
        ("[unused5] dog ##ing ##s", "[unused5] dogings"),
        ("[PAD] dog [PAD]", "dog"),
    ],
)
def test_pieces_become_text(words, text):
    assert caption_of([VOCABULARY.index(word) for word in words.split()], VOCABULARY) == text


def test_ids_of_special_tokens_are_dropped_by_number():
    vocabulary = [f"w{number}" for number in range(110)]
    assert caption_of([0, 100, 101, 102, 103, 104, 99], vocabulary) == "w104 w99"
