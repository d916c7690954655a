"""`scenescore detect`: what is in pictures and videos, where, and in words, as one detections file each."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from handler import storage
from handler.cli._detect_table import CAPTION_WIDTH, MAX_ROWS, NAME_WIDTH, box_cells, counts_line, short_name
from handler.cli._detect_videos import detect_videos, find_videos, video_document, video_lines
from handler.cli._options import print_json
from handler.cli._pictures import find_pictures, has_pictures, require_pillow, show
from handler.counting import many
from handler.detection import Watcher
from handler.errors import InputError, ScenescoreError, StorageError, one_line
from handler.models.dense import INPUT_RULES, PROVIDERS, CaptionOptions, DenseCaptioner, check_frame
from handler.reports import dump_json
from handler.samples import DetectedFrame, Detection
from handler.settings import DEFAULT_DETECTIONS, Settings
from handler.video import (
    IMAGE,
    UNRESIZED,
    Detections,
    DetectionsKey,
    Detector,
    Sampling,
    find_detections,
    store_detections,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["add_arguments", "run"]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of one picture. file: its detections file; reason: why it could not be read."""

    picture: str
    state: Literal["detected", "present", "unreadable"]
    file: str | None = None
    detections: tuple[Detection, ...] = ()
    reason: str | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    add = parser.add_argument
    add("images", nargs="+", metavar="IMAGES|VIDEOS", help="pictures, videos, or folders of them: paths or s3:// uris")
    add(
        "--model",
        type=Path,
        metavar="DIR",
        help="folder of an exported GRiT (SCENESCORE_DETECTOR, else the user's cache folder)",
    )
    add(
        "--input-rule",
        choices=INPUT_RULES,
        default="vbench",
        help="vbench: pictures as they are, videos resized as VBench does; demo: short side 800 px, as GRiT's demo does",
    )
    add("--output", metavar="DIR", default=DEFAULT_DETECTIONS, help=f"folder or s3:// prefix ({DEFAULT_DETECTIONS})")
    add("--score-threshold", type=float, default=0.5, metavar="X", help="box score above which a box counts (0.5)")
    add("--max-detections", type=int, default=256, metavar="N", help="boxes per picture at most (256)")
    add("--threads", type=int, metavar="N", help="cores to use (all this process may use)")
    add("--provider", choices=PROVIDERS, default="auto", help="cpu, cuda, or what is there (auto)")
    add("--json", action="store_true", help="print a JSON document and nothing else")


def run(options: argparse.Namespace) -> int:
    """Detect, write and print. Raises InputError when nothing could be read."""
    videos = {location: find_videos(location) for location in options.images}
    pictures = [location for location, found in videos.items() if not found or has_pictures(location)]
    if pictures:
        require_pillow()
    settings = CaptionOptions(
        score_threshold=options.score_threshold,
        max_detections=options.max_detections,
        input_rule=options.input_rule,
    )
    folder = options.model or Settings.from_environment().detector
    captioner = DenseCaptioner(folder, provider=options.provider, threads=options.threads)
    watcher = Watcher(captioner, settings)
    outcomes = _Run(captioner, settings, watcher.detector, options.output).outcomes(pictures)
    seen = detect_videos(
        [one for found in videos.values() for one in found],
        watcher,
        options.output,
        input_rule=options.input_rule,
    )
    if options.json:
        document = _document(outcomes, captioner, settings)
        print_json(dump_json({**document, "videos": [video_document(one, options.output) for one in seen]}))
    else:
        print("\n".join([*(_lines(outcomes) if outcomes else ()), *(video_lines(seen) if seen else ())]))
        print(f"\nDetections: {one_line(options.output)}")
    if all(state == "unreadable" for state in (*(one.state for one in outcomes), *(one.state for one in seen))):
        what = "no picture" if not seen else "nothing" if outcomes else "no video"
        raise InputError(f"{what} could be read", hint="See the lines above")
    return 0


