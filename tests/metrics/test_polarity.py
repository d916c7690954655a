"""How strict reads ordinary answers to yes/no questions: prose, wrapping, idioms, and absurd lengths."""

from __future__ import annotations

import time

import pytest

from handler.metrics.yesno import polarity

YES = [
    "There is a dog, not a cat.",
    "There is a dog without a collar.",
    "There are two dogs and no cats.",
    "The image shows a person with no hat.",
    "A dog is visible. It is not on the sofa.",
    "I can see a dog that has no collar.",
    "No doubt, there is a dog.",
    "There is no doubt that there is a dog.",
    "No problem! Yes, there is.",
    "Not only is there a dog, there are two.",
    "<think>no idea. Let me look</think>Yes",
    "no idea at first</think>\n\nYes",
    "Is there a dog? Yes.",
    "Based on the image, yes.",
    "I think yes.",
    "Response: yes",
    "1. Yes",
    "Answer: (A) Yes",
    "<answer>yes</answer>",
    "\u200bYes",
    "\ufeffYes",
    "ＹＥＳ",
    "As far as one sees, yes.",
]
NO = [
    "(B) No",
    "Ｎｏ",
    "¡No!",
    "No dog is visible.",
    "no-one is there",
    "There’s no dog.",
    "There clearly isn't a dog.",
    "In the image, there is no dog.",
    "The picture contains no dog.",
    "The photo doesn't show a dog.",
    "The dog is not visible.",
    "I don't think so.",
    "It is not.",
    "There is no dog but there is a cat.",
    "There are no dogs, but there is a cat.",
    "Is there no dog? No.",
]
NEITHER = [
    "No-one knows, maybe yes",
    "No idea.",
    "There is no way to tell.",
    "There is only a cat.",
    "The dog is not on the sofa.",
    "A dog, no?",
    "No animals but a dog.",
    "I see nothing but a dog.",
    "There are no people other than the man.",
    "The image does not show only a dog.",
    "(A) Yes (B) No",
    "If you mean the cat, yes.",
    "Yes. No, wait, there is none.",
    "<think>no, or yes",
]


@pytest.mark.parametrize(
    ("answer", "said"),
    [*((one, "yes") for one in YES), *((one, "no") for one in NO), *((one, None) for one in NEITHER)],
)
def test_ordinary_answers(answer, said):
    assert polarity(answer).said == said


@pytest.mark.parametrize(
    ("start", "filling", "end"),
    [
        ("Yes", " ", "z"),
        ("yes ", "-", "q"),
        ("", "-", "q"),
        ("", "<think>", ""),
        ("", "\u200b", "yes"),
        ("Is there ", "a ", ""),
        ("The ", "the ", "is visible"),
        ("e", "\u0323\u0301", ""),
    ],
)
def test_a_million_characters_are_read_at_once(start, filling, end):
    answer = start + filling * (1_000_000 // len(filling)) + end
    began = time.process_time()
    polarity(answer)
    assert time.process_time() - began < 2
