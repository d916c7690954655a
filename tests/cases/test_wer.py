"""jiwer 4's recorded figures in compat mode, and where strict says something else."""

from __future__ import annotations

import json

import pytest

from handler.errors import RequestError
from handler.metrics.speech import cer, wer, word_errors

SETS = ("seed-page", "jiwer-tests-default", "jiwer-tests-contiguous", "unicode-spacing-and-over-one")
FIGURES = ("wer", "mer", "wil", "wip", "hits", "substitutions", "deletions", "insertions")
N_CASES = {"seed-page": 3, "jiwer-tests-default": 20, "jiwer-tests-contiguous": 4, "unicode-spacing-and-over-one": 20}


def recorded(cases, name):
    found = json.loads((cases / "07-wer" / name / "expected.json").read_text())
    assert len(found) == N_CASES[name]
    return found


@pytest.mark.parametrize("name", SETS)
def test_compat_is_jiwer(cases, name):
    for case in recorded(cases, name):
        texts = case["reference"], case["hypothesis"]
        contiguous = name.endswith("contiguous")
        if "raises" in case:
            with pytest.raises(RequestError, match="references are 4 and the hypotheses 1"):
                word_errors(*texts, mode="compat:jiwer")
        else:
            found = word_errors(*texts, mode="compat:jiwer", contiguous=contiguous)
            for figure in FIGURES:
                assert getattr(found, figure) == pytest.approx(case[figure], abs=1e-6), (figure, texts)
            references = [[pair.reference for pair in pairs if pair.reference] for pairs in found.alignments]
            assert references == case["reference_words"]
            hypotheses = [[pair.hypothesis for pair in pairs if pair.hypothesis] for pairs in found.alignments]
            assert hypotheses == case["hypothesis_words"]
        if "cer_raises" in case:
            with pytest.raises(RequestError):
                cer(*texts, mode="compat:jiwer")
        else:
            assert cer(*texts, mode="compat:jiwer") == pytest.approx(case["cer"], abs=1e-6), texts


def test_the_page_s_numbers_in_strict(cases):
    rates = [wer(case["reference"], case["hypothesis"]) for case in recorded(cases, "seed-page")]
    assert [round(rate, 3) for rate in rates] == [0.143, 0.25, 0.3]


def test_strict_differs_in_spaces_accents_and_references_without_words(cases):
    """jiwer splits at spaces alone and takes a decomposed accent for another letter; without a reference it gives the
    number of inserted words where there is no rate."""
    differs = {}
    for name in SETS[:2] + SETS[3:]:
        for case in recorded(cases, name):
            if "wer" in case:
                strict = wer(case["reference"], case["hypothesis"])
                if strict is None or strict != pytest.approx(case["wer"], abs=1e-6):
                    differs[str(case["reference"]), str(case["hypothesis"])] = (strict, case["wer"])
    assert differs == {
        ("cafe\u0301 noir", "caf\u00e9 noir"): (0.0, 0.5),
        ("a\tb", "a b"): (0.0, 2.0),
        ("a\u00a0b c", "a b c"): (0.0, 1.0),
        ("line\nbreak here", "line break here"): (0.0, 1.0),
        ("", "hello"): (None, 1),
        ("", "0 1"): (None, 2),
        ("", "0 1 2 3 4"): (None, 5),
    }
