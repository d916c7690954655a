"""`python -m model_export.claims.evaluate --model DIR --triplets FILE --sugarcrepe DIR`: what the shipped judge sees.

triplets: JSON lines of id, kind, reference, paraphrase, contradiction, contradiction_reworded. Nothing here was fitted on
them; of SugarCrepe++ only the test part is read. With --record the figures are written into the judge's card.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from handler.claims import DEFAULT_THRESHOLD, LAYERS
from handler.claims._tables import CARD
from handler.errors import ScenescoreError
from handler.models import TextEncoder
from model_export.claims.card import record_figures
from model_export.claims.encoding import Encodings
from model_export.claims.figures import Judged, contexts_of, figures_of_contexts, figures_of_pairs, figures_of_triplets
from model_export.claims.pairs import read_sugarcrepe, sugarcrepe_pairs

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures. Returns 0, or 2 when the data or the model cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m model_export.claims.evaluate", description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="the exported all-mpnet-base-v2")
    parser.add_argument("--triplets", type=Path, help="triplets, JSON lines")
    parser.add_argument("--sugarcrepe", type=Path, help="folder of SugarCrepe++'s data")
    parser.add_argument("--cache", type=Path, default=Path("build/claims"), help="where token vectors are kept")
    parser.add_argument("--record", action="store_true", help="write the figures into the judge's card")
    parser.add_argument("--threshold", type=float, default=DEFAULT_THRESHOLD)
    options = parser.parse_args(arguments)
    try:
        encodings = Encodings(TextEncoder(options.model, threads=1, remember=1), options.cache, layers=LAYERS)
        measured = _measure(Judged(encodings), options.triplets, options.sugarcrepe, options.threshold)
    except (ScenescoreError, OSError) as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2
    for title, figures in measured.items():
        print(f"\n{title}")
        for name, value in figures.items():
            print(f"  {name:44} {value:.3f}" if isinstance(value, float) else f"  {name:44} {value}")
    if options.record:
        record_figures(CARD, measured)
    return 0


def _measure(
    judged: Judged, triplets: Path | None, sugarcrepe: Path | None, threshold: float
) -> dict[str, dict[str, Any]]:
    measured = {}
    if triplets:
        rows = [json.loads(line) for line in triplets.read_text("utf-8").splitlines() if line.strip()]
        measured["triplets"] = dict(figures_of_triplets(judged, rows, threshold))
        contexts = figures_of_contexts(judged, contexts_of(rows), threshold)
        measured["three sentences, one of them wrong"] = dict(contexts)
    if sugarcrepe:
        pairs = list(sugarcrepe_pairs(read_sugarcrepe(sugarcrepe), "test"))
        measured["SugarCrepe++, test part"] = dict(figures_of_pairs(judged, pairs, threshold))
    return measured


if __name__ == "__main__":
    sys.exit(main())
