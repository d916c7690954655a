"""Awkward but valid inputs in every form that is read: {name: fields of a request}, written into a folder."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

SAID = ("A dog runs.", "A red car.", " ", "Nobody.", "Two people\ntalk.", "Ein Hund läuft über die Straße.")
SEEN = ("A dog is running.", "A blue car.", "Somebody.", "", 'He said "stop", and left.')

Write = Callable[[Path], dict[str, Any]]
FORMS: dict[str, Write] = {}


def form(write: Write) -> Write:
    FORMS[write.__name__] = write
    return write


def frames(n: int = 70) -> list[dict[str, Any]]:
    return [
        {"session_id": f"cam-{i // 9 % 4}", "answer": SAID[i % 6], "reference": SEEN[i % 5], "tags": {"odd": i % 2}}
        for i in range(n)
    ]


def lines(n: int = 70) -> list[str]:
    """Frames without ids, blank and broken lines, sessions of several frames and of none, an id and a session twice."""
    rows = [json.dumps(one, ensure_ascii=False) for one in frames(n)]
    rows[3] = rows[41] = ""
    rows[5] = "{broken"
    rows[20] = json.dumps({"session_id": "x", "answer": "A dog runs."})  # no reference
    rows[31] = json.dumps({"answer": "A", "caption": "B", "reference": "C"})  # which one is the answer?
    for at in (12, 33):
        rows[at] = json.dumps({**frames()[at], "qa_id": "twice", "session_id": "s", "assistant_id": "m"})
    talk = [{"qa_id": f"q{i}", "assistant": SAID[i % 6], "ground_truth_assistant": SEEN[i % 5]} for i in range(11)]
    talk[4] = {"qa_id": "q4", "assistant": 4, "ground_truth_assistant": "A dog."}
    for at in (25, 26, 50):
        session = {"session_id": "long", "assistant_id": "m", "context": "", "conversation": talk if at != 26 else []}
        rows[at] = json.dumps(session)
    rows[60] = json.dumps(
        {"metadata": {"session_id": "st", "assistant_id": "m"}, "batch": {k: talk[0][k] for k in talk[0]}}
    )
    return rows


ALLOWED = {"max_error_rate": 0.5, "group_by": ["odd"]}


@form
def jsonl(at: Path) -> dict[str, Any]:
    (at / "a.jsonl").write_text("\n".join(lines()), encoding="utf-8")
    return {"input": "a.jsonl", **ALLOWED}


@form
def jsonl_windows(at: Path) -> dict[str, Any]:
    (at / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + ("\r\n".join(lines()) + "\r\n\r\n").encode())
    return {"input": "a.jsonl", **ALLOWED}


@form
def jsonl_limited(at: Path) -> dict[str, Any]:
    return {**jsonl(at), "limit": 45}


@form
def jsonl_skipping(at: Path) -> dict[str, Any]:
    return {**jsonl(at), "on_missing": "skip", "mode": "compat:fair-forge"}


@form
def jsonl_broken_first(at: Path) -> dict[str, Any]:
    (at / "a.jsonl").write_text("\n".join(["{", *lines()]), encoding="utf-8")
    return {"input": "a.jsonl", **ALLOWED}


@form
def jsonl_gzip(at: Path) -> dict[str, Any]:
    data = "\n".join(lines()).encode()
    (at / "a.jsonl.gz").write_bytes(gzip.compress(data[:999]) + gzip.compress(data[999:]))
    return {"input": "a.jsonl.gz", **ALLOWED}


def table(delimiter: str = ",", newline: str = "\n", n: int = 60) -> str:
    def cell(text: str) -> str:
        return '"' + text.replace('"', '""').replace("\n", newline) + '"'

    rows = [delimiter.join(("camera", "answer", "reference", "reference_2"))]
    texts = ((SAID[i % 6], SEEN[i % 5], SEEN[i % 3]) for i in range(n))
    rows += [delimiter.join((str(i % 3), *map(cell, three))) for i, three in enumerate(texts)]
    rows[7] = ""
    rows[9] = delimiter.join(("1", cell("too"), cell("few")))
    rows[30] = delimiter.join(("1", '"a"b', "c", "d"))
    return newline.join(rows) + newline


@form
def csv(at: Path) -> dict[str, Any]:
    (at / "t.csv").write_bytes(table().encode())
    return {"input": "t.csv", **ALLOWED, "group_by": ["camera"]}


@form
def csv_excel(at: Path) -> dict[str, Any]:
    (at / "t.csv").write_bytes(b"\xef\xbb\xbfsep=;\r\n" + table(";", "\r\n").encode())
    return {"input": "t.csv", **ALLOWED, "group_by": ["camera"]}


@form
def csv_old_mac(at: Path) -> dict[str, Any]:
    (at / "t.csv").write_bytes(table("\t", "\r").replace("\n", " ").encode())
    return {"input": "t.csv", **ALLOWED}


@form
def csv_without_header(at: Path) -> dict[str, Any]:
    (at / "t.csv").write_bytes(table().partition("\n")[2].encode())
    return {"input": "t.csv", **ALLOWED, "group_by": [], "map": {"answer": "#2", "references": "#3,#4"}}


@form
def csv_utf_16(at: Path) -> dict[str, Any]:
    (at / "t.csv").write_bytes(table().encode("utf-16"))
    return {"input": "t.csv", **ALLOWED, "encoding": "utf-16", "group_by": ["camera"]}


@form
def json_list(at: Path) -> dict[str, Any]:
    (at / "l.json").write_text(json.dumps(frames(), indent=1), encoding="utf-8")
    return {"input": "l.json", **ALLOWED}


@form
def fair_forge(at: Path) -> dict[str, Any]:
    sessions = [json.loads(line) for line in lines() if '"conversation"' in line]
    (at / "f.json").write_text(json.dumps([*sessions, *frames(5)]), encoding="utf-8")
    return {"input": "f.json", **ALLOWED}


@form
def one_session(at: Path) -> dict[str, Any]:
    (at / "s.json").write_text(lines()[25])
    return {"input": "s.json", **ALLOWED}


@form
def folder(at: Path) -> dict[str, Any]:
    (at / "in" / "deep").mkdir(parents=True)
    jsonl(at / "in")
    csv(at / "in" / "deep")
    json_list(at / "in")
    jsonl_gzip(at / "in" / "deep")
    (at / "in" / "deep" / "a.jsonl").write_text(json.dumps(frames()[0]))
    return {"input": "in", **ALLOWED}


@form
def nothing_scored(at: Path) -> dict[str, Any]:
    (at / "e.json").write_text(json.dumps([{"session_id": "s", "assistant_id": "m", "conversation": []}]))
    return {"input": "e.json"}


TASKS: dict[str, Write] = {}


def task(write: Write) -> Write:
    TASKS[write.__name__] = write
    return write


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@task
def pope(at: Path) -> dict[str, Any]:
    """Answers out of order, one twice, one to no question, one question without an answer."""
    said = ("Yes, there is.", "no", "I cannot tell.", "Yes", "No, none.")
    rows = [{"question_id": i * 7 % 60, "answer": said[i % 5]} for i in range(59)] + [
        {"question_id": 999, "answer": "yes"}
    ]
    write_lines(at / "a.jsonl", [*rows, rows[3]])
    questions = [
        {"question_id": i, "image": "i", "text": f"Is it {i}?", "label": "yes no".split()[i % 2]} for i in range(60)
    ]
    write_lines(at / "q.jsonl", questions)
    return {"input": "a.jsonl", "questions": "q.jsonl", "max_error_rate": 0.5}


@task
def pope_by_line(at: Path) -> dict[str, Any]:
    write_lines(at / "a.jsonl", [{"question": f"Is it {i}?", "answer": "yes" if i % 3 else "no"} for i in range(50)])
    write_lines(at / "q.jsonl", [{"text": f"Is it {i}?", "label": "yes" if i % 2 else "no"} for i in range(50)])
    return {"input": "a.jsonl", "questions": "q.jsonl"}


@task
def vqa(at: Path) -> dict[str, Any]:
    (at / "a.json").write_text(
        json.dumps([{"question_id": i, "answer": "red blue 2".split()[i % 3]} for i in range(40)])
    )
    notes = [
        {"question_id": i, "answers": [{"answer": "red blue two a".split()[(i + k) % 4]} for k in range(10)]}
        for i in range(41)
    ]
    (at / "r.json").write_text(json.dumps({"annotations": notes}))
    return {"input": "a.json", "references": "r.json", "on_missing": "skip"}


@task
def wer(at: Path) -> dict[str, Any]:
    rows = [
        {"hypothesis": f"hello word {i % 4}", "reference": f"hello world {i % 3}" if i % 9 else ""} for i in range(80)
    ]
    write_lines(at / "m.jsonl", rows)
    return {"input": "m.jsonl"}


@task
def wer_table(at: Path) -> dict[str, Any]:
    rows = "".join(f'{i},"hello\nthe word {i % 4}",hello the world {i % 3}\n' for i in range(50))
    (at / "m.csv").write_text("utterance_id,hypothesis,reference\n" + rows)
    return {"input": "m.csv"}


@task
def retrieval(at: Path) -> dict[str, Any]:
    (at / "run.trec").write_text("".join(f"q{i % 20} Q0 d{i * 7 % 13} {i} {1 / (i + 1)} run\n" for i in range(100)))
    (at / "qrels.trec").write_text("".join(f"q{i} 0 d{i % 13} {i % 3}\n" for i in range(22)))
    return {"input": "run.trec", "references": "qrels.trec"}


@task
def judge(at: Path) -> dict[str, Any]:
    rows = "".join(f"{i},{i * 7 % 5 + 1},{i * 3 % 5 + 1},{i % 5 + 1}\n" for i in range(60))
    (at / "j.csv").write_text("id,judge,human_1,human_2\n" + rows)
    return {"input": "j.csv"}


@task
def captions(at: Path) -> dict[str, Any]:
    words = "a red dog runs over the green grass in front of two people".split()
    said = [{"image_id": i, "caption": " ".join(words[i % 7 :][: i % 5 + 2])} for i in range(40)]
    seen = [{"image_id": i % 40, "id": i, "caption": " ".join(words[i % 3 :][:7])} for i in range(80)]
    (at / "c.json").write_text(json.dumps(said))
    (at / "n.json").write_text(json.dumps({"images": [{"id": i} for i in range(40)], "annotations": seen}))
    return {"input": "c.json", "references": "n.json"}


@task
def sequences(at: Path) -> dict[str, Any]:
    fine = [{"question": "Is it?", "answer": "yes"}, {"question": "Or not?", "answer": "no"}]
    rows = [
        {
            "sequence_id": f"s{i}",
            "task": f"t{i % 2}",
            "coarse": {"question": "How many?", "type": "count", "answer": str(i % 3)},
            "fine": fine,
        }
        for i in range(30)
    ]
    write_lines(at / "q.jsonl", rows)
    write_lines(
        at / "a.jsonl",
        [{"sequence_id": f"s{i}", "coarse": str(i % 2), "fine": ["yes", "no"][: i % 3]} for i in range(29)],
    )
    return {"input": "a.jsonl", "questions": "q.jsonl"}


def close(one, other):
    """Whether two reports hold the same: numbers to 1e-9, everything else exactly, the order of keys included."""
    if isinstance(one, dict):
        return list(one) == list(other) and all(close(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(close, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return type(one) is type(other) and one == other
