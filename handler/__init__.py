"""scenescore: how far can the words of a vision-language model be trusted?

`evaluate`, `create_evaluator`, `calibrate` and `compare` are imported on first use, so that importing the package stays
cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from handler.lazily import exported

if TYPE_CHECKING:
    from handler.decisions.comparison import compare as compare
    from handler.evaluation import calibrate as calibrate
    from handler.evaluation import create_evaluator as create_evaluator
    from handler.evaluation import evaluate as evaluate

__all__ = ["calibrate", "compare", "create_evaluator", "evaluate"]

__getattr__ = exported(
    __name__, {"decisions.comparison": "compare", "evaluation": "calibrate create_evaluator evaluate"}
)
