"""Carrying an evaluation on until it is done, in one piece or in shards, whatever happens to its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from handler.errors import ScenescoreError
from handler.evaluation import EvaluationRequest, Machine, ShardPlan, plan_shards, reduce_shards, run, score_shard
from handler.jobs import Clock, run_step
from handler.reports import Report, ResultFolder
from tests.faults.inputs import files_of, one_of, request_of, undisturbed
from tests.faults.oracle import WrongError, verify
from tests.faults.world import Dead, Storm, World

__all__ = ["evaluated_under"]

PATIENCE = 120  # attempts after which a run that never ends counts as lost; the last half is undisturbed
N_SHARDS = (1, 2, 3, 5, 7, 64)

Step = Callable[[Machine, Clock], Any]


def evaluated_under(seed: int, model: Path, *, kill: float = 0.0, **rates: float) -> None:
    """An input of the campaign, evaluated under a storm of these rates and compared; see `Storm`.

    kill: share of invocations that are killed after some number of calls. Raises WrongError.
    """
    world = World(seed, model)
    name = one_of(world.chance)
    base = f"s3://b/in/{name}"
    expected = undisturbed(name, base, model)
    world.install()
    for file, data in files_of(name)[1].items():
        world.put(f"in/{name}/{file}", data)
    request = request_of(name, base, "s3://b/out")
    drive = _Drive(world, Storm(world, **rates), kill)
    way = world.chance.choice((drive.in_one_piece, drive.in_shards, drive.in_shards, drive.by_state_machine))
    location = way(request)
    world.s3.weather = Storm(world)
    with world.working():
        verify(location, expected)


class _Drive:
    """Invokes steps as a queue or Step Functions would: what is killed, refused or out of time comes again."""

    def __init__(self, world: World, storm: Storm, kill: float) -> None:
        self._world, self._storm, self._kill = world, storm, kill

    def to_the_end(self, step: Step) -> Any:
        world = self._world
        for attempt in range(PATIENCE):
            calm = attempt >= PATIENCE // 2
            world.s3.weather = Storm(world) if calm else self._storm
            killed = not calm and world.chance.random() < self._kill
            with world.working(600.0 if calm else 60.0, world.chance.randrange(60) if killed else None) as clock:
                try:
                    return step(Machine(model=world.settings.model, must_stop=clock.is_up), clock)
                except Dead:
                    pass
                except ScenescoreError as error:
                    if error.is_callers:
                        raise WrongError(f"{type(error).__name__}: {error}") from error
            world.time.pass_by(world.chance.uniform(0, 30))
        raise WrongError("lost: it never ends")

    def in_one_piece(self, request: EvaluationRequest) -> str:
        """Returns the result folder, as all ways do."""
        return self.to_the_end(lambda machine, _: run(request, machine)).location or ""

    def in_shards(self, request: EvaluationRequest) -> str:
        """Plan, score every shard (some twice, in any order), reduce."""
        n_shards = self._world.chance.choice(N_SHARDS)
        plan = self.to_the_end(lambda machine, _: plan_shards(request, machine, run="r", n_shards=n_shards))
        if not isinstance(plan, ShardPlan):
            return plan.location or ""
        for number in self._order(len(plan.shards)):
            self.to_the_end(lambda machine, _, n=number: score_shard(ShardPlan.load(plan.location), n, machine))
        return self.to_the_end(lambda machine, _: _reduce(plan, machine)).location or ""

    def by_state_machine(self, request: EvaluationRequest) -> str:
        """The steps that Step Functions sends to the function; any answer may be lost and the step sent again."""
        settings = replace(self._world.settings, shard_samples=self._world.chance.choice((1, 9, 30, 1000)))

        def go(event: dict[str, Any]) -> dict[str, Any]:
            answer = self.to_the_end(lambda _, clock: run_step(event, settings, clock))
            if self._world.chance.random() < 0.2:
                answer = self.to_the_end(lambda _, clock: run_step(event, settings, clock))
            return answer

        what = request.model_dump(exclude_none=True, exclude={"output"})
        planned = go({"schema": "scenescore.plan/1", "request": what})
        if planned["state"] != "planned":
            return str(planned["location"])
        for number in self._order(planned["n_shards"]):
            event = {"schema": "scenescore.map/1", "plan": planned["plan"], "shard": number}
            while go(event)["state"] != "done":
                pass
        return str(go(planned)["location"])

    def _order(self, n: int) -> list[int]:
        numbers = [*range(n)]
        numbers += [number for number in numbers if self._world.chance.random() < 0.2]
        self._world.chance.shuffle(numbers)
        return numbers


def _reduce(plan: ShardPlan, machine: Machine) -> Report:
    """The last step, whose answer may have been lost before."""
    done = ResultFolder(plan.result).report()
    if done is not None:
        return Report(done, location=plan.result)
    return reduce_shards(ShardPlan.load(plan.location), machine)
