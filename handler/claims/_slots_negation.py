"""Negators and what they negate."""

from __future__ import annotations

from handler.claims._tagging import Class, Tagged
from handler.claims._word_lists import word_lists

__all__ = ["negation"]

_REACH = 5  # words with a meaning of their own that one negator reaches


def negation(tagged: Tagged) -> tuple[dict[int, tuple[int, ...]], list[bool]]:
    """Negators with the words they reach, and per word whether an odd number of negators reaches it. An un- that negates
    (unlocked) counts as a negator of its own word."""
    scopes: dict[int, tuple[int, ...]] = {}
    negating = word_lists().negating
    for i, (word, lemma) in enumerate(zip(tagged.lower, tagged.lemma, strict=True)):
        if word in negating or lemma in negating:
            reached = _scope(tagged, i)
            if reached is not None:
                scopes[i] = reached
    negated = [lower != form for lower, form in zip(tagged.lower, tagged.form, strict=True)]
    for i, reached in scopes.items():
        for j in reached:
            if j != i:
                negated[j] = not negated[j]
    for i, differs in enumerate(negated):
        if differs and tagged.lower[i] != tagged.form[i]:
            scopes.setdefault(i, (i,))
    return dict(sorted(scopes.items())), negated


def _scope(tagged: Tagged, i: int) -> tuple[int, ...] | None:
    """What word i negates, None when it is no negator."""
    lists = word_lists().negation
    word, lemma = tagged.lower[i], tagged.lemma[i]
    following = tagged.lower[i + 1] if i + 1 < len(tagged) else ""
    if word == "not" and following in ("only", "just"):
        return None
    if word == "no" and following in ("doubt", "longer", ".", ","):
        return _after(tagged, i) if following == "longer" else None
    if word in lists["negators"] or lemma in lists["lacking"]:
        return _after(tagged, i)
    if word in lists["lacking_of"] and following == "of":
        return _after(tagged, i)
    if lemma in lists["failing"] and following == "to":
        return _after(tagged, i)
    if word == "missing" and i and tagged.kind[i - 1] is Class.DETERMINER and i + 1 < len(tagged):
        return (i + 1,) if tagged.pos[i + 1] == "n" else ()
    if word in lists["missing"] and not (word == "missing" and following in ("a", "an", "the", "his", "her", "its")):
        return _subject_before(tagged, i)
    if word == "missing":
        return _after(tagged, i)
    return None


def _after(tagged: Tagged, i: int) -> tuple[int, ...]:
    """The words after a negator, up to the end of its clause or the first preposition of place after what it negates."""
    found: list[int] = []
    clause_words = word_lists().function["clause"]
    places = word_lists().place_prepositions
    no_one = tagged.lower[i] == "no" and tagged.lower[i + 1 : i + 2] == ["one"]
    alone = no_one or tagged.lower[i] in word_lists().negation["pronouns"]
    for j in range(i + 1, len(tagged)):
        word = tagged.lower[j]
        joined = word in ("and", "or", ",") and 0 < len(found) < 3 and _noun_list(tagged, i, j)
        ends = (tagged.kind[j] is Class.MARK or word in clause_words) and not joined
        if ends or len(found) >= _REACH or (word in places and (found or alone)):
            break
        if tagged.pos[j] == "v" and any(tagged.pos[k] == "n" for k in found):
            break  # no shoes playing: the game is played
        if tagged.kind[j] is Class.OPEN:
            found.append(j)
    return tuple(found)


def _noun_list(tagged: Tagged, negator: int, joint: int) -> bool:
    """no cars or trucks: one negator for both; not when a clause of its own follows the joint."""
    if tagged.lower[joint] == "or":
        return True
    following = range(joint + 1, min(len(tagged), joint + 4))
    if following and tagged.kind[joint + 1] is Class.DETERMINER:
        return False
    return tagged.lower[negator] in ("no", "without", "of") and not any(tagged.pos[j] == "v" for j in following)


def _subject_before(tagged: Tagged, i: int) -> tuple[int, ...]:
    for j in range(i - 1, -1, -1):
        if tagged.kind[j] is Class.MARK:
            break
        if tagged.pos[j] == "n":
            return (j,)
    return ()
