"""Finding the exported model, or making it when this installation can."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from handler.errors import ModelError
from handler.settings import Settings, compact_folder, default_model_folder, has_model

__all__ = ["export", "model_folder"]

HOW_TO_INSTALL = "pip install 'scenescore[export]'"


def model_folder(wanted: Path | None, precision: str | None = None) -> Path:
    """The folder of the text encoder: the one named, else the default one, exported now if it is not there yet.

    A folder that somebody named and that holds nothing is a slip: nothing is written there. An int8 model, which takes
    minutes to make, is made only on request.
    """
    if wanted is not None:
        return wanted
    settings = Settings.from_environment()
    folder = settings.model
    if (precision or settings.precision) == "int8" and has_model(compact_folder(folder)):
        return folder
    if folder == default_model_folder() and not has_model(folder):
        print(f"scenescore: no exported model in {folder}; exporting all-mpnet-base-v2 once", file=sys.stderr)
        code = export(["mpnet", "--output", str(folder)], quiet=True)
        if code:
            raise ModelError(f"the export ended with exit code {code}", file=str(folder), hint="See the lines above")
    return folder


def export(arguments: list[str], *, quiet: bool = False) -> int:
    """Run `python -m model_export` as a child process: nothing at run time imports torch. Returns its exit code.

    quiet: its stdout goes to stderr, because ours is promised to something else.
    """
    if importlib.util.find_spec("model_export") is None or importlib.util.find_spec("optimum") is None:
        raise ModelError(
            "exporting a model needs the export extra, which is not installed",
            hint=f"Type: {HOW_TO_INSTALL} && scenescore export mpnet",
        )
    command = [sys.executable, "-m", "model_export", *arguments]
    stdout = sys.stderr if quiet else None
    return subprocess.run(command, check=False, stdout=stdout).returncode  # noqa: S603 - our own module, no shell
