"""The slips that the mutation check makes, and what it leaves alone."""

from __future__ import annotations

import ast
import os
import textwrap
from pathlib import Path

import pytest

from tests.mutation import _running
from tests.mutation._coverage import Covered
from tests.mutation._mutants import mutants
from tests.mutation._running import changed, make_copy, outcome_of

ROOT = Path(__file__).parents[2]

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks")


def changed_to(source):
    return [one.applied(source) for one in mutants(source)]


@pytest.mark.parametrize(
    ("source", "slips"),
    [
        ("a < b", {"(a <= b)", "(a >= b)"}),
        ("a == b", {"(a != b)"}),
        ("a not in b", {"(a in b)"}),
        ("a is None", {"(a is not None)"}),
        ("b <= a < n", {"(b < a < n)", "(b > a < n)", "(b <= a <= n)", "(b <= a >= n)"}),
        ("a and b", {"(a or b)"}),
        ("not a", {"(a)"}),
        ("a + b", {"(a - b)"}),
        ("a // b", {"(a * b)"}),
        ("a += b", {"a -= b"}),
        ("True", {"False"}),
        ("0.5", {"(0.5 + 1)", "(0.5 - 1)"}),
        ("a[:n]", {"a[:(n + 1)]"}),
        ("range(n)", {"range((n - 1))"}),
        ("f(a) if done else b", {"f(a) if (not done) else b"}),
        ("for a in b:\n    break", {"for a in b:\n    continue"}),
        ("def f():\n    return a", {"def f():\n    return None"}),
    ],
)
def test_slips(source, slips):
    assert set(changed_to(source)) == slips


@pytest.mark.parametrize(
    "source",
    [
        '"""1 < 2"""',
        "a: Literal[1] = b",
        "def f(a: Literal[1]) -> Literal[2]:\n    pass",
        "@dataclass(frozen=True, order=True)\nclass A:\n    pass",
        "assert a < b",
        'raise Error("too long", limit=3)',
        "if TYPE_CHECKING:\n    a = 1",
        "zip(a, b, strict=True)",
        'f"{a + 1}"',
        '__all__ = ["a"] + b',
        "def f():\n    return None",
        "def f():\n    return",
    ],
)
def test_what_no_test_could_see_is_left_alone(source):
    assert changed_to(source) == []


def test_characters_of_many_bytes_move_nothing():
    assert changed_to('x = "はい", a < b') == ['x = "はい", (a <= b)', 'x = "はい", (a >= b)']


def test_every_mutant_of_the_rooms_is_a_program_and_another_one():
    for path in sorted((ROOT / "handler" / "statistics").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        before = ast.dump(ast.parse(source))
        assert all(ast.dump(ast.parse(text)) != before for text in changed_to(source))


def test_the_quickest_test_of_a_line_comes_first():
    covered = Covered({"a.py": {0: ["slow", "quick"], 3: ["slow"], 4: ["slow", "quick"]}}, {"slow": 2.0, "quick": 0.1})
    assert covered.tests("a.py", 4) == ["quick", "slow"]
    assert covered.tests("a.py", 3) == ["slow"]
    assert covered.tests("a.py", 1) == ["quick", "slow"]  # a line that runs at import
    assert covered.tests("b.py", 1) == []


def copied(tmp_path, files):
    """A small repository with these files, and the copy of it."""
    always = {
        "handler/__init__.py": "",
        "tests/__init__.py": "",
        "pyproject.toml": "[tool.pytest.ini_options]\nmarkers = ['full']\nfilterwarnings = ['error']\n",
    }
    for name, text in {**always, **files}.items():
        (tmp_path / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / name).write_text(textwrap.dedent(text))
    return make_copy(tmp_path / "root", tmp_path / "copy")


@forks
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # other tests' threads are none of the child's business
def test_a_slip_is_noticed_in_a_copy_and_gone_afterwards(tmp_path):
    sums = "def add(a, b):\n    return a + b\n\n\ndef sign(a):\n    return 1 if a > 0 else -1\n"
    checks = """
        from handler.sums import add, sign

        def test_add():
            assert add(2, 3) == 5

        def test_sign():
            assert sign(7) == 1
        """
    copy = copied(tmp_path, {"handler/sums.py": sums, "tests/test_sums.py": checks})
    path, log = copy / "handler" / "sums.py", tmp_path / "log"
    source = path.read_text()
    tests = ["tests/test_sums.py::test_add", "tests/test_sums.py::test_sign"]
    assert outcome_of(copy, tests, usual_s=1, log=log) == "survived", log.read_text()
    outcomes = {}
    for mutant in mutants(source):
        with changed(path, mutant.applied(source)):
            outcomes[mutant.line, mutant.text] = outcome_of(copy, tests, usual_s=1, log=log)
    assert path.read_text() == source
    assert outcomes[2, "(a - b)"] == outcomes[2, "None"] == "noticed"
    assert outcomes[6, "(a >= 0)"] == "survived"  # nobody asks for the sign of 0


@forks
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_that_cannot_start_is_no_find(tmp_path, monkeypatch):
    copy, log = copied(tmp_path, {"tests/test_one.py": "def test_one():\n    pass\n"}), tmp_path / "log"
    assert outcome_of(copy, ["tests/test_one.py::test_gone"], usual_s=1, log=log) == "never run"
    monkeypatch.setattr(_running, "_PRELOADED", (b"not a word",))
    with pytest.raises(RuntimeError, match="did not start"):
        outcome_of(copy, ["tests/test_one.py::test_one"], usual_s=1, log=log)


@forks
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_what_hangs_is_told_from_what_is_slow_and_from_what_was_killed(tmp_path, monkeypatch):
    checks = """
        import os, signal, time

        def test_loop():
            while True:
                pass

        def test_wait():
            time.sleep(3)

        def test_killed():
            os.kill(os.getpid(), signal.SIGKILL)
        """
    copy, log = copied(tmp_path, {"tests/test_ends.py": checks}), tmp_path / "log"
    monkeypatch.setattr(_running, "_START_S", 2)  # seconds of processor time
    outcomes = {
        name: outcome_of(copy, [f"tests/test_ends.py::test_{name}"], usual_s=0, log=log)
        for name in ("loop", "wait", "killed")
    }
    assert outcomes == {"loop": "hung", "wait": "survived", "killed": "hung"}
