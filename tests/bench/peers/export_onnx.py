"""sentence-transformers' own ONNX export, once, so that no run pays for it: WEIGHTS FOLDER."""

from __future__ import annotations

import sys

from sentence_transformers import SentenceTransformer

weights, folder = sys.argv[1:]
SentenceTransformer(weights, device="cpu", backend="onnx").save_pretrained(folder)
print("{}")
