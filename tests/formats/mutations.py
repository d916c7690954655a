"""Valid small files in every form, and ways to damage them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from typing import Any

FRAMES: list[dict[str, Any]] = [
    {"qa_id": "f1", "query": "q", "assistant": "A man, falls.", "ground_truth_assistant": 'He "fell"', "weight": 0.5},
    {"qa_id": 2, "assistant": "Une femme âgée 猫 🙂", "ground_truth_assistant": "", "tags": {"camera": "7"}, "n": 1.5},
    {"qa_id": "f3", "assistant": "line\nbreak", "ground_truth_assistant": "x", "agentic": {"deep": [[{"a": [1]}]]}},
]


def sessions() -> list[dict[str, Any]]:
    head = {"session_id": "s1", "assistant_id": "m", "language": "english", "context": ""}
    return [
        {**head, "conversation": FRAMES},
        {"conversation": FRAMES[:1], "session_id": 7},
        {**head, "conversation": []},
    ]


def flat() -> list[dict[str, Any]]:
    return [{"session_id": "s1", "model": "m", **frame} for frame in FRAMES]


def streamed() -> list[dict[str, Any]]:
    return [{"metadata": {"session_id": "s1", "assistant_id": "m", "context": ""}, "batch": frame} for frame in FRAMES]


def lines(items: list[Any]) -> str:
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


def table(delimiter: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(["session_id", "qa_id", "assistant", "reference_1", "reference_2", "camera"])
    for frame in FRAMES:
        writer.writerow(["s1", frame["qa_id"], frame["assistant"], frame["ground_truth_assistant"], "two", "7"])
    return out.getvalue()


def seeds() -> list[bytes]:
    texts = [
        json.dumps(sessions(), indent=1),
        json.dumps(sessions(), ensure_ascii=False),
        json.dumps(sessions()[0]),
        json.dumps(flat()),
        json.dumps(flat()[1], indent=2),
        json.dumps(streamed()),
        lines(sessions()),
        lines(flat()),
        lines(streamed()),
        table(","),
        table(";"),
        "sep=\t\n" + table("\t"),
    ]
    plain = [text.encode() for text in texts]
    return [*plain, gzip.compress(plain[0], mtime=0), texts[1].encode("utf-16"), b"\xef\xbb\xbf" + plain[7]]


TOKENS = [
    *(c.encode() for c in '{}[]",:;\t|\n\r\\/#\0 '),
    *(b"NaN", b"Infinity", b"-Infinity", b"null", b"true", b"1e999", b"-", b"1" * 5000, b"1" * 25),
    *(b"\\n", b"\\ud83d", b"\\uDE00", b"\\u00", b"\xef\xbb\xbf", b"\xff\xfe", b"\xe9", b"\xed\xa0\xbd", b"\x1f\x8b"),
    *(b"[" * 70, b"[" * 3000, b'{"a":' * 1500, b'"conversation"', b'"conversation":[', b'"conversation":null'),
    *(b'"session_id":[1]', b'"session_id":"x",', b'"metadata":{}', b'"batch":1', b'"weight":-1,', b'"tags":[],'),
    *(b"'", b"//", b"/*", b"True", b"\r\n", b"\n\n", b'""', b'"', b"sep=|\n"),
]


def mutate(rng: random.Random, files: list[bytes]) -> bytes:
    data = rng.choice(files)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        a, b = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
        b = min(b, a + rng.choice((1, 3, 20, 400)))
        kind = rng.randrange(9)
        if kind == 0:
            data = data[:a] + bytes([rng.randrange(256)]) + data[a + 1 :]
        elif kind == 1:
            data = data[:a] + data[b:]
        elif kind == 2:
            data = data[:b] + data[a:b] * rng.choice((1, 2, 50)) + data[b:]
        elif kind in (3, 4, 5):
            data = data[:a] + rng.choice(TOKENS) + data[a:]
        elif kind == 6:
            data = data[:a]
        elif kind == 7:
            other = rng.choice(files)
            data = data[:a] + other[rng.randrange(len(other)) :]
        else:
            data = data[:a] + rng.choice(TOKENS) + data[b:]
    return gzip.compress(data, mtime=0) if rng.random() < 0.03 else data
