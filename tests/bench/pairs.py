"""Texts for timing, made of word lists: 7 to 13 tokens as the model counts them, 10 on average."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

WHO = ["A man", "Two women", "A guard", "A child", "A driver", "Nobody", "A cyclist", "An old woman"]
WHAT = ["walks past", "waits at", "leaves a bag beside", "looks at", "runs away from"]
WHERE = ["the entrance", "the loading dock", "gate 4", "the parking lot", "a red van"]
HOW = ["", " at night", " in the rain", " with a ladder"]
COLOURS = ["red", "green", "blue", "white", "black", "grey", "brown", "yellow", "orange", "pink", "purple", "silver"]
THINGS = ["coat", "hat", "van", "bag", "box", "door", "fence", "lamp", "bench", "truck"]
DOINGS = ["stands near", "passes", "opens", "carries", "drops", "watches"]
MANY = 100  # distinct texts of `write_many`
MOST = len(WHO) * len(WHAT) * len(WHERE) * len(HOW)


def write_pairs(path: Path, n: int, *, repeated: int = 1) -> None:
    """A fair-forge session of n pairs, at most 400, all of whose texts are distinct; each pair comes `repeated` times.

    A camera writes what it wrote before as long as nothing happens, so the repetitions of a pair follow each other.
    """
    texts = caption_texts(MOST)
    pairs = [(texts[i], texts[-1 - i]) for i in range(n) for _ in range(repeated)]
    path.write_text(json.dumps([_session("camera-1", pairs)]))


def caption_texts(n: int) -> list[str]:
    """n distinct texts, at most 800, in an order of chance."""
    texts = [f"{who} {what} {where}{how}." for who, what, where, how in itertools.product(WHO, WHAT, WHERE, HOW)]
    random.Random(1).shuffle(texts)
    return texts[:n]


def write_texts(path: Path, n: int) -> None:
    """n distinct texts, an even number up to 46,080, as n / 2 pairs of a fair-forge session."""
    words = itertools.product(WHO, DOINGS, COLOURS, THINGS, HOW, ["", "Now: "])
    texts = [f"{start}{who} {doing} a {colour} {thing}{how}." for who, doing, colour, thing, how, start in words]
    random.Random(1).shuffle(texts)
    path.write_text(json.dumps([_session("camera-1", list(zip(texts[:n:2], texts[1:n:2], strict=True)))]))


def write_many(path: Path, n: int) -> None:
    """n frames as JSON Lines over 100 distinct texts."""
    with path.open("w") as file:
        for frame in _many(n):
            file.write(json.dumps(frame) + "\n")


def write_many_as(path: Path, n: int) -> None:
    """The frames of `write_many` in the format that the name's suffix says: .jsonl, .json (fair-forge) or .csv."""
    if path.suffix == ".jsonl":
        write_many(path, n)
    elif path.suffix == ".csv":
        rows = [",".join(frame.values()) for frame in _many(n)]  # no text holds a comma
        path.write_text("\n".join(["session_id,qa_id,assistant,ground_truth_assistant", *rows, ""]))
    else:
        sessions: dict[str, list[tuple[str, str]]] = {}
        for frame in _many(n):
            sessions.setdefault(frame["session_id"], []).append((frame["assistant"], frame["ground_truth_assistant"]))
        path.write_text(json.dumps([_session(name, pairs) for name, pairs in sessions.items()]))


def _many(n: int) -> list[dict[str, str]]:
    texts = [f"{who} {what} {where}." for who, what, where in itertools.product(WHO, WHAT, WHERE)][:MANY]
    return [
        {
            "session_id": f"cam-{i % 10}",
            "qa_id": f"f{i:07d}",
            "assistant": texts[i * 7 % MANY],
            "ground_truth_assistant": texts[i * 13 % MANY],
        }
        for i in range(n)
    ]


def _session(name: str, pairs: list[tuple[str, str]]) -> dict[str, Any]:
    frames = [
        {"qa_id": f"f{i}", "query": "q", "assistant": answer, "ground_truth_assistant": reference}
        for i, (answer, reference) in enumerate(pairs)
    ]
    return {"session_id": name, "assistant_id": "vlm", "language": "english", "context": "", "conversation": frames}
