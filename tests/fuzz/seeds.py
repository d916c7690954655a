"""Whole files of every format that is read, each with the file beside it where its task needs one."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, NamedTuple

from tests.evaluation.shard_files import FORMS, TASKS
from tests.faults.inputs import files_of

__all__ = ["Seed", "seeds"]


class Seed(NamedTuple):
    """name: of the input. request: fields of a request, files by name. files: {name: content}."""

    name: str
    request: dict[str, Any]
    files: dict[str, bytes]


@cache
def seeds() -> tuple[Seed, ...]:
    """All of them."""
    made = [Seed(name, *files_of(name)) for name in [*FORMS, *TASKS] if name != "folder"]
    return (*made, *(_single(name, text) for name, text in _TEXTS.items()), _with_references())


def _single(name: str, text: str) -> Seed:
    return Seed(name, {"input": name}, {name: text.encode()})


def _lines(*items: Any) -> str:
    return "".join(json.dumps(item) + "\n" for item in items)


def _result(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": "t", "type": kind, "value": value, "id": "x"}


_GOOD, _STARS = {"choices": ["Good"]}, {"rating": 4}
_PEOPLE = {"id": 1, "completed_by": 2, "result": [_result("q", "choices", _GOOD), _result("s", "rating", _STARS)]}
_MODEL = {"model_version": "m", "score": 0.5, "result": [_result("q", "choices", _GOOD)]}
_TASK = {"id": 1, "data": {"text": "A dog.", "camera": "n"}, "annotations": [_PEOPLE], "predictions": [_MODEL]}
_FINE = [{"question": "Is it?", "answer": "yes"}]

_TEXTS = {
    "label_studio.json": json.dumps([_TASK, {**_TASK, "id": 2, "annotations": [{**_PEOPLE, "was_cancelled": True}]}]),
    "label_studio.csv": "id,text,q,annotator\n1,A dog.,Good,1\n2,A cat.,Bad,2\n",
    "lmms.jsonl": _lines(
        {"doc_id": 0, "doc": {"question": "Is it?", "answer": "yes"}, "target": "yes", "filtered_resps": ["Yes"]},
        {"doc_id": 1, "doc": {"question": "Is it?", "answer": "no"}, "target": "no", "resps": [["No"]]},
    ),
    "lmms_vqa.jsonl": _lines(
        {"doc": {"question": "What?", "answers": ["red"] * 10}, "target": "red", "filtered_resps": ["red"]}
    ),
    "vlm2bench.jsonl": _lines(
        {"q_id": "gc_1_pos", "model_answer": "T", "gt_answer": "T", "category": "gc"},
        {"q_id": "gc_1_neg", "model_answer": "F", "gt_answer": "F", "category": "gc"},
        {"q_id": "oc-cnt_2", "model_answer": "There are 3", "gt_answer": "2", "image_seq_len": 4},
    ),
    "pope.json": json.dumps([{"question": "Is it?", "answer": "Yes.", "label": "yes"}] * 3),
    "vqa_whole.jsonl": _lines({"answer": "two", "answers": [{"answer": "2"}] * 10, "question_id": 1}),
    "captions.json": json.dumps([{"image_id": 1, "caption": "a red dog", "references": ["a dog", "the red dog runs"]}]),
    "rankings.jsonl": _lines({"query_id": "q1", "ranked": ["a", "b"], "scores": [1, 0.5], "relevant": {"b": 2}}),
    "run.json": json.dumps({"q1": {"d1": 0.5, "d2": 0.25}, "q2": ["d1"]}),
    "qrels.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    "speech.tsv": "path\tsentence\thypothesis\na.wav\thello world\thello word\n",
    "nemo.jsonl": _lines({"audio_filepath": "a.wav", "text": "hello", "pred_text": "hallo", "duration": 1.5}),
    "judge.jsonl": _lines({"judge_score": 4, "human_score": [5, "3/5"], "criterion": "c", "length": 12}),
    "pairs.jsonl": _lines({"judge_ab": "A", "judge_ba": "B", "human": "tie", "length_a": 1, "length_b": 2}),
    "sequences.jsonl": _lines(
        {"sequence_id": "s", "coarse": {"question": "?", "answer": "2", "type": "count"}, "fine": _FINE}
    ),
    "streamed.jsonl": _lines(
        {
            "metadata": {"session_id": "s", "assistant_id": "m"},
            "batch": {"qa_id": "f", "assistant": "A.", "ground_truth_assistant": "B."},
        }
    ),
    "plain.csv": "answer;reference\n=1+1;@SUM(A1)\n",
}


def _with_references() -> Seed:
    run = "".join(f"q{i % 5} Q0 d{i} {i} {1 / (i + 1):.3f} tag\n" for i in range(30))
    references = json.dumps({f"q{i}": {f"d{i}": 1, "d9": 0} for i in range(5)})
    files = {"run.txt": run.encode(), "qrels.json": references.encode()}
    return Seed("run.txt", {"input": "run.txt", "references": "qrels.json"}, files)
