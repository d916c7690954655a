"""Makes `handler/data/selfcheck.json`: cosines of a few pairs as sentence-transformers on torch computes them.

`python -m model_export.golden` rewrites the numbers of the pairs in the file; `scenescore selfcheck` compares the
machine it runs on with them.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import handler
from model_export.weights import find_weights

__all__ = ["main"]

PATH = Path(handler.__file__).parent / "data" / "selfcheck.json"


def main() -> None:
    """Recompute every pair on one torch thread, each text on its own."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    document: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    weights = find_weights(document["model"])
    model = SentenceTransformer(str(weights.folder), device="cpu")
    for pair in document["pairs"]:
        one, other = (model.encode([pair[key]], normalize_embeddings=True)[0].astype("float64") for key in ("a", "b"))
        pair["cosine"] = round(float(one @ other), 8)
    document["made_with"] = {name: version(name) for name in ("sentence-transformers", "transformers", "torch")}
    PATH.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
