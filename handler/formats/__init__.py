"""Public file formats -> samples, one reader per format, chosen by content."""

from handler.formats._contract import Detection, Notices, Reader, ReadOptions, Source
from handler.formats._detect import FORMATS
from handler.formats._inspect import Inspection, TextLengths, inspect_records
from handler.formats._opening import SUFFIXES, stem_of
from handler.formats._places import LineMarks, Place
from handler.formats._plain import PlainObject, read_objects
from handler.formats._python import records_from_python
from handler.formats._reading import detect, open_descriptions, open_records, plan_of
from handler.formats._values import FieldError
from handler.formats.tasks import HOLDS, Plan, asked_by, is_video, plan_items, read_items, read_plan

__all__ = [
    "FORMATS",
    "HOLDS",
    "SUFFIXES",
    "Detection",
    "FieldError",
    "Inspection",
    "LineMarks",
    "Notices",
    "Place",
    "PlainObject",
    "Plan",
    "ReadOptions",
    "Reader",
    "Source",
    "TextLengths",
    "asked_by",
    "detect",
    "inspect_records",
    "is_video",
    "open_descriptions",
    "open_records",
    "plan_items",
    "plan_of",
    "read_items",
    "read_objects",
    "read_plan",
    "records_from_python",
    "stem_of",
]
