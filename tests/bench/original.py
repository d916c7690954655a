"""The work as fair-forge does it: for each metric, for each frame, encode the two texts and compare them.

Run as a process of its own: `python -m tests.bench.original WEIGHTS FILE OUTPUT THREADS`.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

started = time.perf_counter()
weights, source, output, threads = sys.argv[1:]
torch.set_num_threads(int(threads))
model = SentenceTransformer(weights, device="cpu")
frames = json.loads(Path(source).read_text())[0]["conversation"]
metrics = {}
scoring = time.perf_counter()
for metric in ("similarity", "hallucination"):
    scores = []
    for frame in frames:
        texts = [frame["assistant"], frame["ground_truth_assistant"]]
        one, other = model.encode(texts, batch_size=64, normalize_embeddings=True, show_progress_bar=False)
        scores.append(float(np.dot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other))))
    metrics[metric] = scores
seconds = time.perf_counter() - scoring
Path(output).write_text(json.dumps(metrics))
print(json.dumps({"scoring_seconds": seconds}))
