"""The exported graphs as sessions of ONNX Runtime, on the CPU or a CUDA GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from handler.errors import ModelError, RequestError

__all__ = ["PROVIDERS", "Graph", "Provider", "chosen_provider"]

Provider = Literal["auto", "cpu", "cuda"]
PROVIDERS: tuple[Provider, ...] = get_args(Provider)

_CUDA = "CUDAExecutionProvider"
# TF32 keeps 10 bits of each factor: captions would differ from those of a CPU. The default search for the fastest
# convolution runs all of them for every new frame size.
_CUDA_OPTIONS = {"use_tf32": "0", "cudnn_conv_algo_search": "HEURISTIC"}
_TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64}


def chosen_provider(wanted: Provider) -> Literal["cpu", "cuda"]:
    """Where graphs run. auto: on CUDA when this ONNX Runtime has it, else on the CPU.

    Raises RequestError when CUDA is asked for and not there, or for an unknown word.
    """
    if wanted not in PROVIDERS:
        raise RequestError(f"there is no provider {wanted!r}", field="provider", hint="It is auto, cpu or cuda")
    if wanted == "cpu":
        return "cpu"
    import onnxruntime

    if _CUDA in onnxruntime.get_available_providers():
        return "cuda"
    if wanted == "cuda":
        raise RequestError(
            "this ONNX Runtime runs on the CPU only",
            field="provider",
            hint="Install onnxruntime-gpu in place of onnxruntime, or leave --provider out",
        )
    return "cpu"


class Graph:
    """One graph, loaded. Calls take and give arrays by name; `keep` leaves outputs where the graph runs."""

    def __init__(self, path: Path, *, provider: Literal["cpu", "cuda"], threads: int) -> None:
        import onnxruntime

        onnxruntime.disable_telemetry_events()  # it would note machine and model in the user's home
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.enable_mem_pattern = False  # one plan would be kept for every frame size ever seen
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        providers: list[Any] = ["CPUExecutionProvider"]
        if provider == "cuda":
            providers.insert(0, (_CUDA, _CUDA_OPTIONS))
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=providers)
        except Exception as error:  # ONNX Runtime raises a dozen unrelated classes
            raise ModelError(
                f"ONNX Runtime cannot load the model: {error}", file=str(path), hint="Export it again with --force"
            ) from error
        if provider == "cuda" and self._session.get_providers()[0] != _CUDA:
            raise ModelError(
                "ONNX Runtime has the CUDA provider but cannot start it",
                file=str(path),
                hint="Check the GPU driver and the CUDA and cuDNN libraries, or use --provider cpu",
            )
        self._device = provider
        self._types = {one.name: _TYPES[one.type] for one in self._session.get_inputs()}
        self._outputs = [one.name for one in self._session.get_outputs()]

    def __call__(self, feed: dict[str, Any], *, keep: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Run the graph. Inputs: arrays, or what an earlier call kept. All outputs but the kept ones are arrays.

        Raises ModelError when a number is not finite: broken weights, or too large for fp16, must not look like a result.
        """
        binding = self._session.io_binding()
        for name, value in feed.items():
            if isinstance(value, np.ndarray):
                binding.bind_cpu_input(name, np.ascontiguousarray(value, self._types[name]))
            else:
                binding.bind_ortvalue_input(name, value)
        for name in self._outputs:
            binding.bind_output(name, self._device if name in keep else "cpu")
        self._session.run_with_iobinding(binding)
        found = dict(zip(self._outputs, binding.get_outputs(), strict=True))
        return {name: value if name in keep else _checked(name, value.numpy()) for name, value in found.items()}


def _checked(name: str, value: NDArray[Any]) -> NDArray[Any]:
    if not np.isfinite(value).all():
        raise ModelError(
            f"the network gave numbers that are not finite ({name})", hint="Export it again, in fp32 if this is fp16"
        )
    return value
