"""Caption pairs for timing: all texts distinct, lengths as in frame descriptions (6 to 25 words)."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

WHO = ["A man", "Two women in yellow vests", "A guard", "A child with a red backpack", "A delivery driver", "Nobody"]
WHAT = ["walks past", "waits at", "leaves a suitcase beside", "looks into the camera at", "runs away from"]
WHERE = ["the main entrance", "the loading dock", "gate 4", "the parking lot behind the office building"]
HOW = ["", " at night", " while a grey van reverses", " and carries a ladder that hides most of the frame on the left"]


def write_pairs(path: Path, n: int) -> None:
    """A fair-forge session of n frames, at most 480."""
    texts = [f"{who} {what} {where}{how}." for who, what, where, how in itertools.product(WHO, WHAT, WHERE, HOW)]
    frames = [
        {
            "qa_id": f"f{i}",
            "query": "q",
            "assistant": text,
            "ground_truth_assistant": f"Camera 2: {texts[-1 - i].lower()}",
        }
        for i, text in enumerate(texts[:n])
    ]
    session = {"session_id": "s", "assistant_id": "a", "language": "english", "context": "", "conversation": frames}
    path.write_text(json.dumps([session]))


def write_many(path: Path, n: int) -> None:
    """n frames as JSON Lines over 100 distinct texts."""
    texts = [f"{who} {what} {where}." for who, what, where in itertools.product(WHO, WHAT, WHERE)][:100]
    with path.open("w") as file:
        for i in range(n):
            frame = {"session_id": f"cam-{i % 10}", "qa_id": f"f{i:07d}", "assistant": texts[i * 7 % 100]}
            file.write(json.dumps({**frame, "ground_truth_assistant": texts[i * 13 % 100]}) + "\n")
