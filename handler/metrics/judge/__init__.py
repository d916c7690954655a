"""An LLM judge against people."""

from handler.metrics.judge._agreement import JudgeAgreement
from handler.metrics.judge._grades import out_of, read_grade, shown
from handler.metrics.judge._quick import Agreement, agreement, cohen_kappa, krippendorff_alpha
from handler.metrics.judge._tally import JudgeTally

__all__ = [
    "Agreement",
    "JudgeAgreement",
    "JudgeTally",
    "agreement",
    "cohen_kappa",
    "krippendorff_alpha",
    "out_of",
    "read_grade",
    "shown",
]
