"""`scenescore selfcheck`: does this machine, with this model, give the numbers it should?"""

from __future__ import annotations

import argparse
import platform
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson

from handler.cli._model import model_folder
from handler.cli._options import print_json
from handler.errors import ModelError
from handler.metrics.vision import PairScorer
from handler.models import TextEncoder, check_content, int8_kernel, shared_text_encoder
from handler.reports import dump_json
from handler.settings import PRECISIONS, available_threads, default_precision

__all__ = ["add_arguments", "run"]

FEATURES = ("avx2", "fma", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "asimd", "asimddp", "i8mm", "sve")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument(
        "--model", type=Path, metavar="DIR", help="folder of the exported text encoder (SCENESCORE_MODEL)"
    )
    parser.add_argument("--precision", choices=PRECISIONS, help="of the text encoder (fp32)")
    parser.add_argument("--json", action="store_true", help="print a JSON document")


def run(options: argparse.Namespace) -> int:
    """Compare this machine with the packaged expectations. Raises ModelError when it deviates."""
    golden = orjson.loads((files("handler") / "data" / "selfcheck.json").read_bytes())
    precision = options.precision or default_precision()
    encoder = shared_text_encoder(model_folder(options.model, precision), precision=precision)
    is_compact = encoder.card.precision == "int8"
    tolerance = encoder.card.parity["limits"]["max_error"] if is_compact else golden["tolerance"]
    check_content(encoder.folder, encoder.card, again=True)
    started = time.perf_counter()
    deviation, worst = largest_deviation(encoder, golden)
    document: dict[str, Any] = {
        "model": encoder.card.name,
        "folder": str(encoder.folder),
        "sha256": encoder.card.sha256,
        "files_intact": True,
        "export_verified": encoder.card.verified,
        "precision": encoder.precision,
        **({"int8_kernel": int8_kernel(encoder.folder)} if is_compact else {}),
        "n_pairs": len(golden["pairs"]),
        "largest_deviation": deviation,
        "tolerance": tolerance,
        "seconds": round(time.perf_counter() - started, 3),
        "machine": platform.machine(),
        "cpu_features": cpu_features(),
        "threads": available_threads(),
    }
    if options.json:
        print_json(dump_json(document))
    else:
        print("\n".join(f"{key.replace('_', ' '):<18} {_shown(value)}" for key, value in document.items()))
    if encoder.card.name != golden["model"]:
        raise ModelError(
            f"the packaged numbers are of {golden['model']}, not {encoder.card.name}", file=str(encoder.folder)
        )
    if not deviation <= tolerance:
        raise ModelError(
            f"cosines deviate by {deviation:.2e} (allowed {tolerance:g}), most for {worst!r}",
            file=str(encoder.folder),
            hint="Do not trust scores from this machine; export the model again and report this",
        )
    if not options.json:
        print("ok: this machine gives the expected numbers")
    return 0


def largest_deviation(encoder: TextEncoder, golden: dict[str, Any]) -> tuple[float, str]:
    """The largest difference from an expected cosine, over two batchings, and the text it happened on."""
    pairs = [(pair["a"], pair["b"]) for pair in golden["pairs"]]
    together = PairScorer(encoder).score(pairs)
    found = []
    for pair, score, expected in zip(pairs, together, golden["pairs"], strict=True):
        alone = PairScorer(TextEncoder(encoder.folder, threads=1, remember=0, like=encoder)).score([pair])[0]
        error = max(abs(one.similarity - expected["cosine"]) for one in (score, alone))
        found.append((error if error == error else float("inf"), pair[0][:40]))
    return max(found)


def cpu_features() -> list[str]:
    """The instruction sets that matter to the arithmetic, as Linux names them; empty where it does not say."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    flags = {
        word
        for line in text.splitlines()
        if line.startswith(("flags", "Features"))
        for word in line.split(":", 1)[1].split()
    }
    return [name for name in FEATURES if name in flags]


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(value) or "-"
    return f"{value:.2e}" if isinstance(value, float) and 0 < value < 1e-3 else str(value)
