"""Frames of a video with the boxes that a detector drew, where their thumbnails were kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handler.counting import many
from handler.reports.page._text import escaped, isolated, tag

__all__ = ["boxes"]

LIMIT = 48  # frames drawn
_THUMBNAIL = re.compile(r"data:image/(?:jpeg|png|webp);base64,[A-Za-z0-9+/]+={0,2}")


def boxes(videos: Any) -> str:
    """Figures of the frames of `scenescore.detections/1` documents whose frames also hold a `thumbnail`, a data: uri.

    Anything else gives nothing: what is drawn must be in the report, for the page fetches no picture.
    """
    found = [one for one in videos if isinstance(one, Mapping)] if isinstance(videos, Sequence) else []
    figures = [figure for video in found for figure in _figures(video)]
    more = f"<p>Not drawn: {many(len(figures) - LIMIT, 'more frame')}.</p>" if len(figures) > LIMIT else ""
    return tag("div", "".join(figures[:LIMIT]), class_="pictures") + more if figures else ""


def _figures(video: Mapping[str, Any]) -> Iterator[str]:
    size = video.get("size")
    if not isinstance(size, Sequence) or len(size) != 2 or not all(_is_number(one) and one > 0 for one in size):
        return
    for frame in video.get("frames", []):
        thumbnail = frame.get("thumbnail")
        if isinstance(thumbnail, str) and _THUMBNAIL.fullmatch(thumbnail):
            yield _figure(str(video.get("source", "")), size, frame, thumbnail)


def _figure(source: str, size: Sequence[float], frame: Mapping[str, Any], thumbnail: str) -> str:
    width, height = size
    seen = [one for one in frame.get("detections", []) if _is_box(one.get("box"))]
    drawn = "".join(_rectangle(place, one["box"], width) for place, one in enumerate(seen, 1))
    words = "".join(f"<li>{isolated(str(one.get('object') or one.get('caption') or ''))}</li>" for one in seen)
    title = f"{source}, frame {frame.get('index', '')}"
    n_boxes = many(len(seen), "box")
    return (
        f'<figure><svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escaped(title)}, {n_boxes}">'
        f'<image href="{thumbnail}" width="{width:g}" height="{height:g}"/>{drawn}</svg>'
        f"<figcaption>{isolated(title)}<ol>{words}</ol></figcaption></figure>"
    )


def _rectangle(place: int, box: Sequence[float], width: float) -> str:
    x0, y0, x1, y1 = box
    size = width / 24
    return (
        f'<rect class="box" x="{x0:g}" y="{y0:g}" width="{max(0, x1 - x0):g}" height="{max(0, y1 - y0):g}"/>'
        f'<text x="{x0 + size / 4:g}" y="{y0 + size:g}" font-size="{size:g}">{place}</text>'
    )


def _is_box(value: Any) -> bool:
    return isinstance(value, Sequence) and len(value) == 4 and all(map(_is_number, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
