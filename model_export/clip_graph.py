"""CLIP's graph, as optimum traces it, cut into a text tower and an image tower.

Optimum traces both towers into one graph; a caption would cost a picture's time, and a picture a caption's. Each tower here
ends in its projection into the shared space, scaled to unit length by the graph.
"""

from __future__ import annotations

from pathlib import Path

from handler.errors import ModelError
from model_export.graph import save_graph, traced_graph

__all__ = ["text_inputs", "write_towers"]

TOWERS = {"text": (("input_ids", "attention_mask"), "text_embeds"), "image": (("pixel_values",), "image_embeds")}


def write_towers(source: Path, folder: Path) -> None:
    """Write text.onnx (`text_embeds`) and image.onnx (`image_embeds`) of the checkpoint in `source`."""
    from onnx.utils import Extractor

    graph = traced_graph(source, folder, library="transformers")
    given = {one.name for one in graph.graph.input}
    missing = {output for _, output in TOWERS.values()} - {one.name for one in graph.graph.output}
    if missing:
        raise ModelError(f"the exported graph has no output {', '.join(sorted(missing))}")
    extractor = Extractor(graph)
    for name, (inputs, output) in TOWERS.items():
        tower = extractor.extract_model([one for one in inputs if one in given], [output])
        save_graph(tower, folder / f"{name}.onnx")


def text_inputs(folder: Path) -> list[str]:
    """Names of the text tower's inputs."""
    import onnx

    return [one.name for one in onnx.load(str(folder / "text.onnx"), load_external_data=False).graph.input]
