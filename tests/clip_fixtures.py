"""CLIP checkpoints with random weights in the hub's own file layout, and a tiny one exported once per test run."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

WORDS = "a photo depicts red car dog man near the door two people walk at night in rain".split()
BOS, EOS = "<|startoftext|>", "<|endoftext|>"
MEAN, STD = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
TINY = {"width": 32, "layers": 2, "heads": 4, "mlp": 64, "patch": 8, "image": 32, "projection": 24}
VIT_B_32 = {"patch": 32, "image": 224, "projection": 512}  # the sizes of openai/clip-vit-base-patch32


def save_checkpoint(folder: Path, *, legacy_end: bool = True, real_size: bool = False, image: int = 32) -> Path:
    """A CLIP checkpoint as transformers writes it.

    legacy_end: the configuration says that the end token is 2, as OpenAI's do, so the text tower pools at the highest id;
    otherwise it names the true id. real_size: the ViT-B/32 configuration (151 million weights) instead of a tiny one.
    """
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")  # what the libraries say while a test model is built is not under test
        import torch
        from transformers import CLIPConfig, CLIPModel

        vocabulary = save_tokenizer(folder)
        end = 2 if legacy_end else vocabulary[EOS]
        text, vision, projection = _sizes(real_size, image)
        text |= {"vocab_size": len(vocabulary), "bos_token_id": vocabulary[BOS], "eos_token_id": end, "pad_token_id": 1}
        torch.manual_seed(7)
        model = CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=projection))
        model.save_pretrained(folder)
    side = vision["image_size"]
    picture = {
        "image_processor_type": "CLIPImageProcessor",
        "do_resize": True,
        "size": {"shortest_edge": side},
        "resample": 3,
        "do_center_crop": True,
        "crop_size": {"height": side, "width": side},
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": True,
        "image_mean": MEAN,
        "image_std": STD,
        "do_convert_rgb": True,
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(picture), encoding="utf-8")
    return folder


def _sizes(real_size: bool, image: int) -> tuple[dict[str, Any], dict[str, Any], int]:
    if real_size:
        vision = {"patch_size": VIT_B_32["patch"], "image_size": VIT_B_32["image"]}
        return {}, vision, VIT_B_32["projection"]  # transformers' defaults are this model
    size = {
        "hidden_size": TINY["width"],
        "num_hidden_layers": TINY["layers"],
        "num_attention_heads": TINY["heads"],
        "intermediate_size": TINY["mlp"],
        "projection_dim": TINY["projection"],
    }
    wide = {"initializer_range": 0.5, "initializer_factor": 8.0}  # else all texts and all pictures look alike
    vision = {**size, **wide, "patch_size": TINY["patch"], "image_size": image}
    return {**size, **wide, "max_position_embeddings": 77}, vision, TINY["projection"]


def save_tokenizer(folder: Path) -> dict[str, int]:
    """vocab.json, merges.txt and tokenizer_config.json of a byte-level BPE with a few words. Returns the vocabulary."""
    folder.mkdir(parents=True, exist_ok=True)
    merges: list[tuple[str, str]] = []
    for word in WORDS:
        left = word[0] if len(word) > 1 else f"{word}</w>"
        for position, letter in enumerate(word[1:], 2):
            right = f"{letter}</w>" if position == len(word) else letter
            if (left, right) not in merges:
                merges.append((left, right))
            left += right
    letters = _byte_letters()
    pieces = [*letters, *(f"{letter}</w>" for letter in letters), *("".join(pair) for pair in merges), BOS, EOS]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    lines = ["#version: 0.2", *(" ".join(pair) for pair in merges)]
    (folder / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = {
        "tokenizer_class": "CLIPTokenizer",
        "bos_token": BOS,
        "eos_token": EOS,
        "pad_token": EOS,
        "unk_token": EOS,
        "model_max_length": 77,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return vocabulary


def _byte_letters() -> list[str]:
    """GPT-2's printable stand-ins for the 256 bytes: printable Latin-1 as itself, the rest from U+0100 on."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return [chr(byte) for byte in shown] + [chr(256 + number) for number in range(256 - len(shown))]


@pytest.fixture(scope="session")
def clip_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny CLIP checkpoint with OpenAI's legacy end token."""
    for library in ("torch", "optimum"):
        pytest.importorskip(library, reason="exporting needs the export extra")
    return save_checkpoint(tmp_path_factory.mktemp("clip") / "tiny-clip")


@pytest.fixture(scope="session")
def clip_folder(clip_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny checkpoint, exported."""
    from model_export.clip import export_clip

    root = tmp_path_factory.mktemp("exported")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(root / "cache"))  # nothing is written to the user's
        folder, _ = export_clip(str(clip_checkpoint), output=root / "tiny-clip")
    return folder
