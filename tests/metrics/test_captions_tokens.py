"""The tokeniser of captions against the Stanford PTBTokenizer 3.4.1.

recorded_caption_tokens.json holds captions of our own and what the COCO caption evaluation makes of them: the output of the
jar in pycocoevalcap 1.2 (OpenJDK 17, `-preserveLines -lowerCase`) for a file in which the line "A x" follows each caption,
with the evaluation's list of punctuation taken out.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from handler.metrics.captions import tokenised

RECORDED = json.loads(Path(__file__).with_name("recorded_caption_tokens.json").read_text())


@pytest.mark.parametrize(("caption", "tokens"), RECORDED)
def test_tokens_are_those_of_the_java_program(caption, tokens):
    assert tokenised(caption) == tokens


def test_many_captions_were_recorded():
    assert len(RECORDED) >= 300
    assert sum(not caption.isascii() for caption, _ in RECORDED) >= 40


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\r", "\t", "\v", "\u2028", "\u0085", "\u3000", "\x00"])
def test_a_line_separator_is_a_space(separator):
    assert tokenised(f"A dog{separator}runs.") == "a dog runs"


@pytest.mark.parametrize("caption", ["", " ", "\n", ".", "... , ; -- !", "😀", "\u200b", "''"])
def test_what_has_no_words_has_no_tokens(caption):
    assert tokenised(caption) == ""


def test_a_caption_ends_a_sentence():
    assert tokenised("a bottle of vitamin C.") == "a bottle of vitamin c"
    assert tokenised("vitamin C. is in it") == "vitamin c. is in it"


def test_characters_beyond_the_basic_plane_vanish_and_no_text_is_refused():
    assert tokenised("a 𝔸 dog 𠀀") == "a dog"
    for start in range(0, 0x3000, 64):
        text = "a " + "".join(map(chr, range(start, start + 64)))
        assert tokenised(text).split()[0] == "a"


@pytest.mark.parametrize(
    "unit", ["a-", "a.", "a,", "x@", "<a ", "<!a", "(((", "'", "“", "é、", "#a", "A. ", "1,", "aé'"]
)
def test_long_captions_take_time_in_proportion(unit):
    """Eight times the text in not much more than eight times the time: nothing looks ahead to the end of the text."""
    tokenised(unit)
    short, long = (processor_seconds(unit * n) for n in (1000, 8000))
    assert long < 24 * short + 0.05


def processor_seconds(caption):
    started = time.process_time()
    tokenised(caption)
    return time.process_time() - started
