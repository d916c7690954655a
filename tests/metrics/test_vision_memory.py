"""What vision metrics remember: bounded, and no thread's results are lost to another's."""

from __future__ import annotations

from handler.claims import Judgement
from handler.metrics import get_metric
from handler.metrics.vision import PairClaims, PairScore
from handler.metrics.vision._memory import Memory
from handler.samples import Sample


def sample(answer):
    return Sample(0, "s", "a", answer[:9], answer, ("A man waits.",))


class Source:
    """Judges nothing, counts pairs; `meanwhile` runs once, while it judges."""

    def __init__(self):
        self.n = 0
        self.meanwhile = None

    def judge(self, pairs):
        self.n += len(pairs)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile:
            meanwhile()
        return [PairClaims(PairScore(0.5), Judgement(len(answer) / 1e6)) for answer, _ in pairs]

    def signature_parts(self):
        return {}


def test_what_another_thread_makes_forgotten_is_still_answered():
    source = Source()
    metric = get_metric("vision.claims", source=source)
    metric.compute(sample("Two men wait."))
    many = [sample(f"Man {number} waits.") for number in range(metric.most_remembered)]
    source.meanwhile = lambda: metric.compute_batch(many)
    known, new = metric.compute_batch([sample("Two men wait."), sample("A dog waits.")])
    assert (known.score, new.score) == (13 / 1e6, 12 / 1e6)


def test_long_texts_are_remembered_less_long():
    source = Source()
    metric = get_metric("vision.claims", source=source)
    for number in range(40):
        metric.compute(sample(f"{number} " + "long " * 10_000))
    before = source.n
    metric.compute(sample("0 " + "long " * 10_000))
    assert source.n == before + 1
    metric.compute(sample("39 " + "long " * 10_000))
    assert source.n == before + 1


def test_all_is_forgotten_past_either_bound():
    memory = Memory(2, 10)
    memory.add({"a": 1}, 4)
    memory.add({"b": 2}, 4)
    assert memory.find(["b", "a", "c"]) == {"b": 2, "a": 1}
    memory.add({"c": 3}, 1)
    assert memory.find("abc") == {"c": 3}
    memory.add({"d": 4}, 10)
    assert memory.find("abcd") == {"d": 4}
