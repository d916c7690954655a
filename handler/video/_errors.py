"""What can be wrong with a video."""

from __future__ import annotations

from handler.errors import InputError

__all__ = ["REASONS", "VideoError"]

REASONS = {
    "empty_file": "the file is empty",
    "not_a_video": "this is no video or picture that can be opened",
    "no_video": "there is no video in this file, only sound or data",
    "no_frames": "no frame can be decoded",
    "no_timestamps": "frames have no timestamps, so none can be chosen by time",
    "too_large": "the frames are too large",
    "unsteady": "decoding it twice gives different frames",
    "stalled": "the decoder makes no progress",
    "out_of_time": "decoding takes too long",
    "crashed": "the decoder crashed",
}


class VideoError(InputError):
    """The video gives no frames: nothing can be said about it, and `reason` (a key of REASONS) says why."""

    code = "unreadable_video"

    def __init__(self, reason: str, *, file: str, detail: str = "", hint: str | None = None) -> None:
        super().__init__(f"{REASONS[reason]}{f' ({detail})' if detail else ''}", file=file, hint=hint)
        self.reason = reason
