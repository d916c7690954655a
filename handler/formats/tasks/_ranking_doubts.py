"""What only a run as a whole shows: that its ids are others than those of the qrels, or that the two files are swapped."""

from __future__ import annotations

from collections.abc import Mapping

from handler.formats._contract import Notices
from handler.formats._values import clip
from handler.formats.tasks._ranked import Ranking

__all__ = ["Doubts"]

_HIGHEST = 10  # grades in use go to 4; a higher one is a score more likely


class Doubts:
    """Looks at rankings one by one and speaks through the notices at their end."""

    def __init__(self, qrels: Mapping[str, Mapping[str, int]]) -> None:
        self._strange: dict[str, str | None] = {}
        self._high = any(grade > _HIGHEST for grades in qrels.values() for grade in grades.values())
        self._may_be_grades = False

    def look(self, run: str, ranking: Ranking, relevant: Mapping[str, int]) -> None:
        """Note whether a judged document was retrieved. relevant: {} for a query without judgements."""
        if self._high and ranking.scores:
            whole = all(score.is_integer() and score <= _HIGHEST for score in ranking.scores)
            self._may_be_grades, self._high = whole, whole
        if not ranking.documents or not relevant:
            return
        if any(document in relevant for document in ranking.documents):
            self._strange[run] = None
        else:
            one, judged = ranking.documents[0], next(iter(relevant))
            self._strange.setdefault(run, f"run {clip(run)!r}: {clip(one)!r} was retrieved, {clip(judged)!r} is judged")

    def tell(self, notices: Notices) -> None:
        """After the last ranking."""
        for example in self._strange.values():
            if example is not None:
                notices.add("nothing_judged", example)
        if self._may_be_grades:
            notices.add("looks_swapped", f"no score of the run is above {_HIGHEST}, and grades of the qrels are")
