"""Detections of videos: decoded ahead, described by the dense captioner, kept as files and found again."""

from handler.detection._arrays import fields_of_array
from handler.detection._detector import Watcher, open_watcher
from handler.detection._finding import names_in
from handler.detection._look import BUDGET, Look, Seen, look_at
from handler.detection._rules import SAMPLING, resize_rule

__all__ = [
    "BUDGET",
    "SAMPLING",
    "Look",
    "Seen",
    "Watcher",
    "fields_of_array",
    "look_at",
    "names_in",
    "open_watcher",
    "resize_rule",
]
