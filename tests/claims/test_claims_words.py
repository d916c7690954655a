"""Sentences and words with their places in the text."""

import pytest

from handler.claims._words import sentence_spans, words_of


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def words(text: str) -> list[str]:
    return [word for word, _, _ in words_of(text, (0, len(text)))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A dog runs. It barks!", ["A dog runs.", "It barks!"]),
        ('He says "stop." Then he goes.', ['He says "stop."', "Then he goes."]),
        ("Dr. Smith waits at St. Mary's. No. 5 is open.", ["Dr. Smith waits at St. Mary's.", "No. 5 is open."]),
        ("It is 3.5 m long.", ["It is 3.5 m long."]),
        ("- two cars\n- a bus\n", ["- two cars", "- a bus"]),
        ("A man\nwalks his dog.", ["A man\nwalks his dog."]),
        ("First part\n\nsecond part", ["First part", "second part"]),
        ("狗在跑。猫在睡。", ["狗在跑。", "猫在睡。"]),
        ("Wait... what?", ["Wait...", "what?"]),
        ("", []),
        (" \n\t ", []),
        ("🐶🐶 !!!", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text, expected):
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("isn't", ["is", "not"]),
        ("Don’t stop", ["do", "not", "stop"]),
        ("the man's dog", ["the", "man", "'s", "dog"]),
        ("they're here", ["they", "'re", "here"]),
        ("a fair-haired lady", ["a", "fair", "haired", "lady"]),
        ("her left-hand side", ["her", "left-hand", "side"]),
        ("**red** <b>bus</b> 🚌 http://a.example/x", ["red", "bus"]),
        ("1,000.5 m, 2nd floor", ["1,000.5", "m", ",", "2nd", "floor"]),
        ("naïve Ärzte", ["naïve", "ärzte"]),
    ],
)
def test_words_are_taken_apart(text, expected):
    assert words(text) == expected


def test_spans_are_those_of_the_text_as_given():
    text = "  The man isn't well-known: **İzmir'de** 12 dogs."
    cut = {word: text[start:end] for span in sentence_spans(text) for word, start, end in words_of(text, span)}
    assert cut["man"] == "man"
    assert cut["not"] == "n't"
    assert cut["12"] == "12"
    assert cut["dogs"] == "dogs"
    assert next(original for word, original in cut.items() if word.endswith("zmir'de")) == "İzmir'de"
