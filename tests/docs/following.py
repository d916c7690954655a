"""Doing what a document says: its files are written, its commands and Python run, its edits made, what it shows compared."""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.conftest import ROOT
from tests.docs.blocks import Block, role_of
from tests.servers import free_ports

PATIENCE_S = 300
PORT = "8017"
"""The port that documents name; what listens on it in a test is on a free one."""


def follow(blocks: Sequence[Block], folder: Path, environment: Mapping[str, str]) -> None:
    """Do as a reader of the document would, in a folder."""
    output, port = "", str(free_ports(1)[0])
    for place, block in enumerate(blocks):
        before = blocks[place - 1] if place else None
        match role_of(block, before):
            case "file":
                write(folder, block)
            case "edit":
                edit(folder, block)
            case "run" if block.language == "sh":
                output = run_shell(block, folder, environment, port).replace(port, PORT)
            case "run":
                output = run_python(block, folder)
            case "output":
                assert shows(block.text, output), f"{block.place} shows what is not printed; printed is:\n{output}"


def write(folder: Path, block: Block) -> None:
    assert block.named
    path = folder / block.named
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text, encoding="utf-8")


def edit(folder: Path, block: Block) -> None:
    """A diff in short: its first line names the file; lines to add stand under, lines to remove among, lines that are
    there once."""
    first, *lines = block.text.splitlines()
    path = folder / first.removeprefix("--- ")
    old = "".join(f"{line[1:]}\n" for line in lines if line[:1] in (" ", "-"))
    new = "".join(f"{line[1:]}\n" for line in lines if line[:1] in (" ", "+"))
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{block.place}: these lines are {text.count(old)} times in {path.name}:\n{old}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def run_shell(block: Block, folder: Path, environment: Mapping[str, str], port: str) -> str:
    """What the commands print, errors included. Whatever they leave running is ended."""
    log = folder.parent / f"{folder.name}.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", block.text.replace(PORT, port)],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(PATIENCE_S)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    output = log.read_text(encoding="utf-8")
    assert code == 0, f"{block.place} ends with {code} and prints:\n{output}"
    return output


def run_python(block: Block, folder: Path) -> str:
    """What it prints; it runs in this process, where the model is loaded once for all."""
    printed = io.StringIO()
    code = compile("\n" * block.line + block.text, str(ROOT / block.document), "exec")
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        exec(code, {"__name__": "document"})
    return printed.getvalue()


def shows(shown: str, printed: str) -> bool:
    """Whether the lines shown are printed, one after the other. `...` stands for the rest of a line, or alone for lines."""
    pattern = ""
    for line in shown.splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ \t]*\n"
    return re.search(f"^{pattern}", f"{printed}\n", re.MULTILINE) is not None


def environment_of(home: Path, model: Path, **more: str) -> dict[str, str]:
    """What a reader's shell has: the commands of this environment, a home, the model."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR", "OMP_NUM_THREADS") if name in os.environ}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    own = {"HOME": str(home), "PATH": path, "PYTHONPATH": str(ROOT), "SCENESCORE_MODEL": str(model), "COLUMNS": "120"}
    return {**kept, **own, "GITHUB_STEP_SUMMARY": str(home / "summary.md"), **more}
