"""Help at 80 columns: whole words, options beside what they do."""

from __future__ import annotations

import pytest

from handler.cli import VERBS, main


def help_of(monkeypatch, capsys, *words):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as end:
        main([*words, "--help"])
    assert end.value.code == 0
    return capsys.readouterr().out


def test_each_verb_stands_beside_what_it_does(monkeypatch, capsys):
    lines = help_of(monkeypatch, capsys).splitlines()
    for verb in VERBS:
        assert [line for line in lines if line.split()[:1] == [verb] and len(line.split()) > 1], verb


@pytest.mark.parametrize(
    "words", [(), ("questions", "pope"), ("questions", "sequences"), *((one,) for one in VERBS if one != "export")]
)
def test_no_line_breaks_within_a_name(monkeypatch, capsys, words):
    lines = help_of(monkeypatch, capsys, *words).splitlines()
    assert not [line for line in lines if line.endswith("-") or len(line) > 80]


def test_names_with_hyphens_stay_whole(monkeypatch, capsys):
    assert "label-studio" in help_of(monkeypatch, capsys, "inspect")
    assert "./scenescore-results" in help_of(monkeypatch, capsys, "serve")
