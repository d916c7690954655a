"""What is scored at a time, how often a timed evaluation looks at the clock, and what runs side by side."""

from __future__ import annotations

import threading

import pytest

from handler import evaluate
from handler.errors import InputError
from handler.evaluation._chunks import Chunk, chunks
from handler.evaluation._scoring import limited, overlapped
from handler.samples import EmptySession, Sample, SpeechSample


def samples(n, text="A dog {}."):
    return iter([Sample(i, "s", "a", str(i), text.format(i), (text,)) for i in range(n)])


def sizes(*args, timed):
    found = list(chunks(*args, timed=timed))
    assert [one.index for chunk in found for one in chunk.samples] == list(
        range(sum(len(one.samples) for one in found))
    )
    assert all(chunk.records == chunk.samples and chunk.failure is None for chunk in found)
    return [len(chunk.samples) for chunk in found]


def test_without_a_clock_only_the_number_counts():
    assert sizes(samples(10, "a" * 100_000 + "{}"), 4, timed=False) == [4, 4, 2]
    assert sizes(iter([SpeechSample(i, "s", "a", "1", "a", ("b",)) for i in range(5)]), 2, timed=False) == [2, 2, 1]


def test_frames_whose_texts_came_before_fill_chunks_up():
    assert sizes(samples(40, "a dog"), 2, timed=False) == [32, 8]
    assert sizes(samples(40, "a dog"), 2, timed=True) == [2] * 20
    every_other_is_new = iter([Sample(i, "s", "a", "1", f"dog {i // 2}", ("dog",)) for i in range(12)])
    assert sizes(every_other_is_new, 3, timed=False) == [5, 6, 1]


def test_long_texts_that_come_again_do_not_fill_memory():
    assert max(sizes(samples(40, "a" * 1_000_000), 256, timed=False)) == 2


def test_with_a_clock_long_texts_make_short_chunks():
    assert sizes(samples(10, "a" * 100_000), 256, timed=True) == [3, 3, 3, 1]
    assert sizes(samples(600, "A dog runs."), 256, timed=True) == [256, 256, 88]
    assert sizes(samples(0, ""), 256, timed=True) == []


@pytest.mark.parametrize("timed", [True, False])
def test_what_ends_the_reading_comes_after_what_was_read(timed):
    def broken():
        yield from samples(3)
        yield EmptySession("s", "a")
        raise InputError("broken")

    first, last = chunks(broken(), 2, timed=timed)
    assert (len(first.records), first.failure) == (2, None)
    assert (len(last.records), str(last.failure)) == (2, "broken")


def test_a_limit_counts_samples():
    records = [EmptySession("s", "a"), *samples(3), EmptySession("t", "a")]
    assert list(limited(iter(records), 2)) == records[:3]
    assert list(limited(iter(records), None)) == records
    assert list(limited(iter(records), 0)) == []


def test_settling_and_reading_go_on_while_a_chunk_is_scored():
    """Scoring the second chunk waits until the first is settled and the third is read: alone, it would wait for ever."""
    settled, read = threading.Event(), threading.Event()
    order = []

    def coming():
        for number in range(3):
            if number == 2:
                read.set()
            yield Chunk(samples=[number])

    def score(chunk):
        if chunk.samples == [1]:
            assert settled.wait(10)
            assert read.wait(10)
        chunk.results = {"scored": chunk.samples}

    def settle(chunk):
        assert chunk.results
        order.extend(chunk.samples)
        settled.set()

    overlapped(coming(), score, settle)
    assert order == [0, 1, 2]


def test_what_is_raised_comes_out_after_what_was_scored_before_it_is_settled():
    order = []

    def settle(chunk):
        if chunk.failure:
            raise chunk.failure
        order.append(chunk)

    def stop(chunk):
        if len(order) == 1:
            raise KeyboardInterrupt

    with pytest.raises(InputError, match="second"):
        overlapped(iter([Chunk(), Chunk(failure=InputError("second")), Chunk()]), lambda chunk: None, settle)
    assert len(order) == 1
    with pytest.raises(KeyboardInterrupt):
        overlapped(iter([Chunk() for _ in range(5)]), stop, settle)


def test_a_generator_is_read_in_the_thread_that_it_came_from():
    here = threading.get_ident()

    def frames():
        for number in range(3000):
            assert threading.get_ident() == here
            yield {"answer": f"Dog {number}.", "reference": f"Cat {number}."}

    assert evaluate(frames(), metrics=["captions.ngram"])["counts"]["n_samples"] == 3000
