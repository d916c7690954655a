"""The videos of `scenescore detect`: which there are, what became of them, and how that looks."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from handler import storage
from handler.cli._detect_table import CAPTION_WIDTH, MAX_ROWS, NAME_WIDTH, box_cells, counts_line, short_name
from handler.counting import many
from handler.detection import Look, Seen, Watcher, look_at
from handler.formats import is_video
from handler.samples import Detection
from handler.video import UNRESIZED, VBENCH_FLOAT

__all__ = ["detect_videos", "find_videos", "video_document", "video_lines"]


def find_videos(location: str) -> list[str]:
    """The video itself, or those under a folder or s3:// prefix, in order of their names; a GIF counts as a picture."""
    if _is_video(location):
        return [location]
    if not location.endswith("/") and not (storage.is_remote(location) or Path(location).is_dir()):
        return []
    prefix = location if location.endswith("/") else f"{location}/"
    try:
        return [one.location for one in storage.list_objects(prefix) if _is_video(one.location)]
    except storage.NotFoundError:
        return []


def detect_videos(videos: Sequence[str], watcher: Watcher, output: str, *, input_rule: str) -> list[Seen]:
    """Look at 16 frames of each, as VBench chooses and resizes them (for colour it resizes above 768 pixels otherwise)."""
    from tqdm import tqdm

    rule = VBENCH_FLOAT if input_rule == "vbench" else UNRESIZED
    looks = (Look(at, location, rule) for at, location in enumerate(videos))
    found = []
    with tqdm(total=len(videos), unit=" videos", leave=False, desc="detecting", disable=None) as bar:
        for seen in look_at(looks, watcher=watcher, folder=output):
            if seen.state == "unreadable":
                print(f"scenescore: {seen.message}", file=sys.stderr)
            found.append(seen)
            bar.update()
    return found


def video_document(seen: Seen, output: str) -> dict[str, Any]:
    """One entry of `--json`."""
    return {
        "video": seen.look.location,
        "state": seen.state,
        "file": storage.join(output, seen.file) if seen.file else None,
        "reason": seen.reason,
        "n_detections": len(_boxes(seen)),
    }


def video_lines(found: Sequence[Seen]) -> Iterator[str]:
    """A row per video with its best box, then what was counted."""
    rows = [one for one in found if one.detections is not None]
    if rows:
        yield f"{'video':<{NAME_WIDTH}}  frames   boxes  score  {'object':<16}  caption of the best box"
        yield "-" * (NAME_WIDTH + 40 + CAPTION_WIDTH)
    for one in rows[:MAX_ROWS]:
        assert one.detections is not None
        name, boxes = short_name(one.look.location), _boxes(one)
        n_frames = len(set(one.detections.sampling.indices))
        best = max(boxes, key=lambda box: box.box_score, default=None)
        yield f"{name:<{NAME_WIDTH}}  {n_frames:>6}  {len(boxes):>6,}  {box_cells(best)}".rstrip()
    if len(rows) > MAX_ROWS:
        yield f"… {many(len(rows) - MAX_ROWS, 'more video')}"
    yield counts_line("video", [one.state for one in found], sum(len(_boxes(one)) for one in rows))


def _is_video(location: str) -> bool:
    return is_video(location) and not location.lower().endswith(".gif")


def _boxes(seen: Seen) -> list[Detection]:
    """Of the distinct frames."""
    if seen.detections is None:
        return []
    frames = {frame.index: frame for frame in seen.detections.frames}
    return [one for frame in frames.values() for one in frame.detections]
