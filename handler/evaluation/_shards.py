"""An evaluation in three steps that may run anywhere: plan (read once and cut), score a shard, reduce.

Every step may be done again: a plan that is there is kept, a shard that is finished is not scored again and one that was
stopped goes on from its last part, and reducing writes what it wrote before. What lies under `<result>/shards` goes when the
result is complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from handler import storage
from handler.counting import many
from handler.errors import InputError, RequestError, ScenescoreError
from handler.evaluation import _identity
from handler.evaluation._metrics import Machine, make_metrics
from handler.evaluation._opened import Opened, read_options
from handler.evaluation._request import EvaluationRequest
from handler.evaluation._run import Evaluation, finished, prepare
from handler.evaluation._shard_plan import PLAN, ShardPlan
from handler.evaluation._survey import shard_records, survey
from handler.formats import Notices, Plan, plan_of
from handler.reports import ERRORS, SAMPLES, Report, ResultFolder, RowWriter
from handler.samples import Sample
from handler.settings import DEFAULT_SHARD_SAMPLES

__all__ = [
    "UnfinishedError",
    "forget_shards",
    "give_up",
    "plan_shards",
    "planned_before",
    "reduce_shards",
    "score_shard",
]


class UnfinishedError(ScenescoreError):
    """Shards are missing, so there is nothing to reduce yet; what is finished is kept."""

    code = "unfinished"
    exit_code = 3


def plan_shards(
    request: EvaluationRequest,
    machine: Machine,
    *,
    run: str,
    n_shards: int | None = None,
    samples_each: int = DEFAULT_SHARD_SAMPLES,
) -> ShardPlan | Report:
    """Read the input once and cut it, or return the report where it is done already.

    run: names this evaluation among those of the same result; the plan of a run that is there already is kept. n_shards:
    how many, else as many as hold samples_each. Raises ScenescoreError; the result folder then holds error.json and
    errors.jsonl, as after an evaluation in one piece.
    """
    if request.input is None or request.output is None:
        raise RequestError("only a file with an output can be cut into shards", field="input")
    evaluation, opened, folder = prepare(request, machine)
    assert folder is not None
    done = finished(folder, opened, machine)
    if done is not None:
        return done
    location = storage.join(folder.location, "shards", run)
    try:
        return ShardPlan.load(location)
    except (storage.NotFoundError, InputError):
        return _planned(request, machine, evaluation, opened, folder, location, n_shards, samples_each)


def planned_before(request: EvaluationRequest, machine: Machine) -> ShardPlan | None:
    """The plan of an earlier run of the same request that was not finished, the one with the fewest shards to go."""
    _, opened, folder = prepare(request, machine)
    assert folder is not None
    prefix = f"{storage.join(folder.location, 'shards')}/"
    try:
        at = [info.location for info in storage.list_objects(prefix) if info.location.endswith(f"/{PLAN}")]
    except storage.NotFoundError:
        return None
    plans = []
    for location in at:
        try:
            plan = ShardPlan.load(location.rpartition("/")[0])
        except (storage.NotFoundError, InputError):
            continue
        if plan.source == opened.source:  # else it is of the same content elsewhere, as of stdin
            plans.append(plan)
    return min(plans, key=lambda plan: len(list(plan.unfinished())) / len(plan.shards), default=None)


def score_shard(plan: ShardPlan, number: int, machine: Machine) -> None:
    """Score one shard, unless it is finished. Raises OutOfTimeError when `machine.must_stop` says so: call it again."""
    if not 0 <= number < len(plan.shards):
        raise RequestError(f"there is no shard {number} of {len(plan.shards)}", field="shard")
    if storage.stat(plan.state_at(number)) is not None:
        return
    tasks = _tasks(plan)
    evaluation = _evaluation(plan, machine, tasks)
    shard = plan.shards[number]
    records = shard_records(shard, plan.source.files, tasks, read_options(plan.request))
    evaluation.shard(plan.folder(number), plan.state_at(number), records, shard.n_records)


def reduce_shards(plan: ShardPlan, machine: Machine, *, keep: bool = False) -> Report:
    """Write the report of all shards. keep: leave it to the caller to `forget_shards`. Raises UnfinishedError when one is
    missing."""
    missing = list(plan.unfinished())
    folder = ResultFolder(plan.result)
    if missing:
        raise UnfinishedError(
            f"not finished: {len(missing)} of {many(len(plan.shards), 'shard')}, the first is {missing[0]}",
            file=plan.location,
        )
    rows = [storage.join(plan.folder(number), SAMPLES) for number in range(len(plan.shards))]
    storage.concatenate([storage.join(plan.location, ERRORS)], storage.join(folder.location, ERRORS))
    storage.concatenate(rows, storage.join(folder.location, SAMPLES))
    evaluation = _evaluation(plan, machine, _tasks(plan), plan.notices)
    report = evaluation.gather(folder, _states(plan), plan.counted)
    if not keep:
        forget_shards(plan)
    return report


def forget_shards(plan: ShardPlan) -> None:
    """Remove what the finished result no longer needs; the plan goes first, so that no half set is ever carried on."""
    storage.delete(storage.join(plan.location, PLAN))
    for leftover in ("shards", "parts"):
        storage.delete_tree(f"{storage.join(plan.result, leftover)}/")


def _planned(
    request: EvaluationRequest,
    machine: Machine,
    evaluation: Evaluation,
    opened: Opened,
    folder: ResultFolder,
    location: str,
    n_shards: int | None,
    samples_each: int,
) -> ShardPlan:
    notices, options = Notices(), read_options(request)
    tasks = plan_of([info.location for info in opened.source.files], options)
    failure: ScenescoreError | None = None
    with storage.open_write(storage.join(location, ERRORS)) as errors:
        writer = RowWriter(errors, errors)
        try:
            shards, counted = survey(
                opened.source.files,
                tasks,
                options,
                notices,
                n_shards=n_shards,
                samples_each=samples_each,
                limit=request.limit,
                on_unreadable=writer.unreadable,
            )
            evaluation.refuse_unreadable(counted)
            opened.source.check_unchanged()
        except ScenescoreError as error:
            failure = error
    if failure is not None:
        _fail(folder, location, failure)
        raise failure
    signatures = {metric.name: metric.signature() for metric in make_metrics(request, machine, opened.sample)}
    plan = ShardPlan(
        location=location,
        result=folder.location,
        request=request,
        source=opened.source,
        signatures=signatures,
        companions={at: _identity.mark_of(at) for role in opened.companions for at in [getattr(request, role)]},
        shards=shards,
        counted=counted,
        notices=notices,
        sequencer=machine.sequencer,
    )
    plan.save()
    return plan


def give_up(plan: ShardPlan, error: ScenescoreError) -> None:
    """Write error.json, as an evaluation in one piece does when the file or the request is wrong, and forget the shards."""
    _fail(ResultFolder(plan.result), plan.location, error)


def _fail(folder: ResultFolder, location: str, error: ScenescoreError) -> None:
    """A result that was complete before stays as it was."""
    if folder.report() is None:
        storage.concatenate([storage.join(location, ERRORS)], storage.join(folder.location, ERRORS))
        folder.write_error(error)
    storage.delete_tree(f"{location}/")


def _tasks(plan: ShardPlan) -> Plan | None:
    return plan_of([info.location for info in plan.source.files], read_options(plan.request))


def _evaluation(plan: ShardPlan, machine: Machine, tasks: Plan | None, notices: Notices | None = None) -> Evaluation:
    """Made as the plan was. Raises RequestError where this process would score otherwise, ChangedError for other files."""
    metrics = make_metrics(plan.request, machine, tasks.sample if tasks else Sample)
    signatures = {metric.name: metric.signature() for metric in metrics}
    if signatures != plan.signatures:
        raise RequestError(
            "the shards were planned with other metrics or another model than this process has",
            file=plan.location,
            hint="Use one version of model and code for all steps, or plan again",
        )
    plan.source.check_unchanged()
    for at, mark in plan.companions.items():
        if _identity.mark_of(at) != mark:
            raise storage.ChangedError("the file was replaced since the shards were planned", file=at)
    request = plan.request.model_copy(update={"limit": None}) if notices is None else plan.request
    return Evaluation(request, machine, metrics, plan.source, notices or Notices())


def _states(plan: ShardPlan) -> Iterator[dict[str, Any]]:
    for number in range(len(plan.shards)):
        at = plan.state_at(number)
        try:
            yield orjson.loads(storage.read_bytes(at))
        except orjson.JSONDecodeError as error:  # a power cut may leave it so
            storage.delete(at)
            raise UnfinishedError(
                f"the state of shard {number} was damaged; it must be scored again", file=at
            ) from error
