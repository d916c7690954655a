"""How fast this machine multiplies matrices, and how much of that the encoder reaches.

Run as a process of its own: `python -m tests.bench.peaks THREADS ROUNDS PRECISION=FOLDER ...`; it prints a JSON document.
Rounds alternate between the libraries and the encoders. Work is counted as multiplications and additions of the linear
layers and of attention; what else the encoder does (normalisation, GELU, softmax, tokens) counts nothing and takes time.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from handler.models import TextEncoder
from tests.bench.pairs import write_texts

WIDTH, INNER, LAYERS = 768, 3072, 12  # of all-mpnet-base-v2
SHAPES = ((256, WIDTH, WIDTH), (256, WIDTH, INNER), (256, INNER, WIDTH), (1024, WIDTH, INNER), (1024, 1024, 1024))
LIBRARIES = (("numpy", "fp32"), ("torch", "fp32"), ("ONNX Runtime", "fp32"), ("ONNX Runtime", "int8"))
SHORTEST_S = 0.15  # of one timing
N_TEXTS = 240

Work = Callable[[], object]


def main() -> None:
    """Print operations per second of each library (the best shape of its best round) and of each encoder (the median)."""
    threads, rounds = int(sys.argv[1]), int(sys.argv[2])
    folders = dict(one.split("=", 1) for one in sys.argv[3:])
    names = [*LIBRARIES, *(("ONNX Runtime, threads apart", kind) for kind in ("fp32", "int8") if threads > 1)]
    made = {f"{library}, {kind}": _maker(library, kind, threads) for library, kind in names}
    libraries = {name: make for name, make in made.items() if make is not None}
    texts = _texts()
    encoders = {precision: TextEncoder(folder, threads=threads, remember=0) for precision, folder in folders.items()}
    work = {
        name: sum(_operations(len(encoder.token_ids(text)[0])) for text in texts) for name, encoder in encoders.items()
    }
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, make in libraries.items():
            times = threads if "apart" in name else 1
            rates = [_rate(make(*shape), 2.0 * times * float(np.prod(shape))) for shape in SHAPES]
            found.setdefault(name, []).append(max(rates))
        for name, encoder in encoders.items():
            encoder.encode_distinct(texts[:8])
            seconds = _seconds(lambda encoder=encoder: encoder.encode_distinct(texts))
            found.setdefault(f"encoder, {name}", []).append(work[name] / seconds)
    best = {name: statistics.median(rates) if name.startswith("enc") else max(rates) for name, rates in found.items()}
    print(json.dumps({"texts": N_TEXTS, "operations_per_second": best, "fractions": _fractions(best)}))


def _fractions(best: dict[str, float]) -> dict[str, float]:
    """Of the best peak measured in the encoder's own arithmetic."""
    peaks = {kind: max(rate for name, rate in best.items() if name.endswith(f", {kind}")) for kind in ("fp32", "int8")}
    return {
        name: rate / peaks["int8" if name.endswith("int8") else "fp32"]
        for name, rate in best.items()
        if name.startswith("encoder")
    }


def _operations(tokens: int) -> float:
    linear = 2.0 * tokens * (4 * WIDTH * WIDTH + 2 * WIDTH * INNER)
    attention = 4.0 * tokens * tokens * WIDTH
    return LAYERS * (linear + attention)


def _texts() -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "texts.json")
        write_texts(path, N_TEXTS)
        frames = json.loads(path.read_text())[0]["conversation"]
    return [text for frame in frames for text in (frame["assistant"], frame["ground_truth_assistant"])]


def _rate(work: Work, operations: float) -> float:
    work()
    times = max(1, int(SHORTEST_S / max(1e-6, _seconds(work))))
    return operations * times / _seconds(lambda: [work() for _ in range(times)])


def _seconds(work: Work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _maker(library: str, kind: str, threads: int) -> Callable[[int, int, int], Work] | None:
    """Of a shape, a function that multiplies once; None where the library is not here."""
    if library == "numpy":
        return lambda m, k, n: _numpy(m, k, n)
    if library == "torch":
        try:
            import torch
        except ImportError:
            return None
        torch.set_num_threads(threads)
        return lambda m, k, n: partial(torch.mm, torch.randn(m, k), torch.randn(k, n))
    return lambda m, k, n: _onnx(m, k, n, kind, threads, apart="apart" in library)


def _numpy(m: int, k: int, n: int) -> Work:
    one, other, out = np.ones((m, k), np.float32), np.ones((k, n), np.float32), np.empty((m, n), np.float32)
    return lambda: np.matmul(one, other, out=out)


def _onnx(m: int, k: int, n: int, kind: str, threads: int, *, apart: bool) -> Work:
    """Weights are constants, as in a model, so that they are packed once. fp32: MatMul. int8: MatMulIntegerToFloat."""
    from onnx import TensorProto, helper, numpy_helper

    random = np.random.default_rng(1)
    if kind == "fp32":
        given, weights = random.random((m, k), np.float32), random.random((k, n), np.float32)
        nodes, extra = [helper.make_node("MatMul", ["a", "b"], ["y"])], []
    else:
        given = random.integers(0, 255, (m, k), np.uint8)
        weights = random.integers(-127, 127, (k, n), np.int8)
        inputs = ["a", "b", "a_scale", "b_scale", "a_zero"]
        nodes = [helper.make_node("MatMulIntegerToFloat", inputs, ["y"], domain="com.microsoft")]
        extra = [
            numpy_helper.from_array(np.float32(0.01), "a_scale"),
            numpy_helper.from_array(np.full(n, 0.01, np.float32), "b_scale"),
            numpy_helper.from_array(np.uint8(128), "a_zero"),
        ]
    element = TensorProto.FLOAT if kind == "fp32" else TensorProto.UINT8
    graph = helper.make_graph(
        nodes,
        "peak",
        [helper.make_tensor_value_info("a", element, [m, k])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [m, n])],
        [numpy_helper.from_array(weights, "b"), *extra],
    )
    versions = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=versions, ir_version=9)
    return _runner(model.SerializeToString(), {"a": given}, threads, apart=apart)


def _runner(model: bytes, feed: dict[str, Any], threads: int, *, apart: bool) -> Work:
    """One session on all threads; or apart, as the encoder runs its batches: each thread multiplies for itself."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1 if apart else threads
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    if not apart:
        return lambda: session.run(None, feed)
    pool = ThreadPoolExecutor(threads)
    return lambda: list(pool.map(lambda _: session.run(None, feed), range(threads)))


if __name__ == "__main__":
    main()
