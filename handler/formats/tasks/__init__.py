"""Files of questions and of the answers to them: POPE, LLaVA, lmms-eval, VLM2-Bench, gated sequences, VQA v2."""

from handler.formats.tasks._layouts import Layout, layout_of
from handler.formats.tasks._plan import QUESTION_FORMATS, Plan, plan_files, plan_items
from handler.formats.tasks._records import read_items, read_plan
from handler.formats.tasks._stream import listed_items

__all__ = [
    "QUESTION_FORMATS",
    "Layout",
    "Plan",
    "layout_of",
    "listed_items",
    "plan_files",
    "plan_items",
    "read_items",
    "read_plan",
]
