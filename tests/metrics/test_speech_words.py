"""What the named normalisers of `speech.wer` make of words."""

from __future__ import annotations

import pytest

from handler.metrics.speech import NORMALISERS, wer
from handler.metrics.speech._words import text_of


def words(text, normaliser):
    return " ".join(text_of(text, normaliser).words)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World!", "hello world"),
        ("it’s JOHN‘S ‘own’", "it's john's own"),
        ("rock 'n' roll, the dogs' bowl", "rock n roll the dogs bowl"),
        ("3.5 km, 1,000 m. 12:30", "3.5 km 1,000 m 12 30"),
        ("U.S.A. e-mail well-known snake_case", "u s a e mail well known snake case"),
        ("wait… what?! — “no”", "wait what no"),
        ("Ｆｕｌｌ ｗｉｄｔｈ ﬁne", "full width fine"),
        ("cafe\u0301 STRASSE straße", "café strasse strasse"),
        ("soft\u00adhyphen \ufeffmark zero\u200bwidth", "softhyphen mark zero width"),
        ("नमस्ते दुनिया।", "नमस्ते दुनिया"),
        ("مرحبا، بالعالم؟", "مرحبا بالعالم"),
        ("five 🙂 stars ❤\ufe0f 1\ufe0f\u20e3", "five stars 1"),
        ("$5 & 50%", "5 50"),
        ("\u0149 e\ufe0b\u0311", "n \u0207"),
        ("?!", ""),
        ("", ""),
    ],
)
def test_basic(text, expected):
    assert words(text, "basic") == expected
    assert words(expected, "basic") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I can't, won't and shan't", "i can not will not and shall not"),
        ("I cannot", "i can not"),
        ("we're they've you'll I'm isn't", "we are they have you will i am is not"),
        ("It's John's; that's what's here", "it is john's that is what is here"),
        ("let's go, he'd say it ain't so", "let us go he'd say it ain't so"),
        ("gonna wanna gotta", "going to want to got to"),
        ("Mr. and Mrs. Smith, Dr. Who", "mister and missus smith doctor who"),
        ("uh, I um think, hmm, so", "i think so"),
        ("zero one two", "0 1 2"),
        ("twenty three, twenty-three, twenty thirty", "23 23 20 30"),
        ("one hundred and five", "105"),
        ("one hundred and a half", "100 and a half"),
        ("a hundred", "a hundred"),
        ("nineteen hundred", "1900"),
        ("two thousand twenty four", "2024"),
        ("two thousand and five people", "2005 people"),
        ("three million two hundred thousand and one", "3200001"),
        ("two thousand three million", "2000 3000000"),
        ("5 million or 2 hundred", "5000000 or 200"),
        ("1,250,000 and 3.5 and 12", "1250000 and 3.5 and 12"),
        ("twenty and thirty", "20 and 30"),
        ("nineteen eighty four", "19 84"),
        ("hundred", "hundred"),
        ("twenty ten", "20 10"),
    ],
)
def test_english(text, expected):
    assert words(text, "english") == expected


def test_a_number_is_read_wherever_it_stands():
    before = "so " * 30
    assert words(f"{before}two hundred and five", "english") == f"{before}205"
    assert words(f"{before}zero hundred", "english") == f"{before}0 hundred"


def said(number):
    """A number below a million as Americans say it."""
    units = (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen"
    ).split()
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = f" {said(number % size)}" if number % size else ""
            return f"{said(number // size)} {name}{rest}"
    if number < 20:
        return units[number]
    tens = "twenty thirty forty fifty sixty seventy eighty ninety".split()[number // 10 - 2]
    return f"{tens} {units[number % 10]}" if number % 10 else tens


def test_english_reads_every_number():
    for number in (*range(3000), *range(3001, 1_000_000, 997)):
        assert words(said(number), "english") == str(number)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京は晴れ。", "東 京 は 晴 れ"),
        ("ｶﾞｷﾞ コーヒー", "ガ ギ コ ー ヒ ー"),
        ("我用 iPhone15 拍照!", "我 用 iphone15 拍 照"),
        ("ดีครับ", "ดี ค รั บ"),
        ("안녕 여러분", "안녕 여러분"),
        ("𠮷野家", "𠮷 野 家"),
        ("plain words", "plain words"),
    ],
)
def test_characters(text, expected):
    assert words(text, "characters") == expected
    assert text_of(text, "characters").characters == expected.replace(" ", "")


def test_none_changes_only_composition_and_white_space():
    assert words("  Cafe\u0301,\u00a0AU\tlait!\n\u200b ", "none") == "Café, AU lait!"
    assert text_of(" a  b ", "none").characters == "a b"


def test_both_sides_are_normalised_alike():
    said, heard = "I can't see Dr. Jones at 5", "i cannot see doctor jones at five"
    assert [wer(said, heard, normaliser=name) for name in NORMALISERS] == [5 / 7, 3 / 7, 0, 3 / 7]
