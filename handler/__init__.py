"""scenescore: how far can the words of a vision-language model be trusted?

`evaluate` is imported on first use, so that importing the package stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from handler.evaluation import evaluate as evaluate

__all__ = ["evaluate"]


def __getattr__(name: str) -> Any:
    if name == "evaluate":
        from handler.evaluation import evaluate

        return evaluate
    raise AttributeError(f"module 'handler' has no attribute {name!r}")
