"""Exit codes and files of gates and comparisons, from a shell."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT


def test_gates_from_a_shell(tmp_path):
    script = Path(__file__).with_name("gates.sh")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", str(script), sys.executable, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == ""
