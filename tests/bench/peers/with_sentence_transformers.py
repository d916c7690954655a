"""The work as one writes it with sentence-transformers: all texts in batches, once for both metrics.

FILE OUTPUT WEIGHTS THREADS torch|onnx. For onnx, WEIGHTS is a folder that holds onnx/model.onnx. Texts are made distinct
first, as anybody would who has seen what a camera writes.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from sentence_transformers import SentenceTransformer

BATCH = 32  # the library's default
source, output, weights, threads, backend = sys.argv[1:]


def load() -> Any:
    """The model on as many threads as there may be."""
    if backend == "torch":
        import torch

        torch.set_num_threads(int(threads))
        return SentenceTransformer(weights, device="cpu")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(threads)
    more = {"provider": "CPUExecutionProvider", "session_options": options}
    return SentenceTransformer(weights, device="cpu", backend="onnx", model_kwargs=more)


model = load()
started = time.perf_counter()
frames = [frame for session in json.loads(Path(source).read_text()) for frame in session["conversation"]]
pairs = [(frame["assistant"], frame["ground_truth_assistant"]) for frame in frames]
texts = list(dict.fromkeys(text for pair in pairs for text in pair))
vectors = model.encode(texts, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False)
of = dict(zip(texts, vectors, strict=True))
scores = [float(of[answer] @ of[reference]) for answer, reference in pairs]
first_score = time.time() - float(os.environ["BENCH_STARTED"])
seconds = time.perf_counter() - started
Path(output).write_text(json.dumps(scores))
print(json.dumps({"scoring_seconds": seconds, "first_score_seconds": first_score}))
