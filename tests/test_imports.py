"""Doors stay light: importing one loads no model, no web framework and no AWS SDK."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {
    "torch",
    "transformers",
    "optimum",
    "sentence_transformers",
    "onnxruntime",
    "tokenizers",
    "fastapi",
    "mangum",
    "boto3",
}


def modules_after(code):
    listing = f"{code}; import sys; print(' '.join(sorted({{name.split('.')[0] for name in sys.modules}})))"
    return set(
        subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True).stdout.split()
    )


def test_terminal_and_function_load_nothing_heavy():
    assert not modules_after("import handler.cli, handler.lambda_handler") & (HEAVY | {"numpy", "pydantic"})


def test_the_python_doors_load_no_model_library():
    assert not modules_after("import handler.vision; from handler import evaluate") & HEAVY


def test_importing_the_terminal_is_quick():
    """The budget is instructions read, not seconds: few modules beyond the interpreter's own."""
    ours = modules_after("import handler.cli") - modules_after("pass")
    assert len(ours) < 40, sorted(ours)
