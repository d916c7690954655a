"""From scores to decisions: thresholds that people's verdicts support, comparisons, gates."""

from handler.decisions._aims import AIMS, Aim, parse_aim
from handler.decisions._calibration import CalibrationPlan, MetricFacts, calibration_of, unlabelled
from handler.decisions._calibration_file import Calibration, read_calibration
from handler.decisions._calibration_terminal import render_calibration
from handler.decisions._suggest import Suggestion, label_studio_tasks, spreadsheet, suggest

__all__ = [
    "AIMS",
    "Aim",
    "Calibration",
    "CalibrationPlan",
    "MetricFacts",
    "Suggestion",
    "calibration_of",
    "label_studio_tasks",
    "parse_aim",
    "read_calibration",
    "render_calibration",
    "spreadsheet",
    "suggest",
    "unlabelled",
]
