"""From scores to decisions: thresholds that people's verdicts support, comparisons, gates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handler.lazily import exported

if TYPE_CHECKING:
    from handler.decisions._aims import AIMS, Aim, parse_aim
    from handler.decisions._calibration import CalibrationPlan, MetricFacts, calibration_of, unlabelled
    from handler.decisions._calibration_file import Calibration, read_calibration
    from handler.decisions._calibration_terminal import render_calibration
    from handler.decisions._probability import Probability
    from handler.decisions._suggest import Suggestion, label_studio_tasks, spreadsheet, suggest

__all__ = [
    "AIMS",
    "Aim",
    "Calibration",
    "CalibrationPlan",
    "MetricFacts",
    "Probability",
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

__getattr__ = exported(
    __name__,
    {
        "_aims": "AIMS Aim parse_aim",
        "_calibration": "CalibrationPlan MetricFacts calibration_of unlabelled",
        "_calibration_file": "Calibration read_calibration",
        "_calibration_terminal": "render_calibration",
        "_probability": "Probability",
        "_suggest": "Suggestion label_studio_tasks spreadsheet suggest",
    },
)
