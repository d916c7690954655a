"""Numbers and attributes bound to the nouns they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from handler.claims._slot_types import Attribute, Predicate, Quantity
from handler.claims._tagging import BE, Class, Tagged
from handler.claims._word_lists import word_lists

__all__ = ["attributes", "modifiers", "quantities"]

PERSONS = frozenset("nobody somebody someone anybody anyone everybody everyone".split())
_REACH = 5  # words between a number or an attribute and its noun
_ADJECTIVAL = frozenset({"colour", "size", "age", "shape", "weather"})  # families whose words are no things themselves
_PARTITIVE = frozenset("of the a an these those his her its their other more".split())


def quantities(tagged: Tagged) -> tuple[Quantity, ...]:
    """Numbers, quantifiers and, where nothing else counts a noun, its article."""
    found: list[Quantity] = []
    counting = word_lists().counting
    for i, word in enumerate(tagged.lower):
        if word not in counting and not word[0].isdigit():
            continue
        counts = _counts(tagged, i)
        if counts is None:
            continue
        low, high, share = _bounded(tagged, i, counts)
        head = i if word in PERSONS else counted_noun(tagged, i)
        if head is not None and tagged.lower[head] in word_lists().attributes and word == "one":
            head = None
        if head is None and word in word_lists().quantifiers["counted_alone"]:
            head = _subject(tagged, i)
        if word == "no":
            head = i + 1
        if head is not None or word not in ("all", "each", "every"):
            found.append(Quantity(i, low, high, head, share))
    counted = {one.head for one in found}
    for i, word in enumerate(tagged.lower):
        if word in ("someone", "somebody"):
            found.append(Quantity(i, 1, inf, i, implied=True))
        if word in ("a", "an", "another") and (head := _single(tagged, i)) is not None and head not in counted:
            found.append(Quantity(i, 1, 1, head, implied=True))
    return tuple(found)


def _single(tagged: Tagged, article: int) -> int | None:
    """The singular noun of an article; None for "a few dogs", "a group of dogs"."""
    head = counted_noun(tagged, article)
    if head is None or tagged.lower[head] != tagged.lemma[head] or tagged.lower[head] == "people":
        return None
    between = range(article + 1, head)
    if any(tagged.kind[j] is not Class.OPEN for j in between) or tagged.lower[head] in word_lists().quantifiers["some"]:
        return None
    return head


def _counts(tagged: Tagged, i: int) -> tuple[float, float, str] | None:
    """Least and greatest count and the share that a word stands for; None when it counts nothing."""
    lists, word, kinds = word_lists(), tagged.lower[i], tagged.kind
    before = tagged.lower[i - 1] if i else ""
    after = tagged.lower[i + 1] if i + 1 < len(tagged) else ""
    if word == "nobody" or (word == "no" and after == "one"):
        return None if "else" in tagged.lower[i + 1 : i + 3] else (0, 0, "none")
    if word == "half":
        return (1, inf, "some") if after in ("of", "the") else None
    if word == "few":
        return (2, 10, "") if before == "a" else None
    if word == "dozen" and (before == "half" or (before == "a" and i > 1 and tagged.lower[i - 2] == "half")):
        return 6, 6, ""
    if word == "number" and before == "a" and after == "of":
        return 3, inf, ""
    if word == "one":
        if after == "of":
            return 1, 1, "some"
        plain = kinds[i - 1] not in (Class.DETERMINER, Class.OPEN) if i else True
        return (1, 1, "") if plain and before not in ("no", "the", "every") and after != "another" else None
    if word == "both":
        return None if "and" in tagged.lower[i + 1 : i + 7] else (2, 2, "all")
    if word in ("neither", "none"):
        return 0, 0, "none"
    if word in ("all", "every", "each") and after != "other":
        return inf, inf, "all"
    if word in lists.numbers and word != "both":
        return lists.numbers[word], lists.numbers[word], ""
    if word in lists.quantifiers["several"]:
        return 3, inf, ""
    if word in lists.quantifiers["crowd"] and after == "of":
        return 10, inf, ""
    counted = tagged.kind[i + 2] is Class.NUMBER if i + 2 < len(tagged) else False  # a group of five
    if word in lists.quantifiers["some"] and after == "of" and not counted:
        return 2, inf, ""
    return _digits(word)


def _bounded(tagged: Tagged, i: int, counts: tuple[float, float, str]) -> tuple[float, float, str]:
    """More than ten, at least three, about a dozen: the counts that the words before a plain number allow."""
    low, high, share = counts
    if low != high or share:
        return counts
    bounds = word_lists().bounds
    before = tagged.lower[max(0, i - 2) : i]
    bound = bounds.get(" ".join(before)) or (bounds.get(before[-1]) if before else None)
    spread = {
        "above": (low + 1, inf),
        "from": (low, inf),
        "below": (0, high - 1),
        "to": (0, high),
        "near": (low * 0.7, high * 1.3),
    }
    return (*spread[bound], share) if bound else counts


def _digits(word: str) -> tuple[float, float, str] | None:
    if not word[0].isdigit() or not word[-1].isdigit() or not word.isascii():
        return None
    try:
        value = float(word.replace(",", ""))
    except ValueError:
        return None
    return (value, value, "") if value < 1e15 else None


def counted_noun(tagged: Tagged, i: int) -> int | None:
    """The noun that the word at i counts or qualifies: the head of the noun phrase that follows."""
    head = None
    for j in range(i + 1, min(len(tagged), i + 1 + _REACH)):
        if tagged.lower[j] in _PARTITIVE and head is None:
            continue
        if tagged.kind[j] is Class.NUMBER and head is None:
            continue
        if tagged.kind[j] is not Class.OPEN or (tagged.pos[j] == "v" and not _participle(tagged, j)):
            break
        if tagged.pos[j] == "n":
            head = j
        elif head is not None and not (j + 1 < len(tagged) and tagged.pos[j + 1] == "n"):
            break
    return head


def _participle(tagged: Tagged, j: int) -> bool:
    """parked cars, smiling women: before a noun it qualifies."""
    word = tagged.lower[j]
    if j + 1 >= len(tagged) or tagged.pos[j + 1] != "n":
        return False
    inside = j > 0 and (tagged.kind[j - 1] in (Class.DETERMINER, Class.NUMBER) or tagged.pos[j - 1] == "a")
    return word.endswith(("ed", "en")) or (word.endswith("ing") and inside)


def _subject(tagged: Tagged, i: int) -> int | None:
    """The first noun of the word's clause, where it stands before the verb."""
    clause = (j for j in range(i) if tagged.clause[j] == tagged.clause[i] and tagged.pos[j] in ("n", "v"))
    first = next(clause, None)
    return first if first is not None and tagged.pos[first] == "n" else None


