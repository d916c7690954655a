"""Which tests run which line, and how long each takes: coverage with a context per test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


class Contexts:
    """A pytest plugin: names the coverage context after the test, and keeps the tests' times."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """What runs from here on is this test's: its fixtures as well."""
        import coverage

        measuring = coverage.Coverage.current()
        if measuring is not None:
            measuring.switch_context(nodeid)

    def pytest_runtest_logreport(self, report) -> None:
        """Add up set-up, call and end."""
        self._seconds[report.nodeid] = self._seconds.get(report.nodeid, 0.0) + report.duration

    def pytest_sessionfinish(self) -> None:
        """Write the times where the caller looks."""
        Path(os.environ["MUTATION_TIMES"]).write_text(json.dumps(self._seconds), encoding="utf-8")


@dataclass(frozen=True)
class Covered:
    """What the tests run of some files.

    lines: the tests by file and line; line 0 has every test that runs anything of the file. seconds: by test.
    """

    lines: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def tests(self, file: str, line: int) -> list[str]:
        """The tests that run a line, quickest first; what runs at import is everybody's who runs the file."""
        lines = self.lines.get(file, {})
        return sorted(lines.get(line) or lines.get(0, []), key=lambda test: self.seconds.get(test, 0.0))


def measure(root: Path, room: str, tests: list[str], data: Path) -> Covered:
    """Run the tests over handler/ROOM once, or read what an earlier run left in `data`."""
    times = data.parent / f"times-{room}.json"
    if not times.is_file():
        data.parent.mkdir(parents=True, exist_ok=True)
        options = ["--branch", f"--source=handler.{room}", f"--data-file={data}"]
        command = [sys.executable, "-m", "coverage", "run", *options, "-m", "tests.mutation._coverage"]
        command += ["-q", "-p", "no:cacheprovider", "-m", "not full", *tests]
        environment = {**os.environ, "MUTATION_TIMES": str(times), "PYTHONPATH": str(root)}
        done = subprocess.run(command, cwd=root, env=environment, check=False)
        if done.returncode:
            times.unlink(missing_ok=True)
            raise SystemExit("the tests fail before anything was changed")
    return _read(root, data, times)


def _read(root: Path, data: Path, times: Path) -> Covered:
    import coverage

    found = coverage.CoverageData(str(data))
    found.read()
    lines: dict[str, dict[int, list[str]]] = {}
    for file in found.measured_files():
        by_line = {line: [one for one in names if one] for line, names in found.contexts_by_lineno(file).items()}
        by_line[0] = sorted({one for names in by_line.values() for one in names})
        lines[str(Path(file).relative_to(root))] = by_line
    return Covered(lines, json.loads(times.read_text(encoding="utf-8")))


if __name__ == "__main__":
    import pytest

    raise SystemExit(pytest.main(sys.argv[1:], plugins=[Contexts()]))
