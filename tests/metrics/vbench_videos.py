"""Videos with detections given by hand, and the summary of a metric over them."""

from __future__ import annotations

import json

from handler.metrics import get_metric
from handler.samples import DetectedFrame, Detection, VideoSample

LEFT, RIGHT, LOW = (10, 50, 60, 90), (150, 55, 200, 95), (12, 200, 62, 240)


def frame(*seen):
    """A frame from (object, caption) or (object, box), the most certain first."""
    found = []
    for word, rest in seen:
        caption, box = (rest, LEFT) if isinstance(rest, str) or rest is None else (word, rest)
        found.append(Detection(tuple(map(float, box)), 0.9, caption, 0.5, word, 0.5))
    return DetectedFrame(0, 0.0, tuple(found))


def video(*frames, **asked):
    return VideoSample(0, "s", "generator", "v", None, (), frames=frames, **asked)


def score(name, sample, mode="strict", **options):
    return get_metric(f"vbench.{name}", mode=mode, **options).compute(sample)


def red(*captions, prompt="a red car", color="red", word="car", **asked):
    return video(*(frame((word, caption)) for caption in captions), prompt=prompt, color=color, **asked)


def summary(name, samples, mode="strict", **options):
    """The summary, the same through a saved state and through shards in any order."""
    metric = get_metric(f"vbench.{name}", mode=mode, **options)
    results = [metric.compute(sample) for sample in samples]
    whole, back, shards = metric.tally(), metric.tally(), [metric.tally() for _ in range(3)]
    for place, result in enumerate(results):
        whole.add(result)
        shards[place % 3].add(result)
    for result in reversed(results):
        back.add(result)
    merged = metric.tally()
    for shard in reversed(shards):
        restored = metric.tally()
        restored.restore(json.loads(json.dumps(shard.state())))
        merged.merge_from(restored)
    assert whole.summary() == back.summary() == merged.summary()
    assert json.loads(json.dumps(whole.summary(), allow_nan=False)) == whole.summary()
    return whole.summary()
