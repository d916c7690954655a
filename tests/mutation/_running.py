"""One mutant: its tests in a process of its own, in a copy of the repository, until the first that notices."""

from __future__ import annotations

import contextlib
import gc
import math
import os
import py_compile
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

_COPIED = ("handler", "model_export", "infra", "tests", "pyproject.toml", "README.md", "Makefile")
_PRELOADED = ("-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning")  # see preload
_START_S = 20  # of processor time for pytest to start; what takes longer than this and five times its usual time hangs
_BROKEN = 70  # exit status: the child's own failure
_KILLED = (-signal.SIGXCPU, -signal.SIGKILL)  # out of time or out of memory: no test said anything
_WAIT_S = 900.0  # for what hangs without using the processor


class Chosen:
    """A pytest plugin: only these tests, in this order."""

    def __init__(self, tests: list[str]) -> None:
        self._order = {test: number for number, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list) -> None:
        """Keep the chosen."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order), key=lambda item: self._order[item.nodeid]
        )


def make_copy(root: Path, folder: Path) -> Path:
    """What the tests need of the repository, in a folder where it may be damaged."""
    for name in _COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, folder / name)  # compiled files as well: what is unchanged stays compiled
        elif (root / name).is_file():
            shutil.copy2(root / name, folder / name)
    return folder


def preload() -> None:
    """Import what takes long and is not ours, once: every mutant's process is forked from this one."""
    import fastapi.testclient
    import hypothesis
    import numpy
    import onnxruntime
    import orjson
    import pydantic
    import rapidfuzz
    import tokenizers

    del fastapi, hypothesis, numpy, onnxruntime, orjson, pydantic, rapidfuzz, tokenizers


@contextlib.contextmanager
def changed(path: Path, text: str) -> Iterator[None]:
    """A file with another text, for as long as the block runs."""
    original = path.read_text(encoding="utf-8")
    compiled = Path(py_compile.compile(str(path), doraise=True) or "")
    try:
        path.write_text(text, encoding="utf-8")
        compiled.unlink()  # it may look as new as the file
        yield
    finally:
        path.write_text(original, encoding="utf-8")
        py_compile.compile(str(path), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)


def outcome_of(copy: Path, tests: list[str], *, usual_s: float, log: Path) -> str:
    """What the tests make of the copy as it is now: "noticed" when one fails, "hung", or "survived" when all pass.

    "never run" where the tests are gone. Raises RuntimeError when pytest does not start.
    """
    child = os.fork()
    if not child:
        _in_child(copy, tests, math.ceil(_START_S + 5 * usual_s), log)
    deadline = time.monotonic() + _WAIT_S
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return _outcome(code, log)
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "hung"
        time.sleep(0.02)


def _outcome(code: int, log: Path) -> str:
    if code == _BROKEN:
        raise RuntimeError(f"pytest did not start:\n{log.read_text(encoding='utf-8')[-4000:]}")
    if code in _KILLED:
        return "hung"
    return {0: "survived", 5: "never run"}.get(code, "noticed")  # 5: the slip renamed all these tests


def _in_child(copy: Path, tests: list[str], most_s: int, log: Path) -> None:
    code = _BROKEN
    gc.freeze()  # what came with the fork is no garbage, and looking through it would copy it page by page
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (most_s, most_s + 5))
        os.setpgid(0, 0)
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.chdir(copy)
        for name in [name for name in sys.modules if name.partition(".")[0] in ("handler", "tests", "model_export")]:
            del sys.modules[name]
        sys.path[:] = [str(copy), *sys.path]
        sys.dont_write_bytecode = True
        os.environ.update(PYTHONPATH=str(copy), PYTHONDONTWRITEBYTECODE="1")
        import pytest

        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not full", "--no-header", "--tb=line", *_PRELOADED]
        code = int(pytest.main([*options, *files], plugins=[Chosen(tests)]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
