"""Every command and every line of Python in the documents runs, and what they show is what is printed."""

from __future__ import annotations

import argparse
import importlib
import itertools
import re
import shlex

import pytest

from handler.cli import VERBS
from handler.formats import FORMATS
from tests.conftest import ROOT
from tests.docs.blocks import DOCUMENTS, blocks_of, commands_named, prose_of, role_of
from tests.docs.following import environment_of, follow, shows
from tests.docs.given import GIVEN

RECIPES = "CONTRIBUTING.md"  # followed in a copy of the package, see test_recipes.py
MAKE_VERBS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.fixture(scope="session")
def vectors(tmp_path_factory):
    """What was encoded for one document is not encoded again for the next; no score changes by a bit."""
    return tmp_path_factory.mktemp("vectors")


@pytest.mark.model
@pytest.mark.parametrize("document", [one for one in DOCUMENTS if one != RECIPES])
def test_a_document_can_be_followed(document, model, vectors, tmp_path, request):
    folder = tmp_path / "reader"
    folder.mkdir()
    more = GIVEN[document](folder, request) if document in GIVEN else {}
    follow(blocks_of(document), folder, environment_of(tmp_path, model, SCENESCORE_CACHE=str(vectors), **more))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_block_is_run_or_says_why_not(document):
    found = blocks_of(document)
    for before, block in zip([None, *found], found, strict=False):
        assert role_of(block, before), f"{block.place}: neither run, nor shown by a run, nor marked"
        if block.language == "python" and not block.named and not block.unrun:
            after = found[found.index(block) + 1 :][:1]
            assert "assert " in block.text or (after and role_of(after[0], block) == "output"), (
                f"{block.place} shows nothing"
            )


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_in_running_text_exist(document):
    for command in commands_named(document):
        assert _exists(command), f"{document}: {command}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(document)):
        if not target.startswith(("https://", "#")):
            assert (ROOT / document).parent.joinpath(target.split("#")[0]).exists(), target


def test_every_format_is_described():
    described = prose_of("handler/README.md")
    assert [name for name in FORMATS if f"`{name}`" not in described] == []


def test_what_is_shown_must_be_printed():
    assert shows("a ... c\n...\nd\n", "x\na b c\n1\n2\nd\n")
    assert not shows("a\nd\n", "a\nb\nd\n")
    assert not shows("b", "ab\n")


def _exists(command: str) -> bool:
    """Whether a command of ours has the verb and the options that are typed; other commands are not looked at."""
    words = _words(command)
    if words[:1] == ["make"]:
        verbs = itertools.takewhile(lambda word: not re.search("[=<]", word), words[1:])
        return all(word in MAKE_VERBS for word in verbs if re.fullmatch("[a-z-]+", word))
    if words[:1] != ["scenescore"] or len(words) < 2:
        return True
    if words[1] not in VERBS:
        return words[1].startswith("--")
    parser = argparse.ArgumentParser()
    importlib.import_module(f"handler.cli.{words[1]}").add_arguments(parser)
    return words[1] == "export" or all(word.split("=")[0] in _options(parser) for word in words if word[:2] == "--")


def _options(parser: argparse.ArgumentParser) -> set[str]:
    known = set(parser._option_string_actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            known |= {name for one in action.choices.values() for name in one._option_string_actions}
    return known


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command, comments=True)
    except ValueError:
        return command.split()
