"""A GRiT of a few thousand weights, random and yet talkative: it proposes boxes and says several words about each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from model_export.grit.sizes import GritSizes

TINY = GritSizes(
    width=16,
    depth=3,
    heads=2,
    table=4,
    window=3,
    global_blocks=(1,),
    global_side=6,
    channels=8,
    groups=2,
    box_width=16,
    words=160,
    positions=48,
    text_width=16,
    text_layers=2,
    text_heads=2,
    text_mlp=32,
)
SEED = 4  # with it, sentences of both tasks end, at different lengths
PIECES = "a the red blue man dog car tree house sun ##s ##ing , . ! ? ' s on near".split()


def tiny_state(seed: int = SEED) -> dict[str, Any]:
    """Names and tensors as the checkpoint of a network of this size holds them, mask head included."""
    import torch

    from model_export.grit.network import Grit, unused_shapes

    with torch.device("meta"):
        network = Grit(TINY)
    shapes = {name: tuple(one.shape) for name, one in network.state_dict().items()} | unused_shapes(TINY)
    generator = torch.Generator().manual_seed(seed)
    state = {}
    for name, shape in shapes.items():
        noise = torch.randn(shape, generator=generator)
        if len(shape) > 1:
            state[name] = noise * (1.5 / noise[0].numel() ** 0.5)
        else:
            state[name] = 0.1 * noise + (1.0 if name.endswith(("norm1.weight", "norm2.weight", "scale")) else 0.0)
    text = "roi_heads.text_decoder.textual."
    for name in shapes:
        if name.endswith(("LayerNorm.weight", "layer_norm.weight", "projection.1.weight")):
            state[name] = state[name] + 1
    for index in (1, 4, 7, 10):
        state[f"proposal_generator.centernet_head.bbox_tower.{index}.weight"] += 1
    state["proposal_generator.centernet_head.bbox_pred.bias"] += 3  # strides: boxes of some size
    state[f"{text}embedding.words.weight"] = torch.randn(TINY.words, TINY.text_width, generator=generator)
    state[f"{text}output.bias"] = torch.randn(TINY.words, generator=generator) * 2
    state[f"{text}output.bias"][:105] -= 9.0  # words are said, not placeholders
    state[f"{text}output.bias"][102] = 7.0  # the end comes, but not at once
    state[f"{text}output.weight"] = state[f"{text}embedding.words.weight"].clone()
    return state


def tiny_checkpoint(path: Path, seed: int = SEED) -> Path:
    """Write the checkpoint file."""
    import torch

    torch.save({"model": tiny_state(seed), "iteration": 7}, path)
    return path


def tiny_vocabulary(path: Path) -> Path:
    """Write its vocabulary: placeholders up to the special tokens, then pieces over and over."""
    named = {0: "[PAD]", 100: "[UNK]", 101: "[CLS]", 102: "[SEP]", 103: "[MASK]"}
    lines = [
        named.get(number) or (f"[unused{number - 1}]" if number < 105 else PIECES[(number - 105) % len(PIECES)])
        for number in range(TINY.words)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
