"""The fault families by name. A run is `family(seed, model)`; it raises when anything is lost, doubled or wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.faults.deliveries import delivered
from tests.faults.local import full_disk, killed, torn
from tests.faults.steps import evaluated_under

__all__ = ["FAMILIES"]

Family = Callable[[int, Path], None]

FAMILIES: dict[str, Family] = {
    "kill": killed,
    "half_written": torn,
    "full_disk": full_disk,
    "deliveries": partial(delivered, throttle=0.01, repeat=0.03, lose_answer=0.005, conflict=0.02, seconds=0.3),
    "races": partial(delivered, workers=3, conflict=0.02, seconds=0.3, jump=0.005),
    "death": partial(evaluated_under, kill=0.7),
    "throttling": partial(evaluated_under, throttle=0.03, unreachable=0.01, conflict=0.05),
    "lost_answers": partial(evaluated_under, repeat=0.1, lose_answer=0.02, conflict=0.03),
    "slow_reads": partial(evaluated_under, slow_body=0.2, cut_body=0.1, seconds=0.4),
    "clock_jumps": partial(evaluated_under, jump=0.05, freeze=0.02, seconds=0.3),
}