class _Run:
    """One call of the verb. Pictures are read ahead, because the captioner describes several together."""

    def __init__(self, captioner: DenseCaptioner, settings: CaptionOptions, detector: Detector, output: str) -> None:
        self._captioner = captioner
        self._settings = settings
        self._output = output
        self._resize = UNRESIZED if settings.input_rule == "vbench" else settings.input_rule
        self._detector = detector
        self._found: dict[int, _Outcome] = {}
        self._waiting: deque[tuple[int, str, str, tuple[int, int]]] = deque()

    def outcomes(self, locations: Sequence[str]) -> list[_Outcome]:
        """Read, skip, detect and write, in order. A picture that cannot be read is named on stderr, and the run goes on."""
        from tqdm import tqdm

        with tqdm(unit=" pictures", leave=False, desc="detecting", disable=None) as bar:
            for detections in self._captioner.caption_each(self._frames(locations, bar.update), self._settings):
                number, picture, sha256, size = self._waiting.popleft()
                frames = (DetectedFrame(0, None, detections),)
                sampling = Sampling(1, IMAGE, (0,))
                content = Detections(picture, sha256, sampling, self._resize, size, self._detector, frames)
                file = store_detections(self._output, content)
                self._found[number] = _Outcome(picture, "detected", file, detections)
                bar.update()
        return [self._found[number] for number in sorted(self._found)]

    def _frames(self, locations: Sequence[str], advance: Callable[[], object]) -> Iterator[NDArray[Any]]:
        """The pictures nothing is known of yet; all others become outcomes at once."""
        for number, (picture, error) in enumerate(_pictures(locations)):
            try:
                if error is not None:
                    raise error
                frame = self._unseen(number, picture)
            except (InputError, StorageError) as failure:
                print(f"scenescore: {failure}", file=sys.stderr)
                self._found[number] = _Outcome(picture, "unreadable", reason=failure.message)
                frame = None
            if frame is None:
                advance()
            else:
                yield frame

    def _unseen(self, number: int, picture: str) -> NDArray[Any] | None:
        """The picture's pixels; None when its detections file is there."""
        data = storage.read_bytes(picture)
        sha256 = hashlib.sha256(data).hexdigest()
        key = DetectionsKey(sha256, IMAGE, 1, self._resize, self._detector.signature)
        if (there := find_detections(self._output, key)) is not None:
            file = storage.join(self._output, there.key.name)
            self._found[number] = _Outcome(picture, "present", file, there.frames[0].detections)
            return None
        frame = show(data, picture)
        try:
            check_frame(frame, self._settings.input_rule)
        except InputError as error:
            raise InputError(error.message, file=picture, hint=error.hint) from error
        self._waiting.append((number, picture, sha256, (frame.shape[1], frame.shape[0])))
        return frame


def _pictures(locations: Sequence[str]) -> Iterator[tuple[str, ScenescoreError | None]]:
    """Every picture; a location that holds none comes with the reason."""
    for location in locations:
        try:
            for picture in find_pictures(location):
                yield picture, None
        except (InputError, StorageError) as error:
            yield location, error


def _document(outcomes: Sequence[_Outcome], captioner: DenseCaptioner, settings: CaptionOptions) -> dict[str, Any]:
    pictures = [{**asdict(one), "n_detections": len(one.detections)} for one in outcomes]
    for one in pictures:
        del one["detections"]  # they are in the file
    return {"detector": captioner.signature(settings), "provider": captioner.provider, "pictures": pictures}


def _lines(outcomes: Sequence[_Outcome]) -> Iterator[str]:
    """A row per picture with its best box, then what was counted."""
    rows = [one for one in outcomes if one.state != "unreadable"]
    if rows:
        yield f"{'picture':<{NAME_WIDTH}}  boxes  score  {'object':<16}  caption of the best box"
        yield "-" * (NAME_WIDTH + 31 + CAPTION_WIDTH)
    for one in rows[:MAX_ROWS]:
        cells = box_cells(one.detections[0] if one.detections else None)
        yield f"{short_name(one.picture):<{NAME_WIDTH}}  {len(one.detections):>5,}  {cells}".rstrip()
    if len(rows) > MAX_ROWS:
        yield f"… {many(len(rows) - MAX_ROWS, 'more picture')}"
    yield counts_line("picture", [one.state for one in outcomes], sum(len(one.detections) for one in rows))
