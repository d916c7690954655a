"""How often a timed evaluation looks at the clock."""

from __future__ import annotations

from handler.evaluation._chunks import chunks
from handler.samples import Sample


def samples(n, text):
    return iter([Sample(i, "s", "a", str(i), text, (text,)) for i in range(n)])


def sizes(*args, timed):
    found = list(chunks(*args, timed=timed))
    assert [one.index for chunk in found for one in chunk] == list(range(sum(map(len, found))))
    return [len(chunk) for chunk in found]


def test_without_a_clock_only_the_number_counts():
    assert sizes(samples(10, "a" * 100_000), 4, timed=False) == [4, 4, 2]


def test_with_a_clock_long_texts_make_short_chunks():
    assert sizes(samples(10, "a" * 100_000), 256, timed=True) == [3, 3, 3, 1]
    assert sizes(samples(600, "A dog runs."), 256, timed=True) == [256, 256, 88]
    assert sizes(samples(0, ""), 256, timed=True) == []
