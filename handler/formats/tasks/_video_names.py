"""What the names of video files say: that they are some, and which prompt a video was made from."""

from __future__ import annotations

import os
import re

from handler import storage
from handler.formats.tasks._stream import Item

__all__ = ["is_video", "item_of_video", "prompt_of_name"]

_SUFFIXES = (".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".gif", ".mpg", ".mpeg", ".ts", ".flv", ".wmv")
_NUMBER = re.compile(r"-[0-9]+$")


def is_video(location: str) -> bool:
    """Whether a file's name says that it holds a video."""
    return storage.name_of(location).lower().endswith(_SUFFIXES)


def prompt_of_name(location: str) -> str:
    """The prompt in a file's name without the number of the attempt: `a red car-0.mp4`, as VBench has videos named."""
    return _NUMBER.sub("", storage.name_of(location).rpartition(".")[0])


def item_of_video(location: str) -> Item:
    """A video file as a manifest would have it; its folder stands for the manifest."""
    at = location if storage.is_remote(location) else os.path.abspath(location)
    folder = storage.name_of(at.rpartition("/")[0]) or "videos"
    return Item({"video": at, "prompt": prompt_of_name(location)}, None, None, folder)
