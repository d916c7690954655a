"""POPE question sets: about objects that are there, and about objects that are not, chosen in three ways."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from handler.counting import many
from handler.errors import RequestError
from handler.questions._objects import Picture

__all__ = ["SAMPLINGS", "TEMPLATE", "Sampling", "co_occurrence", "pope_questions"]

Sampling = Literal["random", "popular", "adversarial"]
SAMPLINGS: tuple[Sampling, ...] = get_args(Sampling)
TEMPLATE = "Is there a {} in the image?"


def pope_questions(
    pictures: Sequence[Picture],
    sampling: Sampling,
    *,
    per_image: int = 3,
    n_images: int | None = None,
    seed: int = 0,
    template: str = TEMPLATE,
) -> list[dict[str, Any]]:
    """For each picture `per_image` questions about objects in it (label yes), each followed by one about an object that is
    not (label no).

    random: any object of the set. popular: the most frequent ones. adversarial: those seen most often together with the
    object just asked about. Pictures with fewer than `per_image` objects are left out; of the others `n_images` are drawn,
    all when None. One seed gives one set, and the same pictures whatever the sampling. Frequencies are over the drawn
    pictures, ties in alphabetical order. Raises RequestError when the pictures do not suffice.
    Source: Li et al., Evaluating Object Hallucination in Large Vision-Language Models (EMNLP 2023).
    """
    if "{}" not in template:
        raise RequestError("the template has no {} for the object", field="template")
    drawn = _draw(pictures, per_image, n_images, seed)
    frequency = Counter(name for picture in drawn for name in picture.objects)
    chooser = random.Random(f"{seed}/{sampling}")  # noqa: S311 - a sample that must be repeatable, no secret
    ranks = _ranks(drawn, frequency, sampling)
    questions: list[dict[str, Any]] = []
    for picture in drawn:
        absent = [name for name in sorted(frequency) if name not in picture.objects]
        if len(absent) < per_image:
            raise RequestError(
                f"{picture.image} holds nearly every object of the set: there are not {per_image} others to ask about",
                field="per_image",
                hint="Give more pictures, or ask about fewer objects",
            )
        for present in picture.objects[:per_image]:
            other = _absent(absent, ranks(present), chooser)
            absent.remove(other)
            for name, label in ((present, "yes"), (other, "no")):
                number = len(questions) + 1
                questions.append(
                    {
                        "question_id": number,
                        "image": picture.image,
                        "text": _worded(template, name),
                        "label": label,
                        "object": name,
                    }
                )
    return questions


def co_occurrence(pictures: Iterable[Picture]) -> dict[str, Counter[str]]:
    """{object: {other object: pictures that hold both}}."""
    counts: dict[str, Counter[str]] = {}
    for picture in pictures:
        for name in picture.objects:
            counts.setdefault(name, Counter()).update(other for other in picture.objects if other != name)
    return counts


def _draw(pictures: Sequence[Picture], per_image: int, n_images: int | None, seed: int) -> list[Picture]:
    fit = [picture for picture in pictures if len(picture.objects) >= per_image]
    wanted = len(fit) if n_images is None else n_images
    if not fit or wanted > len(fit):
        found = f"{len(fit)} of {many(len(pictures), 'picture')} with at least {many(per_image, 'object')}"
        raise RequestError(
            f"{found}, and {wanted or 1} needed",
            field="images",
        )
    if n_images is None:
        return fit
    return random.Random(seed).sample(fit, wanted)  # noqa: S311 - as above


def _ranks(
    pictures: Sequence[Picture], frequency: Mapping[str, int], sampling: Sampling
) -> Callable[[str], Sequence[str]]:
    """A function: an object that is there -> the objects to prefer, best first."""
    if sampling == "random":
        return lambda _: ()
    if sampling == "popular":
        popular = _by_count(frequency)
        return lambda _: popular
    together = {name: _by_count(counts) for name, counts in co_occurrence(pictures).items()}
    return lambda present: together[present]


def _by_count(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))


def _absent(absent: Sequence[str], preferred: Iterable[str], chooser: random.Random) -> str:
    """The best of the preferred ones that can be asked about; where there is none, any."""
    free = set(absent)
    return next((name for name in preferred if name in free), None) or chooser.choice(absent)


def _worded(template: str, name: str) -> str:
    """The question; "a" before the object becomes "an" before a vowel. (POPE's own script changes every "a".)"""
    if name[:1].lower() in tuple("aeiou"):
        template = template.replace(" a {}", " an {}")
    return template.replace("{}", name)
