"""Claims of `vision.claims` on a page: both texts with their words marked, the list beside them, a column of all frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from handler.reports.page._text import clean, escaped, isolated, tag

__all__ = ["CLAIMS", "ClaimColumn", "claim_list", "claims_of", "judged", "kinds_of", "marked_texts"]

CLAIMS = "vision.claims"
MAX_CLAIMS = 5  # of one frame in the table of all
MAX_MARKS = 100  # of one text
MAX_WORDS = 160  # characters of a claim's words
_SAYS_NOTHING = "says nothing of it"

Row = Mapping[str, Any]


class _Mark(NamedTuple):
    """Characters start..end of a text, in code points. label: what stands beside them, "" for a quiet mark."""

    start: int
    end: int
    kind: str = ""
    label: str = ""


def judged(row: Row) -> Row | None:
    """What the metric says about a row; None where it says nothing."""
    details: Row = row.get("metrics", {}).get(CLAIMS, {})
    return details if details.get("state") == "scored" else None


def claims_of(details: Row) -> list[Row]:
    """The claims, the surest first."""
    return list(details.get("claims") or ())


def kinds_of(details: Row) -> list[str]:
    """Each kind of claim once, that of the surest first."""
    return list(dict.fromkeys(str(claim["kind"]) for claim in claims_of(details)))


def marked_texts(details: Row, answer: str, references: Sequence[str], *, counted: int) -> tuple[str, list[str]]:
    """Answer and references as markup. counted: the place of the judged reference, which may lie beyond those shown.

    Spans count code points of the text as it was given. Texts that were cut for the report keep what of them is left.
    """
    answer_marks = [*_marks(details, "answer_spans"), *_quiet(details, "notes")]
    reference_marks = [*_marks(details, "reference_spans"), *_quiet(details, "omissions")]
    texts = [_marked(one, reference_marks if at == counted else []) for at, one in enumerate(references)]
    return _marked(answer, answer_marks), texts


def _marks(details: Row, key: str) -> Iterator[_Mark]:
    for number, claim in enumerate(claims_of(details), 1):
        kind = str(claim["kind"])
        for start, end in claim[key]:
            yield _Mark(start, end, kind, f"{number} {kind}")


def _quiet(details: Row, key: str) -> Iterator[_Mark]:
    for note in details.get(key) or ():
        for start, end in note["spans"]:
            yield _Mark(start, end)


def _marked(text: str, marks: Sequence[_Mark]) -> str:
    """The text with its marks; where some overlap, the first one counts."""
    kept = [one._replace(end=min(one.end, len(text))) for one in marks if 0 <= one.start < min(one.end, len(text))]
    kept = kept[:MAX_MARKS]
    edges = sorted({0, len(text), *(one.start for one in kept), *(one.end for one in kept)})
    runs = groupby(pairwise(edges), key=lambda edge: _at(kept, *edge))
    pieces = ((mark, [edge for pair in run for edge in pair]) for mark, run in runs)
    return "".join(_piece(text[places[0] : places[-1]], mark, places[-1]) for mark, places in pieces)


def _at(marks: Sequence[_Mark], start: int, end: int) -> _Mark | None:
    return next((one for one in marks if one.start <= start and end <= one.end), None)


def _piece(text: str, mark: _Mark | None, end: int) -> str:
    if mark is None:
        return escaped(text)
    if not mark.label:
        return tag("span", escaped(text), class_="open")
    label = {"data_label": mark.label} if end == mark.end else {}
    return tag("mark", escaped(text), data_kind=mark.kind, title=mark.kind, **label)


def claim_list(details: Row, sides: tuple[str, str]) -> str:
    """The claims with the words of both sides; what was left out or is left open quietly below."""
    items = "".join(_item(claim, sides) for claim in claims_of(details))
    parts = [tag("ol", items) if items else tag("p", "No claim.", class_="note")]
    for key, title in (("omissions", "Left out"), ("notes", "Not in the reference")):
        if words := ", ".join(isolated(str(one["words"])[:MAX_WORDS]) for one in details.get(key) or ()):
            parts.append(tag("p", f"{title}: {words}", class_="note"))
    return tag("div", "".join(parts), class_="claims")


def _item(claim: Row, sides: tuple[str, str]) -> str:
    said = " · ".join(
        f"{escaped(side)}: {isolated(text[:MAX_WORDS]) if text else _SAYS_NOTHING}"
        for side, text in zip(sides, (str(claim["answer"]), str(claim["reference"])), strict=True)
    )
    kind = str(claim["kind"])
    sure = "" if claim.get("confidence") is None else f" <small>confidence {claim['confidence']:.2f}</small>"
    return tag("li", f"{tag('span', escaped(kind), class_='kind', data_kind=kind)} {said}{sure}")


class ClaimColumn:
    """The claims of all frames on the page as columns, each distinct word once."""

    def __init__(self) -> None:
        self._kinds: dict[str, int] = {}
        self._words: dict[str, int] = {}
        self._claims: list[tuple[int, int, int, int]] = []
        self._more: dict[int, int] = {}

    def add(self, at: int, row: Row) -> None:
        """The claims of the frame at a place."""
        claims = claims_of(judged(row) or {})
        for claim in claims[:MAX_CLAIMS]:
            kind = self._kinds.setdefault(clean(str(claim["kind"]))[:MAX_WORDS], len(self._kinds))
            self._claims.append((at, kind, self._word(claim["answer"]), self._word(claim["reference"])))
        if len(claims) > MAX_CLAIMS:
            self._more[at] = len(claims) - MAX_CLAIMS

    def document(self) -> dict[str, Any]:
        """kinds, words: distinct texts. rows: place of the frame per claim, ascending; kind, answer, reference: which
        text. more: [places, claims of the frame that are not here]."""
        columns = [list(one) for one in zip(*self._claims, strict=True)] or [[], [], [], []]
        names = ("rows", "kind", "answer", "reference")
        return {
            "kinds": list(self._kinds),
            "words": list(self._words),
            **dict(zip(names, columns, strict=True)),
            "more": [list(self._more), list(self._more.values())],
        }

    def _word(self, text: Any) -> int:
        return self._words.setdefault(clean(str(text))[:MAX_WORDS], len(self._words))
