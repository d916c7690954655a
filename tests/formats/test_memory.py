"""Large files cost flat memory, and the speed that the product's budget needs."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

N = 200_000
CHILD = """
import sys, time
from handler.formats import Notices, ReadOptions, open_records
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
def read(path):
    return sum(1 for _ in open_records(path, ReadOptions(), Notices()))
read(sys.argv[1]); before = peak(); started = time.process_time()
n = read(sys.argv[2])
print(n, peak() - before, time.process_time() - started)
"""
# The duplicate check's hashes take about 20 MB at 200,000 ids; windows, chunks and the allocator the rest.
MOST_KIB = 48 * 1024

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")


def frame(n: int) -> dict[str, Any]:
    text = f"A person number {n} is standing near the main entrance of the building, and a dog waits beside them."
    return {"qa_id": f"frame_{n:07d}", "assistant": text, "ground_truth_assistant": text[::-1]}


def write(path: Path, start: str, join: str, end: str, items: Iterable[Any]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for n, item in enumerate(items):
            file.write((join if n else start) + json.dumps(item))
        file.write(end)


def measured(small: Path, large: Path) -> tuple[int, int, float]:
    root = Path(__file__).parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(small), str(large)], capture_output=True, text=True, check=True, cwd=root
    )
    n, kib, seconds = done.stdout.split()
    return int(n), int(kib), float(seconds)


@pytest.mark.parametrize(
    ("start", "join", "end"),
    [
        ("", "\n", "\n"),
        ("[", ", ", "]"),
        ('{"session_id": "s", "assistant_id": "m", "language": "english", "conversation": [', ", ", "]}"),
        ('[{"session_id": "s", "assistant_id": "m", "language": null, "conversation": [', ",\n", "]}]"),
    ],
    ids=["lines", "list", "one session", "list of one session"],
)
def test_memory_is_flat(tmp_path: Path, start: str, join: str, end: str) -> None:
    small, large = tmp_path / "small.json", tmp_path / "large.json"
    write(small, start, join, end, map(frame, range(3000)))
    write(large, start, join, end, map(frame, range(N)))
    n, kib, _ = measured(small, large)
    assert n == N
    assert kib < MOST_KIB, f"{kib} KiB for a file of {large.stat().st_size // 1024} KiB"


def test_the_big_generated_file(tmp_path: Path, cases: Path) -> None:
    folder = cases / "11-awkward-annotations" / "big-file-generator"
    expected = json.loads((folder / "expected.json").read_text())
    small, big = tmp_path / "small.json", tmp_path / "big.json"
    for arguments in ([str(big)], [str(small), "2", "1650"]):
        subprocess.run([sys.executable, str(folder / "gen_big.py"), *arguments], check=True)
    assert hashlib.sha256(big.read_bytes()).hexdigest() == expected["sha256"]
    n, kib, seconds = measured(small, big)
    assert n == expected["interactions"]
    assert kib < MOST_KIB
    assert seconds < n / 60_000, "slower than the product's budget of 60,000 frames a second"
