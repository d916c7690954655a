"""`scenescore questions`: build the question sets that `scenescore evaluate --questions` reads."""

from __future__ import annotations

import argparse

from handler import storage
from handler.cli._options import assignment
from handler.counting import many
from handler.errors import RequestError
from handler.questions import (
    SAMPLINGS,
    TEMPLATE,
    Sampling,
    pope_questions,
    read_pictures,
    read_sequences,
    sequence_questions,
    write_lines,
)

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's two kinds of set."""
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", title="kinds", required=True)
    pope = kinds.add_parser("pope", help="yes/no questions about objects that are there and objects that are not")
    pope.add_argument("input", metavar="OBJECTS", help="COCO instances JSON, or objects with image and objects")
    pope.add_argument(
        "--sampling", default=",".join(SAMPLINGS), metavar="a,b", help="how absent objects are chosen (all)"
    )
    pope.add_argument("--per-image", type=int, default=3, metavar="N", help="objects asked about, of each sort (3)")
    pope.add_argument("--images", type=int, metavar="N", help="pictures to draw (all that have enough objects)")
    pope.add_argument("--template", default=TEMPLATE, help="the question, {} for the object")
    pope.add_argument("--name", default="", help="what the files' names begin with (the input's name)")
    _common(pope)
    sequences = kinds.add_parser(
        "sequences", help="a coarse question and fine-grained ones, from a table of attributes"
    )
    sequences.add_argument(
        "input", metavar="TABLE", help="a row an image: sequence_id, object, identity, colour, text, …"
    )
    sequences.add_argument(
        "--template",
        action="append",
        default=[],
        metavar="ATTRIBUTE=TEXT",
        help="the question about an attribute, with {object}, {place} and {value}; repeatable",
    )
    _common(sequences)


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="one seed gives one set (0)")
    parser.add_argument("--output", default=".", metavar="DIR", help="folder or s3:// prefix for the files (.)")


def run(options: argparse.Namespace) -> int:
    """Write the sets and say what to do with them."""
    if options.kind == "pope":
        return _pope(options)
    templates = dict(assignment(one, "--template") for one in options.template)
    sequences = list(sequence_questions(read_sequences(options.input), seed=options.seed, templates=templates))
    location = storage.join(options.output, f"{_stem(options.input)}_sequences.jsonl")
    write_lines(location, sequences)
    n_fine = sum(len(one["fine"]) for one in sequences)
    print(f"{location}: {many(len(sequences), 'sequence')}, {many(n_fine, 'fine-grained question')}")
    print('Answers: one line a sequence, {"sequence_id": …, "coarse": "…", "fine": ["…", …]}')
    print(f"Next: scenescore evaluate ANSWERS --questions {location}")
    return 0


def _pope(options: argparse.Namespace) -> int:
    if options.per_image < 1 or (options.images is not None and options.images < 1):
        raise RequestError("--per-image and --images must be at least 1", field="per_image")
    pictures = read_pictures(options.input)
    locations = []
    for sampling in options.sampling.split(","):
        questions = pope_questions(
            pictures,
            _known(sampling),
            per_image=options.per_image,
            n_images=options.images,
            seed=options.seed,
            template=options.template,
        )
        name = f"{options.name or _stem(options.input)}_pope_{sampling}.json"
        locations.append(storage.join(options.output, name))
        write_lines(locations[-1], questions)
        n_images = len({one["image"] for one in questions})
        print(f"{locations[-1]}: {many(len(questions), 'question')} about {many(n_images, 'picture')}")
    print('Answers: one line a question, {"question_id": …, "answer": "…"}')
    print(f"Next: scenescore evaluate ANSWERS --questions {locations[0]}")
    return 0


def _known(word: str) -> Sampling:
    for sampling in SAMPLINGS:
        if word == sampling:
            return sampling
    raise RequestError(f"there is no sampling {word!r}", field="sampling", hint=f"It has: {', '.join(SAMPLINGS)}")


def _stem(location: str) -> str:
    return storage.name_of(location).removesuffix(".gz").rsplit(".", 1)[0]
