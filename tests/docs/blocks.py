"""The blocks of the project's documents, and what a reader would do with each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.conftest import ROOT

NOT_OURS = {".venv", "build", "dist", "node_modules"}
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for part in ("*.md", "handler/**/*.md", "infra/**/*.md", "model_export/**/*.md")
    for path in ROOT.glob(part)
    if not NOT_OURS & set(path.relative_to(ROOT).parts)
)
FENCE = re.compile(r"^```(\w*)$")
MARK = re.compile(r"\*Not run by the tests: (.+)\.\*")
NAMED = re.compile(r"`([\w./-]+)`:$")
SPAN = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Block:
    """line: where it starts. named: the file that the line above says it is. unrun: the reason the line above gives."""

    document: str
    line: int
    language: str
    text: str
    named: str | None
    unrun: str | None

    @property
    def place(self) -> str:
        return f"{self.document}:{self.line}"


def blocks_of(document: str) -> list[Block]:
    return list(_blocks(document, (ROOT / document).read_text(encoding="utf-8")))


def prose_of(document: str) -> str:
    """The text without its blocks."""
    return re.sub(r"^```.*?^```$", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def role_of(block: Block, before: Block | None) -> str | None:
    """What is done with a block: unrun, edit, file, run or output; None where a reader could not tell."""
    if block.unrun:
        return "unrun"
    if block.language == "diff":
        return "edit"
    if block.named and block.language not in ("sh", "text"):
        return "file"
    if block.language in ("sh", "python"):
        return "run"
    if block.language == "text" and before is not None and role_of(before, None) == "run":
        return "output"
    return None


def commands_named(document: str) -> Iterator[str]:
    """Commands of ours in the running text and in blocks that are not run."""
    for span in SPAN.findall(prose_of(document)):
        yield " ".join(span.split())
    for block in blocks_of(document):
        if block.unrun and block.language == "sh":
            for line in block.text.replace("\\\n", " ").splitlines():
                yield line.split("  #")[0]


def _blocks(document: str, text: str) -> Iterator[Block]:
    lines = text.splitlines()
    above, at = "", 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        if fence is None:
            assert not lines[at].startswith("```"), f"{document}:{at + 1}: a fence says one word, its language"
            above, at = lines[at].strip() or above, at + 1
            continue
        end = next(place for place in range(at + 1, len(lines)) if lines[place] == "```")
        mark, named = MARK.fullmatch(above), NAMED.search(above)
        content = "".join(f"{line}\n" for line in lines[at + 1 : end])
        yield Block(document, at + 1, fence[1], content, named[1] if named else None, mark[1] if mark else None)
        above, at = "", end + 1
