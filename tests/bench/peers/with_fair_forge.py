"""The work with fair-forge's own classes: FILE OUTPUT WEIGHTS THREADS.

The scorer is given by hand: the default one passes the embedder an argument it does not have, and raises. Both classes
share it, so the model is loaded once.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import torch
from fair_forge.core import Retriever
from fair_forge.embedders import SentenceTransformerEmbedder
from fair_forge.metrics.vision import VisionHallucination, VisionSimilarity
from fair_forge.schemas.common import Dataset
from fair_forge.scorers import CosineSimilarity

source, output, weights, threads = sys.argv[1:]
torch.set_num_threads(int(threads))


class Annotations(Retriever):
    """The file."""

    def load_dataset(self) -> list[Any]:
        return [Dataset.model_validate(one) for one in json.loads(Path(source).read_text())]


scorer = CosineSimilarity(SentenceTransformerEmbedder(weights))
started = time.perf_counter()
with contextlib.redirect_stdout(sys.stderr):
    similar = VisionSimilarity.run(Annotations, scorer=scorer)
    first_score = time.time() - float(os.environ["BENCH_STARTED"])
    VisionHallucination.run(Annotations, scorer=scorer)
seconds = time.perf_counter() - started
Path(output).write_text(json.dumps([one.similarity_score for metric in similar for one in metric.interactions]))
print(json.dumps({"scoring_seconds": seconds, "first_score_seconds": first_score}))
