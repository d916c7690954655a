"""Seeing contradictions: two descriptions of one scene, compared slot by slot on the token vectors of one encoder pass."""

from handler.claims._contract import Claim, Judgement, Kind, Note, Span, Verdict

__all__ = ["Claim", "Judgement", "Kind", "Note", "Span", "Verdict"]
