"""How many tokens should go through the graph together: `python -m tests.bench.batches [FOLDER ...]`.

CPU seconds of one thread for the same distinct captions, budgets and model folders in turns, the median of each. What it
says went into model_export/README.md and, as `batch_tokens`, into the cards.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

from handler.models import TextEncoder
from tests.bench.contenders import encoder_folders
from tests.bench.pairs import caption_texts

BUDGETS = (64, 128, 192, 256, 384, 512, 1024)
ROUNDS = 5
N_TEXTS = 400


def main() -> None:
    """Print a table."""
    folders = list(map(Path, sys.argv[1:])) or list(encoder_folders().values())
    texts = caption_texts(N_TEXTS)
    first = {folder: TextEncoder(folder, threads=1) for folder in folders}
    encoders = {(folder, tokens): _like(one, tokens) for folder, one in first.items() for tokens in BUDGETS}
    found: dict[tuple[Path, int], list[float]] = {key: [] for key in encoders}
    for round_ in range(ROUNDS + 1):
        for key, encoder in encoders.items():
            started = time.thread_time()
            encoder.encode_distinct(texts)
            if round_:  # the first one loads the model
                found[key].append(time.thread_time() - started)
    print(f"{N_TEXTS} distinct captions, CPU seconds of one thread")
    print("tokens      " + "".join(f"{tokens:>8}" for tokens in BUDGETS))
    for folder in folders:
        print(
            f"{encoders[folder, BUDGETS[0]].precision:<12}"
            + "".join(f"{statistics.median(found[folder, tokens]):8.3f}" for tokens in BUDGETS)
        )


def _like(one: TextEncoder, tokens: int) -> TextEncoder:
    encoder = TextEncoder(one.folder, threads=1, remember=0, like=one)
    encoder.card.batch_tokens = tokens
    return encoder


if __name__ == "__main__":
    main()
