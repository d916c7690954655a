"""What an installed package brings that running it never needs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

__all__ = ["trim"]

# Relative to the packages' folder; each checked by running an evaluation without it.
UNUSED = (
    "bin",
    "onnxruntime/transformers",
    "onnxruntime/quantization",
    "onnxruntime/tools",
    "onnxruntime/datasets",
    "onnxruntime/backend",
    # The C library for programs in other languages; the Python module has the runtime linked in.
    "onnxruntime/capi/libonnxruntime.so*",
    # For TensorRT only, which no session here asks for.
    "onnxruntime/capi/libonnxruntime_providers_tensorrt.so",
    # Where it was built, which is nobody's business and differs each time.
    "*.dist-info/direct_url.json",
    "*.dist-info/RECORD",
    "numpy/f2py",
    "numpy/_core/include",
    "numpy/_core/lib",
    "**/tests",
    "**/*.pyi",
    "**/*.pyx",
    "**/*.a",
    "**/*.c",
    "**/*.h",
    "**/__pycache__",
)
# Of the service descriptions that botocore brings, those that the product calls.
SERVICES = ("batch", "events", "s3", "sqs", "stepfunctions", "sts", "sso", "sso-oidc")


def trim(task: Path) -> None:
    """Remove what is unused, and symbols from the libraries where `strip` is installed."""
    for pattern in UNUSED:
        for path in sorted(task.glob(pattern)):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    for folder in (task / "botocore" / "data").iterdir():
        if folder.is_dir() and folder.name not in SERVICES:
            shutil.rmtree(folder)
    for path in (task / "boto3" / "data").iterdir():
        if path.is_dir() and path.name not in SERVICES:
            shutil.rmtree(path)
    strip = shutil.which("strip")
    if strip:
        for path in task.rglob("*.so*"):
            if path.is_file() and not path.is_symlink():
                subprocess.run([strip, "--strip-unneeded", "--preserve-dates", path], check=True)  # noqa: S603 - no shell
