"""Items graded by a judge and people, and the summary of judge.agreement over them."""

from __future__ import annotations

import json

from handler.metrics import get_metric
from handler.samples import JudgedSample


def item(grade, *people, index=1, swapped=None, lengths=(), criterion="s"):
    return JudgedSample(
        index, criterion, "a", str(index), None, (), grade=grade, people=people, swapped=swapped, lengths=lengths
    )


def summary(samples, **options):
    metric = get_metric("judge.agreement", **options)
    tally = metric.tally()
    for sample in samples:
        tally.add(metric.compute(sample))
    restored = metric.tally()
    restored.restore(json.loads(json.dumps(tally.state())))
    assert restored.summary() == tally.summary()
    assert json.loads(json.dumps(tally.summary(), allow_nan=False)) == tally.summary()
    return tally.summary()
