"""Ways to damage a file: bytes, tokens and, where it is JSON, values."""

from __future__ import annotations

import gzip
import json
import random
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "formats"))
from mutations import mutate

__all__ = ["ODD", "damage", "packed", "replace_part"]

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 10**25, -(2**63), 2**64, 1e308, -1e-308, 0.1, 1.5),
    *(
        "",
        " ",
        "\0",
        "\ufeff",
        "\u200b",
        "yes",
        "no",
        "NaN",
        "-Infinity",
        "1e999",
        "=cmd|' /C calc'!A0",
        "../../etc/passwd",
    ),
    *(
        "a" * 5000,
        "A dog runs. " * 200,
        "猫🙂é",
        "\ud83d",
        "s3://b/out/x",
        "https://x",
        "q1",
        "1/5",
        "٣",
        "½",
        "A",
        "tie",
    ),
    *(
        [],
        {},
        [[]],
        [None],
        ["a", "b"],
        [0.5, "x"],
        {"a": 1},
        {"": None},
        {"answer": "x"},
        [{"answer": "red"}],
        [[["x"]]],
    ),
    *([1e308] * 3, {"id": [1]}, {"choices": ["Good"]}, {"rating": -1}, {"text": [1]}),
)


def damage(chance: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """A few changes of one kind or another; now and then none."""
    kind = chance.random()
    if kind < 0.05 or not data:
        return data
    if kind < 0.55:
        changed = _in_values(chance, data)
        if changed is not None:
            return changed
    return mutate(chance, [data, data, data, chance.choice(others)])


def _in_values(chance: random.Random, data: bytes) -> bytes | None:
    """Change values of a JSON document, or of some lines; None for other files."""
    try:
        text = data.decode()
        document = text.lstrip()[:1] in ("[", "{") and _loads(text)
        if document:
            return _dump(replace_part(chance, document))
        lines = text.splitlines()
        for _ in range(chance.choice((1, 1, 3))):
            at = chance.randrange(len(lines))
            lines[at] = _dump(replace_part(chance, json.loads(lines[at]))).decode()
        return "\n".join(lines).encode("utf-8", "surrogatepass")
    except (ValueError, IndexError, RecursionError):
        return None


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def replace_part(chance: random.Random, value: Any) -> Any:
    """The value with one part, at any depth, replaced, removed, repeated, renamed or added."""
    if not isinstance(value, (dict, list)) or not value or chance.random() < 0.15:
        return chance.choice(ODD)
    if isinstance(value, list):
        at = chance.randrange(len(value))
        kind = chance.random()
        if kind < 0.1:
            return value[:at] + value[at + 1 :]
        if kind < 0.2:
            return value[: at + 1] + value[at:]
        return [*value[:at], replace_part(chance, value[at]), *value[at + 1 :]]
    key = chance.choice(list(value))
    kind = chance.random()
    if kind < 0.1:
        return {name: one for name, one in value.items() if name != key}
    if kind < 0.2:
        return {(chance.choice(_NAMES) if name == key else name): one for name, one in value.items()}
    if kind < 0.3:
        return {**value, chance.choice(_NAMES): chance.choice(ODD)}
    return {**value, key: replace_part(chance, value[key])}


def _dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


_NAMES = (
    *(
        "answer",
        "reference",
        "references",
        "references_2",
        "reference_1",
        "caption",
        "image_id",
        "label",
        "question_id",
    ),
    *("conversation", "metadata", "batch", "session_id", "assistant_id", "qa_id", "id", "tags", "weight", "language"),
    *("ranked", "scores", "relevant", "query_id", "judge", "human", "human_2", "data", "annotations", "predictions"),
    *(
        "hypothesis",
        "text",
        "doc",
        "filtered_resps",
        "resps",
        "q_id",
        "model_answer",
        "coarse",
        "fine",
        "",
        "a.b",
        "\0",
    ),
)


def packed(chance: random.Random, data: bytes) -> bytes:
    """Compressed, perhaps cut."""
    whole = gzip.compress(data, 1, mtime=0)
    return whole if chance.random() < 0.7 else whole[: chance.randrange(len(whole) + 1)]
