"""What a metric can and cannot see in a team's own references: true versions against minimally edited false ones."""

from handler.doctor._examine import Examination, examine
from handler.doctor._file import DEFAULT_LIMIT, DEFAULT_METRICS, examine_file
from handler.doctor._pairs import Described, MadePair, Version, made_pairs
from handler.doctor._references import draw, read_references
from handler.doctor._terminal import render_examination
from handler.doctor._writing import check_output, write_pairs

__all__ = [
    "DEFAULT_LIMIT",
    "DEFAULT_METRICS",
    "Described",
    "Examination",
    "MadePair",
    "Version",
    "check_output",
    "draw",
    "examine",
    "examine_file",
    "made_pairs",
    "read_references",
    "render_examination",
    "write_pairs",
]
