"""An LLM judge against people."""

from handler.metrics.judge._agreement import JudgeAgreement
from handler.metrics.judge._grades import has_decimal_comma, out_of, read_grade, shown, verdict_of
from handler.metrics.judge._quick import Agreement, agreement, cohen_kappa, krippendorff_alpha
from handler.metrics.judge._tally import JudgeTally

__all__ = [
    "Agreement",
    "JudgeAgreement",
    "JudgeTally",
    "agreement",
    "cohen_kappa",
    "has_decimal_comma",
    "krippendorff_alpha",
    "out_of",
    "read_grade",
    "shown",
    "verdict_of",
]
