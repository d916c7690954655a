"""Bodies that work, shown in the OpenAPI document; a test posts every one of them."""

from __future__ import annotations

from typing import Any

__all__ = ["CALIBRATIONS", "EVALUATIONS", "RUNS"]

_FRAMES = [
    {"session_id": "cam-1", "sample_id": "f1", "answer": "A dog runs.", "reference": "A dog is running."},
    {"session_id": "cam-1", "sample_id": "f2", "answer": "Nobody is there.", "reference": "A man waits at the gate."},
]
_SESSION = {
    "session_id": "cam-entrance-01",
    "assistant_id": "argos-gpt4o",
    "language": "english",
    "context": "",
    "conversation": [
        {
            "qa_id": "frame_001",
            "query": "Describe this frame.",
            "assistant": "A person is lying motionless on the floor near the entrance.",
            "ground_truth_assistant": "A person fell near the entrance and requires assistance.",
        }
    ],
}

EVALUATIONS: dict[str, Any] = {
    "frames": {"summary": "Frames in the body", "value": {"sessions": _FRAMES}},
    "session": {"summary": "A session, as fair-forge writes it", "value": {"sessions": [_SESSION], "threshold": 0.6}},
    "later": {
        "summary": "Do not wait for the result, where there is a queue",
        "value": {"sessions": _FRAMES, "metrics": ["vision.similarity"], "wait": False},
    },
    "claims": {
        "summary": "Which words contradict what people saw",
        "value": {
            "sessions": _FRAMES,
            "metrics": ["vision.claims"],
            "options": {"vision.claims": {"threshold": 0.9}},
            "fail_if": ["vision.claims.kinds.negation>0"],
        },
    },
    "slices": {
        "summary": "Another name for a field, and a summary per camera",
        "value": {
            "sessions": [{"camera": "north", "said": "A dog runs.", "reference": "A dog is running."}],
            "map": {"answer": "said"},
            "group_by": ["camera"],
        },
    },
}

CALIBRATIONS: dict[str, Any] = {
    "verdicts": {
        "summary": "Frames that people judged; two are too few to call it calibrated, and the reply says so",
        "value": {
            "sessions": [
                {**frame, "human_verdict": verdict}
                for frame, verdict in zip(_FRAMES, ("same", "hallucination"), strict=True)
            ],
            "aim": "recall:0.95",
        },
    },
    "suggest": {"summary": "Which frames to label next", "value": {"sessions": _FRAMES, "suggest": 1}},
}

RUNS: dict[str, Any] = {
    "hallucination": {
        "summary": "Frames below a threshold",
        "value": {"datasets": [_SESSION], "config": {"metric": "VisionHallucination", "threshold": 0.75}},
    },
    "both": {"summary": "Both vision metrics", "value": {"datasets": [_SESSION]}},
}
