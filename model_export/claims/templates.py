"""Pairs made by rule from sentence patterns of our own: who did what to whom, where things stand, who gave what."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from model_export.claims.pairs import Pair

__all__ = ["template_pairs"]

_SOMEBODY = (
    "man woman boy girl teacher doctor soldier clerk farmer visitor student child waiter nurse driver cyclist runner guard "
    "worker customer tourist painter cook dancer singer player coach policeman mechanic passenger postman neighbour"
).split()
_ANIMAL = "dog cat horse cow sheep bear goat bird monkey elephant wolf pig duck goose".split()
_VEHICLE = "car bus van truck taxi tractor motorcycle bicycle train tram boat".split()
_THING = (
    "chair lamp table box ball cup bottle plant bag bench tree sign clock vase statue book bucket tent basket suitcase "
    "umbrella ladder barrel helmet blanket shelf laptop cabinet crate mirror painting plate pot kettle"
).split()
# third person, past participle, -ing form
_DEEDS: tuple[tuple[str, ...], ...] = tuple(
    tuple(line.split())
    for line in (
        "kicks kicked kicking", "watches watched watching", "calls called calling", "hugs hugged hugging",
        "lifts lifted lifting", "drags dragged dragging", "greets greeted greeting", "grabs grabbed grabbing",
        "catches caught catching", "stops stopped stopping", "touches touched touching", "guides guided guiding",
        "leads led leading", "approaches approached approaching", "photographs photographed photographing",
        "washes washed washing", "chases chased chasing", "follows followed following", "carries carried carrying",
        "pushes pushed pushing", "pulls pulled pulling", "feeds fed feeding", "teaches taught teaching",
        "helps helped helping", "hits hit hitting", "bites bitten biting", "draws drawn drawing", "holds held holding",
    )
)  # fmt: skip
_ROAD: tuple[tuple[str, ...], ...] = (
    ("follows", "followed", "following"), ("passes", "passed", "passing"), ("overtakes", "overtaken", "overtaking"),
    ("blocks", "blocked", "blocking"), ("hits", "hit", "hitting"), ("tows", "towed", "towing"),
)  # fmt: skip
_WHERE = ("", "", "", "in the street", "near the door", "at the gate", "in the hall", "on the road", "in the field",
          "beside the wall", "under a tree", "at the station")  # fmt: skip
_LOOKS = ("", "", "", "tall ", "young ", "old ", "small ", "big ", "white ", "black ")
_RELATIONS = (
    ("to the left of", "to the right of"), ("above", "below"), ("in front of", "behind"), ("on top of", "under"),
    ("on the left side of", "on the right side of"), ("over", "beneath"), ("ahead of", "behind"),
)  # fmt: skip
_GIVING = (
    ("hands", "receives"), ("gives", "gets"), ("sends", "gets"), ("sells", "buys"), ("passes", "takes"),
    ("throws", "catches"), ("lends", "borrows"),
)  # fmt: skip
_GIFTS = "the ball|a book|a letter|the keys|a map|the bag|a parcel|the tray|a bottle|the phone".split("|")
N_ROLES, N_GIFTS, N_RELATIONS = 1200, 350, 600


def template_pairs(*, seed: int = 7) -> Iterator[Pair]:
    """About two thousand pairs, half of them contradictions; the same for the same seed."""
    random = Random(seed)  # noqa: S311 - repeatable, no secret
    for number in range(N_ROLES):
        yield _role(random, f"role-{number}")
    for number in range(N_GIFTS):
        yield _gift(random, f"gift-{number}")
    for number in range(N_RELATIONS):
        yield _relation(random, f"relation-{number}")


def _role(random: Random, group: str) -> Pair:
    """Active, passive, progressive and cleft forms of one event, told rightly or with the two exchanged."""
    if random.random() < 0.25:
        (first, second), deed = random.sample(_VEHICLE, 2), random.choice(_ROAD)
    else:
        pool = _SOMEBODY if random.random() < 0.6 else _SOMEBODY + _ANIMAL
        (first, second), deed = random.sample(pool, 2), random.choice(_DEEDS)
    determiner = random.choice(("the", "the", "a"))
    agent, patient = (_phrase(determiner, random.choice(_LOOKS) + noun) for noun in (first, second))
    where = random.choice(_WHERE)
    contradicts = random.random() < 0.5
    told = (patient, agent) if contradicts else (agent, patient)
    reference = _event(random, agent, patient, deed, where)
    answer = _event(random, *told, deed, where if random.random() < 0.8 else "")
    return Pair(answer, reference, contradicts, "role", group)


def _event(random: Random, agent: str, patient: str, deed: tuple[str, ...], where: str) -> str:
    simple, participle, progressive = deed
    told = random.choice(
        (
            f"{agent} {simple} {patient}", f"{agent} {simple} {patient}", f"{agent} is {progressive} {patient}",
            f"{patient} is {participle} by {agent}", f"{patient} is being {participle} by {agent}",
            f"{patient} gets {participle} by {agent}",
        )
    )  # fmt: skip
    if where and random.random() < 0.25:
        return _sentence(f"{where}, {told}")
    return _sentence(f"{told} {where}".strip())


def _gift(random: Random, group: str) -> Pair:
    giver, receiver = random.sample(_SOMEBODY, 2)
    (gives, gets), gift = random.choice(_GIVING), random.choice(_GIFTS)
    right = (
        f"the {giver} {gives} {gift} to the {receiver}",
        f"the {giver} {gives} the {receiver} {gift}",
        f"the {receiver} {gets} {gift} from the {giver}",
    )
    wrong = (
        f"the {receiver} {gives} {gift} to the {giver}",
        f"the {receiver} {gives} the {giver} {gift}",
        f"the {giver} {gets} {gift} from the {receiver}",
    )
    contradicts = random.random() < 0.5
    reference = random.choice(right)
    answers = wrong if contradicts else [one for one in right if one != reference]
    return Pair(_sentence(random.choice(answers)), _sentence(reference), contradicts, "role", group)


def _relation(random: Random, group: str) -> Pair:
    """Where one thing stands from another: said again from the other side, or wrongly."""
    thing, other = random.sample(_THING, 2)
    relation, converse = random.choice(_RELATIONS)
    if random.random() < 0.5:
        relation, converse = converse, relation
    stands = random.choice(("is", "stands", "sits", "is placed", "can be seen"))
    first, second = _phrase(random.choice(("the", "a")), thing), _phrase("the", other)
    reference = _sentence(f"{first} {stands} {relation} {second}")
    contradicts = random.random() < 0.5
    if contradicts:
        answers = (
            f"{second} {stands} {relation} {first}", f"{first} {stands} {converse} {second}",
            f"{first} is {converse} {second}", f"{converse} {second} there is {first}",
        )  # fmt: skip
    else:
        answers = (
            f"{second} {stands} {converse} {first}", f"{first} is {relation} {second}",
            f"there is {first} {relation} {second}", f"{relation} {second} there is {first}",
        )  # fmt: skip
    return Pair(_sentence(random.choice(answers)), reference, contradicts, "direction", group)


def _phrase(determiner: str, noun: str) -> str:
    return f"an {noun}" if determiner == "a" and noun[0] in "aeiou" else f"{determiner} {noun}"


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
