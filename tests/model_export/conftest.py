"""Real, tiny sentence-transformers models with random weights, and a cache folder of the test's own."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

WORDS = ["the", "a", "red", "car", "is", "near", "door", "dog", "man", "walks", "at", "night", "no", "one", "two"]
MAX_TOKENS = 32


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing in these tests reads or writes the user's cache."""
    cache = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return cache / "scenescore"


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every address that a socket was asked to connect to; none of them is reached."""
    import socket

    asked: list[Any] = []

    def refuse(_: socket.socket, address: Any) -> None:
        asked.append(address)
        raise OSError("no network in this test")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    return asked


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Folder of a tiny model by kind: "mean" (MPNet, Normalize), "cls" (BERT, not normalised) or "dense" (BERT, Dense)."""
    pytest.importorskip("sentence_transformers")
    made: dict[str, Path] = {}

    def make(kind: str) -> Path:
        if kind not in made:
            made[kind] = _save(kind, tmp_path_factory.mktemp("trained") / f"tiny-{kind}")
        return made[kind]

    return make


@pytest.fixture(scope="session")
def tiny_export(tiny_model: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The verified export of a tiny model by kind, made on first use; who changes it changes a copy."""
    from model_export.text_encoder import export_text_encoder

    made: dict[str, Path] = {}

    def make(kind: str) -> Path:
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp("exported") / f"tiny-{kind}"
            export_text_encoder(str(tiny_model(kind)), output=made[kind])
        return made[kind]

    return make


def _save(kind: str, folder: Path) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the libraries say while a test model is built is not under test
        import torch
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer

        torch.manual_seed(7)
        bare = folder.with_name(f"{folder.name}-bare")
        _save_transformer(kind, bare)
        transformer = Transformer(str(bare), max_seq_length=MAX_TOKENS)
        modules = [transformer, Pooling(32, pooling_mode="cls" if kind == "cls" else "mean")]
        modules += {"mean": [Normalize()], "cls": [], "dense": [Dense(32, 16)]}[kind]
        SentenceTransformer(modules=modules, device="cpu").save(str(folder), create_model_card=False)
    if kind == "mean":
        _set_trap(folder / "tokenizer.json")
    return folder


def _save_transformer(kind: str, folder: Path) -> None:
    from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel, PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(tokenizer_object=_tokenizer(), unk_token="[UNK]", pad_token="<pad>")
    tokenizer.save_pretrained(folder)
    size = {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": 64,
    }
    spread = {"pad_token_id": 1, "initializer_range": 0.5}  # wide: else all texts look alike
    model = MPNetModel(MPNetConfig(**size, **spread)) if kind == "mean" else BertModel(BertConfig(**size, **spread))
    model.save_pretrained(folder)


def _tokenizer() -> Any:
    from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    vocabulary = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>", *WORDS]
    vocabulary += [piece for letter in letters for piece in (letter, f"##{letter}") if piece not in vocabulary]
    ids = {piece: number for number, piece in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", ids["<s>"]), ("</s>", ids["</s>"])]
    )
    tokenizer.add_special_tokens(
        [AddedToken(token, normalized=False, lstrip=token == "<mask>") for token in ("<s>", "<pad>", "</s>", "<mask>")]
    )
    return tokenizer


def _set_trap(path: Path) -> None:
    """As in all-mpnet-base-v2: a tokenizer file that cuts and pads to a length that is not the model's."""
    content = json.loads(path.read_text(encoding="utf-8"))
    content["truncation"] = {"max_length": 8, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    content["padding"] = {
        "strategy": {"Fixed": 8},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 1,
        "pad_type_id": 0,
        "pad_token": "<pad>",
    }
    path.write_text(json.dumps(content), encoding="utf-8")
