"""Who does what to whom: verbs with the heads of the noun phrases around them, in active and passive."""

from __future__ import annotations

from collections.abc import Mapping

from handler.claims._slot_types import Predicate, Role
from handler.claims._tagging import BE, Class, Tagged
from handler.claims._word_lists import word_lists

__all__ = ["governors", "predicates", "roles"]

_INSIDE = (Class.DETERMINER, Class.NUMBER, Class.ADVERB)


def governors(tagged: Tagged) -> dict[int, str]:
    """Heads of noun phrases that stand after a preposition, with that preposition."""
    found: dict[int, str] = {}
    for i, kind in enumerate(tagged.kind):
        if kind is Class.PREPOSITION and (head := phrase_head(tagged, i + 1)) is not None:
            before = tagged.lower[i - 1] if i else ""
            joined = tagged.lower[i] in ("to", "of", "from") and before in word_lists().joined_prepositions
            found.setdefault(head, before if joined else tagged.lower[i])
    return found


def phrase_head(tagged: Tagged, start: int) -> int | None:
    """The head of the noun phrase that begins at a word: its last noun."""
    head = None
    goes_on = word_lists().function["compounding"] | {"'s"}
    for j in range(start, len(tagged)):
        if tagged.pos[j] == "n":
            head = j
        elif not (_before_noun(tagged, j, start) if head is None else tagged.lower[j] in goes_on):
            break
    return head


def _before_noun(tagged: Tagged, j: int, start: int) -> bool:
    """Whether a word can stand in a noun phrase before its noun."""
    if tagged.kind[j] is Class.OPEN:
        return tagged.pos[j] == "a" or (j + 1 < len(tagged) and tagged.pos[j + 1] in ("n", "a"))
    return tagged.kind[j] in _INSIDE or (tagged.lower[j] == "of" and j > start)


def predicates(tagged: Tagged, governed: Mapping[int, str]) -> tuple[Predicate, ...]:
    """Verbs of the sentence, each with what stands around it."""
    found: list[Predicate] = []
    for verb, pos in enumerate(tagged.pos):
        if pos == "v" and not _qualifies(tagged, verb):
            found.append(_predicate(tagged, verb, governed, found))
    return tuple(found)


def _qualifies(tagged: Tagged, i: int) -> bool:
    """A participle inside a noun phrase (the parked car) is no verb of the clause."""
    word = tagged.lower[i]
    if i > 0 and word in word_lists().function["compounding"] and tagged.pos[i - 1] == "n":
        return i + 1 < len(tagged) and tagged.pos[i + 1] == "n"
    inside = i > 0 and (tagged.kind[i - 1] in (Class.DETERMINER, Class.NUMBER) or tagged.pos[i - 1] == "a")
    return inside and word.endswith(("ed", "ing", "en")) and i + 1 < len(tagged) and tagged.pos[i + 1] in ("n", "a")


def _predicate(tagged: Tagged, verb: int, governed: Mapping[int, str], before: list[Predicate]) -> Predicate:
    passive = _passive(tagged, verb)
    subject = _subject(tagged, verb, governed, before)
    first, second = _objects(tagged, verb)
    lemma = tagged.lemma[verb]
    lists = word_lists()
    by = _after(tagged, verb, "by", governed) if passive else None
    to, source = _after(tagged, verb, "to", governed), _after(tagged, verb, "from", governed)
    if passive:
        agent = by
        if first is not None and lemma in lists.giving:  # the defender is thrown the ball
            return Predicate(verb, agent, first, subject, agent, passive=True)
        given = lemma in lists.giving
        return Predicate(verb, agent, subject, to if given else None, agent if given else None, passive=True)
    if lemma in lists.giving and (to is not None or second is not None):
        if second is not None:  # hands the guard the keys
            return Predicate(verb, subject, second, first, subject)
        return Predicate(verb, subject, first, to, subject)
    if lemma in lists.receiving and source is not None:
        return Predicate(verb, subject, first, subject, source)
    if first is None:
        first = _stranded_object(tagged, verb, governed)
    return Predicate(verb, subject, first)


