"""scenescore: how far can the words of a vision-language model be trusted?

`evaluate`, `calibrate` and `compare` are imported on first use, so that importing the package stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from handler.decisions.comparison import compare as compare
    from handler.evaluation import calibrate as calibrate
    from handler.evaluation import evaluate as evaluate

__all__ = ["calibrate", "compare", "evaluate"]


def __getattr__(name: str) -> Any:
    if name == "compare":
        from handler.decisions.comparison import compare

        return compare
    if name in __all__:
        from handler import evaluation

        return getattr(evaluation, name)
    raise AttributeError(f"module 'handler' has no attribute {name!r}")
