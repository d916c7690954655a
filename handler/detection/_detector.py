"""The dense captioner as a watcher of frames, with all that a detections file says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from handler.errors import InputError
from handler.models.dense import CaptionOptions, DenseCaptioner, Provider, check_frame
from handler.samples import Detection
from handler.video import Detector, VideoError

__all__ = ["StoppedError", "Watcher", "open_watcher"]

Found = list[tuple[Detection, ...]]


class StoppedError(Exception):
    """The watcher was told to stop in the middle of a video. found: of the frames before, in order."""

    def __init__(self, found: Found) -> None:
        super().__init__()
        self.found = found


class Watcher:
    """Looks at frames. detector: what a detections file says of it."""

    def __init__(self, captioner: DenseCaptioner, options: CaptionOptions) -> None:
        self._captioner = captioner
        self._options = options
        self.provider = captioner.provider
        card = captioner.card
        facts = {"name": card.name, "sha256": card.sha256, "precision": card.precision, "verified": card.verified}
        self.detector = Detector(captioner.signature(options), facts | asdict(options))

    def check(self, frame: NDArray[Any], source: str) -> None:
        """Raises VideoError for frames that the network cannot take."""
        try:
            check_frame(frame, self._options.input_rule)
        except InputError as error:
            raise VideoError("too_large", file=source, detail=error.message, hint=error.hint) from error

    def look(
        self,
        frames: Sequence[NDArray[Any]],
        *,
        before: Found | None = None,
        must_stop: Callable[[], bool] | None = None,
    ) -> Found:
        """What is in each frame. The frames of a call are described together, and no other: what is seen does not depend on
        which videos were looked at before.

        before: what an earlier call had found when it was stopped. Raises StoppedError when must_stop says so after a frame.
        """
        found = list(before or ())

        def pending() -> Iterator[NDArray[Any]]:
            for frame in frames[len(found) :]:
                if must_stop is not None and must_stop():
                    raise StoppedError(found)
                yield frame

        for detections in self._captioner.caption_each(pending(), self._options):
            found.append(detections)  # noqa: PERF402 - what came before an exception is kept
        return found


def open_watcher(
    folder: Path, *, provider: Provider = "auto", threads: int | None = None, options: CaptionOptions | None = None
) -> Watcher:
    """The captioner of an exported folder; its graphs are loaded when it first looks. Raises ModelError."""
    return Watcher(DenseCaptioner(folder, provider=provider, threads=threads), options or CaptionOptions())
