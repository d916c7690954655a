"""Seeing contradictions: two descriptions of one scene, compared slot by slot on the token vectors of one encoder pass.

`read_text(text, tokens)` makes of a text and its token vectors (`TextEncoder.read`, layers `LAYERS`) what `judge` compares.
"""

from handler.claims._contract import Claim, Judgement, Kind, Note, Span, Verdict
from handler.claims._edits import REWRITE_KINDS, Edit, false_versions, rewrites
from handler.claims._entailment import EntailmentModel, contradiction_probabilities, with_entailment
from handler.claims._judge import DEFAULT_THRESHOLD, judge
from handler.claims._reading import Reading, read_text
from handler.claims._tables import fingerprint
from handler.claims._vectors import LAYERS

__all__ = [
    "DEFAULT_THRESHOLD",
    "LAYERS",
    "REWRITE_KINDS",
    "Claim",
    "Edit",
    "EntailmentModel",
    "Judgement",
    "Kind",
    "Note",
    "Reading",
    "Span",
    "Verdict",
    "contradiction_probabilities",
    "false_versions",
    "fingerprint",
    "judge",
    "read_text",
    "rewrites",
    "with_entailment",
]
