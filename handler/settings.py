"""Settings that come from the machine and the environment, read once, in one place."""

from __future__ import annotations

import math
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from handler.errors import SettingsError

Precision = Literal["fp32", "int8"]

DEFAULT_MODEL_NAME = "all-mpnet-base-v2"
DEFAULT_CLIP_NAME = "clip"
DEFAULT_DETECTOR_NAME = "GRiT_B_DenseCap_ObjectDet"
DEFAULT_THRESHOLD = 0.75
MODEL_CARD = "card.json"
PRECISIONS: tuple[Precision, ...] = ("fp32", "int8")
DEFAULT_OUTPUT = "./scenescore-results"
DEFAULT_DETECTIONS = "./scenescore-detections"
DEFAULT_MAX_ERROR_RATE = 0.01
DEFAULT_CACHE_BYTES = 2 << 30
DEFAULT_SHARD_ABOVE_BYTES = (
    4 << 20
)  # some 12,000 frames, which take one vCPU five to ten minutes: one invocation holds them
_WRITABLE = ("s3://", "/tmp/")  # noqa: S108 - on Lambda, where no other user is
DEFAULT_SHARD_SAMPLES = 4000  # two to four minutes of one vCPU, beside which a cold start of 5 s is little
DEFAULT_SHARD_CONCURRENCY = 100  # a tenth of the concurrent executions that an account has at first


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says.

    model: folder of the exported text encoder (SCENESCORE_MODEL), else the user's cache folder. clip: of the exported CLIP
    (SCENESCORE_CLIP), else the user's cache folder. output: where result folders go (SCENESCORE_OUTPUT), a path or an
    s3:// prefix. inputs: s3:// prefixes that requests may read (SCENESCORE_INPUTS, separated by commas). queue_url: where
    work goes that cannot be done at once (SCENESCORE_QUEUE_URL). event_bus: told when an evaluation ends
    (SCENESCORE_EVENT_BUS). max_receives: how often the queue delivers a message before it gives up
    (SCENESCORE_MAX_RECEIVES), so that the last try can say why it failed. detector: folder of the exported dense captioner
    (SCENESCORE_DETECTOR), else the user's cache folder. precision: of the text encoder where a request names none
    (SCENESCORE_PRECISION), fp32 or int8. job_queue, detect_job, reduce_job: of AWS Batch, where videos are
    looked at (SCENESCORE_JOB_QUEUE, SCENESCORE_DETECT_JOB, SCENESCORE_REDUCE_JOB), all three or none.

    cache: where vectors of texts are kept between runs, a folder or s3:// prefix (SCENESCORE_CACHE), at most cache_bytes per
    model (SCENESCORE_CACHE_BYTES, 2 GiB: some 700,000 texts). state_machine: ARN of the Step Functions state machine that
    scores large uploads in shards (SCENESCORE_STATE_MACHINE). shard_above_bytes: inputs larger than this go to it
    (SCENESCORE_SHARD_ABOVE_BYTES). shard_samples: samples of one shard (SCENESCORE_SHARD_SAMPLES). shard_concurrency: shards
    scored at a time (SCENESCORE_SHARD_CONCURRENCY).
    """

    model: Path
    output: str
    inputs: tuple[str, ...] = ()
    queue_url: str | None = None
    event_bus: str | None = None
    max_receives: int = 3
    clip: Path = field(default_factory=lambda: default_model_folder(DEFAULT_CLIP_NAME))
    detector: Path = field(default_factory=lambda: default_model_folder(DEFAULT_DETECTOR_NAME))
    job_queue: str | None = None
    detect_job: str | None = None
    reduce_job: str | None = None
    cache: str | None = None
    cache_bytes: int = DEFAULT_CACHE_BYTES
    state_machine: str | None = None
    shard_above_bytes: int = DEFAULT_SHARD_ABOVE_BYTES
    shard_samples: int = DEFAULT_SHARD_SAMPLES
    shard_concurrency: int = DEFAULT_SHARD_CONCURRENCY
    precision: Precision = PRECISIONS[0]

    @classmethod
    def from_environment(cls) -> Settings:
        """Read the SCENESCORE_* variables. Raises SettingsError for values that do not fit together."""
        model, clip, detector = (os.environ.get(f"SCENESCORE_{name}") for name in ("MODEL", "CLIP", "DETECTOR"))
        settings = cls(
            model=Path(model) if model else default_model_folder(),
            output=os.environ.get("SCENESCORE_OUTPUT") or DEFAULT_OUTPUT,
            inputs=tuple(filter(None, (one.strip() for one in os.environ.get("SCENESCORE_INPUTS", "").split(",")))),
            queue_url=os.environ.get("SCENESCORE_QUEUE_URL") or None,
            event_bus=os.environ.get("SCENESCORE_EVENT_BUS") or None,
            max_receives=_positive("SCENESCORE_MAX_RECEIVES", 3),
            clip=Path(clip) if clip else default_model_folder(DEFAULT_CLIP_NAME),
            detector=Path(detector) if detector else default_model_folder(DEFAULT_DETECTOR_NAME),
            job_queue=os.environ.get("SCENESCORE_JOB_QUEUE") or None,
            detect_job=os.environ.get("SCENESCORE_DETECT_JOB") or None,
            reduce_job=os.environ.get("SCENESCORE_REDUCE_JOB") or None,
            cache=os.environ.get("SCENESCORE_CACHE") or None,
            cache_bytes=_positive("SCENESCORE_CACHE_BYTES", DEFAULT_CACHE_BYTES),
            state_machine=os.environ.get("SCENESCORE_STATE_MACHINE") or None,
            shard_above_bytes=_positive("SCENESCORE_SHARD_ABOVE_BYTES", DEFAULT_SHARD_ABOVE_BYTES),
            shard_samples=_positive("SCENESCORE_SHARD_SAMPLES", DEFAULT_SHARD_SAMPLES),
            shard_concurrency=_positive("SCENESCORE_SHARD_CONCURRENCY", DEFAULT_SHARD_CONCURRENCY),
            precision=default_precision(),
        )
        settings.check()
        if os.environ.get("AWS_LAMBDA_FUNCTION_NAME") and not settings.output.startswith(_WRITABLE):
            raise SettingsError(
                f"results would go to {settings.output}, on a disk that cannot be written",
                field="SCENESCORE_OUTPUT",
                hint="Set SCENESCORE_OUTPUT to an s3:// prefix",
            )
        return settings

    def check(self) -> None:
        """Refuse prefixes that are none, an output whose results would come back as inputs, and half a Batch."""
        jobs = {name: getattr(self, name.lower()) for name in ("JOB_QUEUE", "DETECT_JOB", "REDUCE_JOB")}
        for name, value in jobs.items():
            if value is None and any(jobs.values()):
                raise SettingsError(
                    f"SCENESCORE_{name} is not set, and others of the Batch settings are", field=f"SCENESCORE_{name}"
                )
        for prefix in self.inputs:
            if not prefix.startswith("s3://") or not prefix.removeprefix("s3://").strip("/"):
                raise SettingsError(
                    f"SCENESCORE_INPUTS names {prefix!r}, which is no s3:// prefix", field="SCENESCORE_INPUTS"
                )
            if is_under(self.output, prefix) or is_under(prefix, self.output):
                raise SettingsError(
                    f"results under {self.output} would themselves be inputs: it overlaps {prefix}",
                    field="SCENESCORE_OUTPUT",
                    hint="Use another bucket, or prefixes of which neither contains the other",
                )


def _positive(variable: str, default: int) -> int:
    text = os.environ.get(variable) or str(default)
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise SettingsError(f"{variable} is {text!r}, not a whole number from 1", field=variable)
    return int(text)


def default_precision() -> Precision:
    """What a request means that names no precision: SCENESCORE_PRECISION, else fp32. Raises SettingsError."""
    found = os.environ.get("SCENESCORE_PRECISION") or PRECISIONS[0]
    for one in PRECISIONS:
        if one == found:
            return one
    raise SettingsError(
        f"SCENESCORE_PRECISION is {found!r}", field="SCENESCORE_PRECISION", hint=f"It is {' or '.join(PRECISIONS)}"
    )


def is_under(location: str, prefix: str) -> bool:
    """Whether a location lies in a bucket or under a key prefix, by whole path segments."""
    return f"{location.rstrip('/')}/".startswith(f"{prefix.rstrip('/')}/")


def default_model_folder(name: str = DEFAULT_MODEL_NAME) -> Path:
    """The folder `scenescore export` writes to unless told otherwise: $XDG_CACHE_HOME/scenescore/models/NAME."""
    cache = os.environ.get("XDG_CACHE_HOME")
    try:
        base = Path(cache) if cache else Path.home() / ".cache"
    except RuntimeError:  # a user without a name or home, as containers have them
        base = Path(tempfile.gettempdir())
    return base / "scenescore" / "models" / name


def has_model(folder: Path) -> bool:
    """Whether an exported model lies in a folder, as far as its name says."""
    return (folder / MODEL_CARD).is_file()


def compact_folder(folder: Path) -> Path:
    """Where the int8 model of an fp32 model's folder lies: beside it."""
    return folder.with_name(f"{folder.name}-int8")


def available_threads() -> int:
    """Cores this process may really use: its CPU set, cut by a container's CPU quota; at least 1.

    `os.cpu_count` would name the host's cores: on a container of a big host that oversubscribes and stalls.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    quota = _cgroup_quota()
    return max(1, min(cores, math.ceil(quota)) if quota else cores)


def _cgroup_quota() -> float | None:
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return None
    return None if quota == "max" else int(quota) / int(period)