def _passive(tagged: Tagged, verb: int) -> bool:
    word = tagged.lower[verb]
    if word.endswith("ing"):
        return False
    i = verb - 1
    while i >= 0 and (tagged.kind[i] is Class.ADVERB or word == "not"):
        i -= 1
    if i >= 0 and tagged.lower[i] in BE:
        return True
    if not (word.endswith("ed") or (tagged.lemma[verb] != word and not word.endswith("s"))):
        return False
    following = tagged.lower[verb + 1 : verb + 3]
    return "by" in following and i >= 0 and tagged.pos[i] == "n"


def _subject(tagged: Tagged, verb: int, governed: Mapping[int, str], before: list[Predicate]) -> int | None:
    """The head of the noun phrase before the verb that no preposition governs; of a relative clause the noun that it
    qualifies; of a verb joined by "and", or of a participle, the subject of the verb before."""
    clause = tagged.clause[verb]
    start = next(i for i in range(verb + 1) if tagged.clause[i] == clause)
    inner = [one for one in before if tagged.clause[one.verb] == clause]
    since = inner[-1].verb + 1 if inner else start
    heads = [i for i in range(since, verb) if tagged.pos[i] == "n" and not (i + 1 < verb and tagged.pos[i + 1] == "n")]
    free = [i for i in heads if i not in governed]
    if tagged.lower[start] in ("who", "which", "that") and start > 0 and not free:
        return next((i for i in range(start - 1, -1, -1) if tagged.pos[i] == "n"), None)
    if inner:
        return inner[-1].patient if inner[-1].passive else inner[-1].agent
    if free:
        return free[0]
    if before and (tagged.lower[start] in ("and", "but", ",", "while", "then") or not heads):
        return before[-1].patient if before[-1].passive else before[-1].agent
    return None


def _objects(tagged: Tagged, verb: int) -> tuple[int | None, int | None]:
    """Up to two noun phrases right after the verb: hits the ball, gives the dog a bone."""
    start = verb + 1
    while start < len(tagged) and tagged.kind[start] is Class.ADVERB and tagged.clause[start] == tagged.clause[verb]:
        start += 1
    if start < len(tagged) and tagged.lower[start] in ("up", "down", "off", "on", "out") and start + 1 < len(tagged):
        start += tagged.kind[start + 1] is Class.DETERMINER and tagged.lower[start] != "on"
    first = _object_at(tagged, start, verb)
    if first is None:
        return None, None
    following = first + 1
    determined = following < len(tagged) and tagged.kind[following] in (Class.DETERMINER, Class.NUMBER)
    return first, _object_at(tagged, following, verb) if determined else None


def _object_at(tagged: Tagged, start: int, verb: int) -> int | None:
    if start >= len(tagged) or tagged.kind[start] in (
        Class.PREPOSITION,
        Class.MARK,
        Class.CONJUNCTION,
        Class.AUXILIARY,
    ):
        return None
    head = phrase_head(tagged, start)
    if head is not None and tagged.lower[head] in word_lists().quantifiers["some"] and head + 1 < len(tagged):
        inner = phrase_head(tagged, head + 2) if tagged.lower[head + 1] == "of" else None
        head = inner if inner is not None else head
    return head if head is not None and tagged.clause[head] == tagged.clause[verb] else None


def _after(tagged: Tagged, verb: int, preposition: str, governed: Mapping[int, str]) -> int | None:
    """The noun phrase that a preposition ties to the verb."""
    later = (i for i, word in governed.items() if i > verb and word == preposition)
    return next((i for i in later if tagged.clause[i] == tagged.clause[verb]), None)


def _stranded_object(tagged: Tagged, verb: int, governed: Mapping[int, str]) -> int | None:
    """points at a man: the noun after the verb's own preposition is what the verb is done to."""
    following = verb + 1
    if following < len(tagged) and tagged.lower[following] in ("at", "after", "to", "for"):
        return phrase_head(tagged, following + 1)
    return None


def roles(tagged: Tagged, verbs: tuple[Predicate, ...], governed: Mapping[int, str]) -> dict[int, str]:
    """Every noun's part in the sentence: a Role's value, else the preposition before it."""
    found: dict[int, str] = dict(governed)
    for one in verbs:
        for head, role in ((one.patient, Role.PATIENT), (one.agent, Role.AGENT)):
            if head is not None and (head not in governed or governed[head] == "by"):
                found[head] = role.value
    return found
