"""The dense captioner: boxes, captions and object words of a picture, on NumPy and ONNX Runtime alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handler.lazily import exported

if TYPE_CHECKING:
    from handler.models.dense._captioner import CaptionOptions, DenseCaptioner
    from handler.models.dense._card import DenseCard
    from handler.models.dense._graphs import PROVIDERS, Provider
    from handler.models.dense._preprocess import INPUT_RULES, InputRule, check_frame

__all__ = [
    "INPUT_RULES",
    "PROVIDERS",
    "CaptionOptions",
    "DenseCaptioner",
    "DenseCard",
    "InputRule",
    "Provider",
    "check_frame",
]

__getattr__ = exported(
    __name__,
    {
        "_captioner": "CaptionOptions DenseCaptioner",
        "_card": "DenseCard",
        "_graphs": "PROVIDERS Provider",
        "_preprocess": "INPUT_RULES InputRule check_frame",
    },
)
