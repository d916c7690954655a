"""The README's Python runs, and its sample output is what the terminal prints."""

from __future__ import annotations

import re

import pytest

from handler.cli import main
from tests.conftest import EXAMPLE, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


@pytest.mark.model
@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_python_blocks_run(model, number):
    assert "assert " in BLOCKS[number]
    exec(compile(BLOCKS[number], f"README.md block {number + 1}", "exec"), {"__name__": "readme"})


@pytest.mark.model
def test_the_sample_output_is_real(model, tmp_path, capsys):
    shown = re.search(r"^```\n(entrance\.json: .*?)^```", README, re.DOTALL | re.MULTILINE).group(1)
    assert main(["evaluate", str(EXAMPLE), "--output", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith(shown)
