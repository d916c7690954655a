"""A sentence-transformers model becomes an ONNX graph and a tokenizer file."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

from handler.errors import ModelError, one_line

__all__ = [
    "OPSET",
    "graph_inputs",
    "graph_layers",
    "load_original",
    "module_facts",
    "reason_of",
    "save_graph",
    "traced_graph",
    "write_graph",
    "write_tokenizer",
]

OPSET = 18  # below it the exporter converts the graph down and warns
WEIGHTS_FROM = 1024  # bytes: smaller tensors are shapes and constants, and stay in the graph
TOKEN_LAYERS = (3, 8)
"""Layers whose token vectors the graph gives beside the last one's: near the words, and in context (`vision.claims`)."""
_LAYER = re.compile(r"/layer\.(\d+)/output/LayerNorm/")
_NO_LIMIT = 1_000_000  # transformers writes 1e30 where a tokenizer states no limit


def load_original(folder: Path) -> Any:
    """The trained model as sentence-transformers reads it, on the CPU, in float32."""
    from sentence_transformers import SentenceTransformer

    try:
        model = SentenceTransformer(
            str(folder), device="cpu", local_files_only=True, model_kwargs={"torch_dtype": "float32"}
        )
    except Exception as error:  # whatever the many loaders underneath raise
        raise ModelError(
            f"sentence-transformers cannot load the model: {reason_of(error)}", file=str(folder)
        ) from error
    if model.prompts.get(model.default_prompt_name or "", ""):
        raise ModelError(
            f"the model puts its prompt {model.default_prompt_name!r} before every text; the run time puts none",
            hint="Use a model without a default prompt",
        )
    return model


def module_facts(model: Any) -> dict[str, Any]:
    """max_tokens, pooling, normalize and dimension of a loaded model, as the card states them.

    pooling is "mean" or "cls" only for exactly Transformer, that Pooling and perhaps Normalize; the run time then pools
    by itself. Everything else is "graph": the run time takes the graph's `sentence_embedding`.
    """
    kinds = [type(module).__name__ for module in model]
    pooling = "graph"
    if kinds in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        mode = model[1].pooling_mode
        pooling = mode if mode in ("mean", "cls") else "graph"
    max_tokens = model.max_seq_length
    if not isinstance(max_tokens, int) or not 2 < max_tokens < _NO_LIMIT:
        raise ModelError(
            f"the model states no usable token limit (it says {max_tokens})",
            hint="Set max_seq_length in its sentence_bert_config.json",
        )
    return {
        "max_tokens": max_tokens,
        "pooling": pooling,
        "normalize": kinds[-1] == "Normalize",
        "dimension": _dimension(model),
    }


def _dimension(model: Any) -> int:
    try:
        return int(model.encode(["a"], show_progress_bar=False).shape[1])
    except Exception as error:  # a model and a tokenizer that do not fit together fail in their own way
        raise ModelError(f"sentence-transformers loads the model but cannot use it: {reason_of(error)}") from error


def write_graph(source: Path, folder: Path) -> None:
    """Write model.onnx of the model in `source`: outputs `token_embeddings` and `sentence_embedding`, and `layer_N` where
    the model has those layers under the names that BERT and its kin give them."""
    model = traced_graph(source, folder, library="sentence_transformers")
    _give_layers(model)
    save_graph(model, folder / "model.onnx")


def _give_layers(model: Any) -> None:
    """Make the token vectors of `TOKEN_LAYERS` outputs of the graph."""
    import onnx

    numbers = {node.output[0]: int(found[1]) + 1 for node in model.graph.node if (found := _LAYER.search(node.name))}
    last = model.graph.output[0].type
    for value, number in numbers.items():
        if number in TOKEN_LAYERS and number < max(numbers.values()):
            for node in model.graph.node:
                for names in (node.input, node.output):
                    names[:] = [f"layer_{number}" if name == value else name for name in names]
            output = onnx.ValueInfoProto(name=f"layer_{number}", type=last)
            model.graph.output.append(output)


def graph_layers(folder: Path) -> dict[str, str]:
    """Number of every layer whose token vectors the graph gives, and the output's name; {} where layers are not known."""
    import onnx

    graph = onnx.load(str(folder / "model.onnx"), load_external_data=False).graph
    numbers = [int(found[1]) + 1 for node in graph.node if (found := _LAYER.search(node.name))]
    given = {output.name for output in graph.output}
    inner = {str(number): f"layer_{number}" for number in TOKEN_LAYERS if f"layer_{number}" in given}
    return {**inner, str(max(numbers)): "token_embeddings"} if numbers else {}


def traced_graph(source: Path, folder: Path, *, library: str) -> Any:
    """The graph of the model in `source`, as optimum writes it (for a while, beside `folder`). Raises ModelError."""
    import onnx
    from optimum.exporters.onnx import main_export

    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}.graph.") as temporary:
        try:
            main_export(
                str(source),
                output=temporary,
                task="feature-extraction",
                library_name=library,
                opset=OPSET,
                local_files_only=True,
                do_validation=False,  # the parity gate compares more, and more strictly
            )
        except Exception as error:  # torch, onnx and optimum raise what they like
            raise ModelError(f"optimum cannot export the model: {reason_of(error)}", file=str(source)) from error
        if not (Path(temporary) / "model.onnx").is_file():
            raise ModelError("optimum wrote no model.onnx", file=str(source))
        return onnx.load(str(Path(temporary) / "model.onnx"))


def save_graph(model: Any, path: Path) -> None:
    """Write a graph, and its weights in a file of their own, which ONNX Runtime maps into memory instead of reading.

    For all-mpnet-base-v2 that halves the time to load (0.6 to 0.25 s) and the peak of memory (563 to 693, now 392 MB).
    """
    import onnx

    onnx.save_model(
        model,
        str(path),
        save_as_external_data=True,
        location=f"{path.name}.data",
        size_threshold=WEIGHTS_FROM,
    )
    for one in path.parent.glob(f"{path.name}*"):
        one.chmod(0o644)  # onnx makes the weights readable to their owner alone


def graph_inputs(folder: Path) -> list[str]:
    """Names of the graph's inputs. Refuses a graph that lacks one of the two outputs."""
    import onnx

    graph = onnx.load(str(folder / "model.onnx"), load_external_data=False).graph
    missing = {"token_embeddings", "sentence_embedding"} - {output.name for output in graph.output}
    if missing:
        raise ModelError(f"the exported graph has no output {', '.join(sorted(missing))}")
    return [one.name for one in graph.input]


def write_tokenizer(tokenizer: Any, folder: Path, max_tokens: int) -> None:
    """Write tokenizer.json so that the `tokenizers` library alone gives the ids that the original gives.

    The file of the original will not do: all-mpnet-base-v2's cuts at 128 tokens and pads to 128, which
    sentence-transformers overrides; other models lower-case outside the file.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise ModelError(
            f"the tokenizer {type(tokenizer).__name__} exists only in Python; the run time needs tokenizer.json",
            hint="Use a model with a fast tokenizer",
        )
    content = json.loads(tokenizer.backend_tokenizer.to_str())
    content["padding"] = None
    content["truncation"] = {
        "direction": tokenizer.truncation_side.capitalize(),
        "max_length": max_tokens,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    (folder / "tokenizer.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def reason_of(error: Exception) -> str:
    """The kind and first line of a library's error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return one_line(f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__)
