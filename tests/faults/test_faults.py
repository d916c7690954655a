"""A short run of the campaign, family by family; and that it finds faults which are put there on purpose."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.oracle import Expected, WrongError, expected_of, verify

ROOT = Path(__file__).parent.parent.parent
GROUPS = (("kill", "half_written", "full_disk"), ("death", "throttling", "lost_answers"))
GROUPS += (("slow_reads", "clock_jumps", "deliveries", "races"),)
N = 8

PLANTED = {
    # What was scored is not skipped when a run is carried on.
    "kill": "from handler.evaluation._book import Book; old = Book.restore\n"
    "def restore(self, state): old(self, state); self.n_records = 0\nBook.restore = restore",
    # Two workers at one job give their parts the same names.
    "races": "from types import SimpleNamespace\nfrom handler.reports import _parts\nfrom handler.jobs import _perform\n"
    "_parts.secrets = SimpleNamespace(token_hex=lambda n: 'same')\n"
    "old = _perform.claim\n"
    "_perform.claim = lambda first, output, seconds, **options: old(first, output, -1, **options)",
}


def campaign(*arguments: object, before: str = "") -> subprocess.CompletedProcess[str]:
    code = f"{before}\nimport sys\nfrom tests.faults.__main__ import main\nsys.exit(main())"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize("families", GROUPS, ids="-".join)
def test_nothing_is_lost_doubled_or_wrong(families):
    for family in families:
        found = campaign("--family", family, "--n", N, "--seed", 100)
        assert found.returncode == 0, found.stdout + found.stderr
        assert f"{family}: {N} runs" in found.stdout


@pytest.mark.parametrize("family", PLANTED)
def test_a_planted_fault_is_found_and_can_be_run_again(family):
    found = campaign("--family", family, "--n", 10, "--seed", 1, before=PLANTED[family])
    assert found.returncode == 1, found.stdout + found.stderr
    again = next(line for line in found.stdout.splitlines() if line.startswith("again:"))
    seed = again.split("--only ")[1].split()[0]
    once = campaign("--family", family, "--only", seed, before=PLANTED[family])
    assert (once.returncode, f"seed {seed}" in once.stdout) == (1, True)


ROWS = (b'{"index":0}\n', b'{"index":1}\n', b'{"index":2}\n')


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        (ROWS[:2], "1 lost, 0 doubled, 0 wrong"),
        ((*ROWS, ROWS[1]), "0 lost, 1 doubled, 0 wrong"),
        ((*ROWS[:2], b'{"index":9}\n'), "0 lost, 0 doubled, 1 wrong"),
        (ROWS[::-1], "another order"),
    ],
)
def test_the_oracle_counts(tmp_path, rows, verdict):
    (tmp_path / "samples.jsonl").write_bytes(b"".join(rows))
    (tmp_path / "errors.jsonl").write_bytes(b"")
    (tmp_path / "report.json").write_text('{"metrics": {"mean": 0.5}}')
    expected = Expected(b"".join(ROWS), b"", {"metrics": {"mean": 0.5}})
    with pytest.raises(WrongError, match=verdict):
        verify(str(tmp_path), expected)


def test_the_oracle_compares_reports_to_a_billionth(tmp_path):
    for name in ("samples.jsonl", "errors.jsonl"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "report.json").write_text('{"metrics": {"mean": 0.5}}')
    assert expected_of(str(tmp_path)).report == {"metrics": {"mean": 0.5}}
    verify(str(tmp_path), Expected(b"", b"", {"metrics": {"mean": 0.5 + 1e-10}}))
    for other in (0.5 + 1e-8, None, {"low": 0.5}):
        with pytest.raises(WrongError, match=r"report\.metrics"):
            verify(str(tmp_path), Expected(b"", b"", {"metrics": {"mean": other}}))
