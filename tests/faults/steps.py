"""Carrying an evaluation on until it is done, in one piece or in shards, whatever happens to its steps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from handler.errors import ScenescoreError
from handler.evaluation import EvaluationRequest, Machine, ShardPlan, plan_shards, reduce_shards, run, score_shard
from handler.reports import Report, ResultFolder
from tests.faults.inputs import files_of, one_of, request_of, undisturbed
from tests.faults.oracle import WrongError, verify
from tests.faults.world import Dead, Storm, World

__all__ = ["evaluated_under"]

PATIENCE = 400  # attempts after which a run that never ends counts as lost; the last half is undisturbed
N_SHARDS = (1, 2, 7, 64)

Step = Callable[[Machine], Report]


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
    report = drive.in_shards(request) if world.chance.random() < 0.5 else drive.to_the_end(lambda it: run(request, it))
    world.s3.weather = Storm(world)
    with world.working():
        verify(report.location or "", expected)


class _Drive:
    """Invokes steps as a queue or Step Functions would: what is killed, refused or out of time comes again."""

    def __init__(self, world: World, storm: Storm, kill: float) -> None:
        self._world, self._storm, self._kill = world, storm, kill

    def to_the_end(self, step: Step) -> Report:
        world = self._world
        for attempt in range(PATIENCE):
            calm = attempt >= PATIENCE // 2
            world.s3.weather = Storm(world) if calm else self._storm
            killed = not calm and world.chance.random() < self._kill
            with world.working(600.0 if calm else 60.0, world.chance.randrange(60) if killed else None) as clock:
                try:
                    return step(Machine(model=world.settings.model, must_stop=clock.is_up))
                except Dead:
                    pass
                except ScenescoreError as error:
                    if error.is_callers:
                        raise WrongError(f"{type(error).__name__}: {error}") from error
            world.time.pass_by(world.chance.uniform(0, 30))
        raise WrongError("lost: it never ends")

    def in_shards(self, request: EvaluationRequest) -> Report:
        """Plan, score every shard (some twice, in any order), reduce."""
        chance, n = self._world.chance, self._world.chance.choice(N_SHARDS)
        plans: list[ShardPlan] = []

        def plan(machine: Machine) -> Report:
            found = plan_shards(request, machine, run="r", n_shards=n)
            if isinstance(found, Report):
                return found
            plans[:] = [found]
            return Report({}, location=found.result)

        first = self.to_the_end(plan)
        if not plans:
            return first
        at, result = plans[0].location, plans[0].result
        numbers = [*range(len(plans[0].shards))]
        numbers += [number for number in numbers if chance.random() < 0.2]
        chance.shuffle(numbers)
        for number in numbers:
            self.to_the_end(lambda machine, number=number: _score(at, number, machine, result))
        return self.to_the_end(lambda machine: _reduce(at, result, machine))


def _score(at: str, number: int, machine: Machine, result: str) -> Report:
    score_shard(ShardPlan.load(at), number, machine)
    return Report({}, location=result)


def _reduce(at: str, result: str, machine: Machine) -> Report:
    """The last step, whose answer may have been lost before."""
    done = ResultFolder(result).report()
    return Report(done, location=result) if done is not None else reduce_shards(ShardPlan.load(at), machine)
