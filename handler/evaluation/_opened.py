"""What is scored: the input and the files beside it, opened, named and understood."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from handler.errors import RequestError
from handler.evaluation import _identity
from handler.evaluation._inputs import read_files
from handler.evaluation._request import EvaluationRequest
from handler.formats import Notices, Plan, ReadOptions, plan_items, plan_of, read_items, records_from_python
from handler.metrics import parse_mode
from handler.samples import Record, Sample

__all__ = ["Opened", "open_input", "read_options", "sample_of"]


@dataclass(frozen=True, slots=True)
class Opened:
    """source: the input's name and content. records: read as they are asked for, except that Python data must be held to
    be named. sample: what they are. roles: which file is read as what. companions: {role: content} of the files beside
    the input."""

    source: _identity.InputIdentity
    records: Iterable[Record]
    sample: type[Sample]
    roles: Mapping[str, str]
    companions: Mapping[str, str]


def read_options(request: EvaluationRequest) -> ReadOptions:
    """How to read, as the request says."""
    return ReadOptions(
        format=request.format,
        mapping=request.map,
        encoding=request.encoding,
        on_missing=request.on_missing,
        questions=request.questions,
        references=request.references,
        as_original=parse_mode(request.mode).compat,
    )


def sample_of(request: EvaluationRequest) -> type[Sample]:
    """What the samples of a file will be; looks at its head only. Raises InputError or StorageError."""
    assert request.input is not None
    source = _identity.list_files(request.input)
    plan = plan_of([info.location for info in source], read_options(request))
    return plan.sample if plan else Sample


def open_input(request: EvaluationRequest, records: Any, notices: Notices) -> Opened:
    """Open what the request names, or the records given in its place."""
    given = [one is not None for one in (records, request.sessions, request.input)]
    if sum(given) != 1:
        what = "give either an input file or records" if sum(given) else "there is nothing to evaluate"
        raise RequestError(what, field="input", hint="Name a file, or pass sessions")
    options = read_options(request)
    companions = {role: _identity.content_of(at) for role, at in _companions(request) if request.output is not None}
    if request.input is not None:
        source = _identity.identify_files(request.input)
        plan = plan_of([info.location for info in source.files], options)
        return _opened(source, read_files(source.files, options, notices, plan), plan, companions)
    plan, stream = _from_python(request.sessions if records is None else records, options, notices)
    if request.output is None:
        return _opened(_identity.InputIdentity("records", ""), stream, plan, companions)
    held = list(_up_to(stream, request.limit))
    return _opened(_identity.identify_records(held), held, plan, companions)


def _up_to(records: Iterable[Record], limit: int | None) -> Iterator[Record]:
    """The records up to the last sample that will be scored: a generator may never end."""
    left = limit
    for record in records:
        yield record
        if left is not None and isinstance(record, Sample):
            left -= 1
            if not left:
                return


def _opened(
    source: _identity.InputIdentity, stream: Iterable[Record], plan: Plan | None, companions: Mapping[str, str]
) -> Opened:
    return Opened(source, stream, plan.sample if plan else Sample, plan.roles if plan else {}, companions)


def _companions(request: EvaluationRequest) -> Iterator[tuple[str, str]]:
    for role in ("questions", "references"):
        location = getattr(request, role)
        if location is not None:
            yield role, location


def _from_python(data: Any, options: ReadOptions, notices: Notices) -> tuple[Plan | None, Iterator[Record]]:
    """Objects in a list or generator may be answers to questions; anything else holds descriptions."""
    if not isinstance(data, (list, tuple, Iterator)):
        return None, records_from_python(data, options, notices)
    stream = iter(data)
    first = list(itertools.islice(stream, 1))
    plan = plan_items(first[0], options) if first else None
    data = itertools.chain(first, stream)
    return plan, read_items(plan, data, options, notices) if plan else records_from_python(data, options, notices)
