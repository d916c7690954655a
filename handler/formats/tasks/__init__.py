"""Files of tasks other than description: answers, and the questions, references or relevance they are joined with."""

from handler.formats.tasks._forms import form_of
from handler.formats.tasks._kinds import HOLDS, TASK_FORMATS
from handler.formats.tasks._layout import Layout
from handler.formats.tasks._layouts import layout_of
from handler.formats.tasks._plan import Plan, plan_files, plan_items
from handler.formats.tasks._records import read_items, read_plan
from handler.formats.tasks._stream import listed_items
from handler.formats.tasks._video_names import is_video
from handler.formats.tasks._videos import asked_by

__all__ = [
    "HOLDS",
    "TASK_FORMATS",
    "Layout",
    "Plan",
    "asked_by",
    "form_of",
    "is_video",
    "layout_of",
    "listed_items",
    "plan_files",
    "plan_items",
    "read_items",
    "read_plan",
]