def attributes(tagged: Tagged, verbs: Sequence[Predicate]) -> tuple[Attribute, ...]:
    """Listed attributes: a red car, a car that is red, dressed in red."""
    found = []
    listed = word_lists().attributes
    for i, word in enumerate(tagged.lower):
        for family, values in listed.get(word, ()):
            if tagged.kind[i] is not Class.OPEN or not _attributive(tagged, i, family):
                continue
            head = _qualified(tagged, i)
            if head is None or head == i:
                head = _described(tagged, i, verbs)
            found.append(Attribute(i, family, values, head))
    return tuple(found)


def _attributive(tagged: Tagged, i: int, family: str) -> bool:
    """Whether a listed word is meant as the attribute: glass in "a glass door", not in "a glass of water"."""
    following = tagged.pos[i + 1] if i + 1 < len(tagged) else ""
    if family in ("material", "order", "pattern", "side"):
        return following in ("n", "a")
    if tagged.lower[i] in ("dark", "fair", "golden", "plain", "pale", "light"):
        part = following == "a" and tagged.lower[i + 1].endswith("ed")  # fair-haired
        return part or (following == "n" and tagged.lower[i + 1] not in word_lists().attributes)
    if family == "colour":
        return not (
            tagged.lower[i] == "orange" and tagged.lower[i - 1] in ("an", "the") and following not in ("n", "a")
        )
    if family == "daytime":
        return True
    return tagged.pos[i] == "a" or following == "n"


def _qualified(tagged: Tagged, i: int) -> int | None:
    """The noun after an attribute, over further attributes: a red and blue striped shirt."""
    head = None
    for j in range(i + 1, min(len(tagged), i + 1 + _REACH)):
        word = tagged.lower[j]
        kinds = word_lists().attributes.get(word, ())
        if head is None and kinds and (kinds[0][0] in _ADJECTIVAL or not _last_of_phrase(tagged, j)):
            continue
        joins = word in ("and", "or", ",") and j + 1 < len(tagged) and tagged.lower[j + 1] in word_lists().attributes
        if head is None and joins:
            continue
        if tagged.pos[j] == "n":
            head = j
        elif head is not None or tagged.pos[j] != "a":
            break
    return head


def _last_of_phrase(tagged: Tagged, j: int) -> bool:
    return j + 1 >= len(tagged) or tagged.pos[j + 1] not in ("n", "a")


def _described(tagged: Tagged, i: int, verbs: Sequence[Predicate]) -> int | None:
    """The noun that a predicate attribute describes: the subject of its clause's verb, or the nearest noun before."""
    nouns = [j for j in range(i) if tagged.pos[j] == "n" and tagged.clause[j] == tagged.clause[i]]
    if not nouns:
        return None
    linked = [
        j for j in range(max(0, i - 4), i) if tagged.lower[j] in BE or tagged.lemma[j] in ("look", "show", "turn")
    ]
    if linked:
        before = [j for j in nouns if j < linked[-1]]
        subject = next((one.agent for one in verbs if one.agent in before), None)
        return subject if subject is not None else _first_head(tagged, before)
    return nouns[-1]


def _first_head(tagged: Tagged, nouns: Sequence[int]) -> int | None:
    """The head of the first noun phrase."""
    for at, j in enumerate(nouns):
        if at + 1 == len(nouns) or nouns[at + 1] != j + 1:
            return j
    return None


def modifiers(tagged: Tagged) -> tuple[tuple[int, int], ...]:
    """Adjectives, participles and nouns before a noun, with that noun."""
    found = []
    for i, pos in enumerate(tagged.pos):
        noun = pos == "n" and i + 1 < len(tagged) and tagged.pos[i + 1] == "n"
        if noun or pos == "a" or (pos == "v" and _participle(tagged, i)):
            head = _qualified(tagged, i)
            if head is not None:
                found.append((i, head))
    return tuple(found)
