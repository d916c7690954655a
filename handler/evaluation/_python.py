"""`evaluate(...)`: the request as keyword arguments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from handler.errors import RequestError
from handler.evaluation._local_shards import run_shards
from handler.evaluation._metrics import Machine
from handler.evaluation._request import EvaluationRequest
from handler.evaluation._run import run
from handler.reports import Report

__all__ = ["evaluate"]


def evaluate(
    data: Any,
    *,
    model: str | os.PathLike[str] | None = None,
    clip: str | os.PathLike[str] | None = None,
    detector: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    force: bool = False,
    resume: bool = False,
    shards: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    **request: Any,
) -> Report:
    """Evaluate a file or records.

    data: a path or s3:// uri; a list or generator of dicts (sessions or frames); a pandas or polars DataFrame.
    model, clip, detector: folders of the exported text encoder, CLIP and (videos) dense captioner. threads: cores to use.
    force: score again though a result exists. resume: go on from what a run that was killed left. shards: score a file in
    so many parts, each in a process of its own. cache: a folder or s3:// prefix for vectors of texts, kept between runs.
    request: any field of `EvaluationRequest`, e.g. `metrics=["vision.similarity"]`, `threshold=0.75`, `output="results"`.
    Without `output` nothing is written and rows stay in memory. Raises ScenescoreError.
    """
    if "input" in request:
        raise RequestError("the data are given twice", field="input", hint="Pass the path as the first argument only")
    machine = Machine(
        model=_folder("model", model),
        clip=_folder("clip", clip),
        detector=_folder("detector", detector),
        threads=threads,
        force=force,
        resume=resume,
        shards=shards,
        cache=os.fspath(cache) if cache is not None else None,
    )
    for name in ("output", "references", "questions", "calibration", "detections"):
        if isinstance(request.get(name), os.PathLike):
            request[name] = os.fspath(request[name])
    if isinstance(data, str | os.PathLike):
        asked = EvaluationRequest.parse({"input": os.fspath(data), **request})
        in_parts = shards is not None or (resume and asked.output is not None)
        return run_shards(asked, machine) if in_parts else run(asked, machine)
    if shards is not None:
        raise RequestError("only a file can be cut into shards", field="shards", hint="Pass a path, and an output")
    return run(EvaluationRequest.parse(request), machine, records=data)


def _folder(name: str, given: object) -> Path | None:
    if given is not None and not isinstance(given, str | os.PathLike):
        raise RequestError(f"{name} must be a path, got {type(given).__name__}", field=name)
    return Path(given) if given is not None else None
