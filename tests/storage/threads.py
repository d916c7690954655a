"""Running the same work in several threads at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable


def in_threads(count: int, work: Callable[[int], object]) -> list[object]:
    """Run work(0..count-1) at the same moment; what each returned or raised."""
    results: list[object] = [None] * count
    start = threading.Barrier(count)

    def run(number: int) -> None:
        start.wait()
        try:
            results[number] = work(number)
        except Exception as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
