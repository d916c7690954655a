"""What a checkpoint must be: its hash, its names and shapes, tied weights, finite numbers, nothing but weights."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="exporting needs the export extra")

from handler.errors import ModelError
from model_export.grit.checkpoint import load_network, local_checkpoint
from tests.model_export.grit_tiny import TINY, tiny_checkpoint, tiny_state

TEXT = "roi_heads.text_decoder.textual"
PIXELS = "backbone.bottom_up.patch_embed.proj.weight"


def save(path: Path, state: dict[str, Any]) -> Path:
    torch.save({"model": state}, path)
    return path


def test_every_weight_of_the_file_is_the_networks(tmp_path: Path) -> None:
    state = tiny_state()
    network = load_network(tiny_checkpoint(tmp_path / "tiny.pth"), TINY)
    loaded = network.state_dict()
    assert {name for name in state if name not in loaded} == {name for name in state if ".mask_head." in name}
    assert all(torch.equal(loaded[name], state[name]) for name in loaded)
    assert not network.training


def test_what_is_missing_unexpected_and_mis_shaped_is_listed_at_once(tmp_path: Path) -> None:
    state = tiny_state()
    state.pop("backbone.top_block.p6.bias")
    state.pop("roi_heads.mask_head.deconv.bias")
    state["roi_heads.nobody.knows"] = torch.zeros(1)
    state[PIXELS] = state[PIXELS][:, :, :8]
    state[f"{TEXT}.output.bias"] = state[f"{TEXT}.output.bias"].long()
    with pytest.raises(ModelError) as caught:
        load_network(save(tmp_path / "other.pth", state), TINY)
    said = str(caught.value)
    assert "2 missing: backbone.top_block.p6.bias, roi_heads.mask_head.deconv.bias" in said
    assert "1 unexpected: roi_heads.nobody.knows" in said
    assert f"2 mis-shaped: {PIXELS} (16x3x8x16, expected 16x3x16x16)" in said
    assert f"{TEXT}.output.bias (not a tensor of floats)" in said


def test_half_precision_weights_become_float32(tmp_path: Path) -> None:
    state = {name: value.half() for name, value in tiny_state().items()}
    loaded = load_network(save(tmp_path / "half.pth", state), TINY).state_dict()
    assert {value.dtype for value in loaded.values()} == {torch.float32}
    assert all(torch.equal(loaded[name], state[name].float()) for name in loaded)


def test_a_long_list_is_cut(tmp_path: Path) -> None:
    state = {name: value for name, value in tiny_state().items() if "blocks" not in name}
    with pytest.raises(ModelError, match=r"42 missing: .* and 34 more"):
        load_network(save(tmp_path / "short.pth", state), TINY)


@pytest.mark.parametrize(
    ("break_it", "match"),
    [
        (lambda state: state[f"{TEXT}.output.weight"].view(-1)[3].add_(1e-6), "differ from its word embeddings"),
        (lambda state: state[PIXELS].view(-1)[5].fill_(float("nan")), f"1 not finite: {PIXELS}"),
        (lambda state: state[PIXELS].view(-1)[5].fill_(float("inf")), f"1 not finite: {PIXELS}"),
    ],
)
def test_broken_weights_are_refused(tmp_path: Path, break_it: Callable[[dict[str, Any]], Any], match: str) -> None:
    state = tiny_state()
    break_it(state)
    with pytest.raises(ModelError, match=match):
        load_network(save(tmp_path / "broken.pth", state), TINY)


def test_a_file_that_would_run_code_is_not_run(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "ran",))

    torch.save({"model": Trap()}, tmp_path / "trap.pth")
    (tmp_path / "plain.pth").write_bytes(pickle.dumps({"model": Trap()}))
    for name in ("trap.pth", "plain.pth"):
        with pytest.raises(ModelError, match="cannot read the checkpoint as plain weights"):
            load_network(tmp_path / name, TINY)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("content", [{"state_dict": {}}, [1, 2], {"model": [1]}])
def test_a_file_without_a_state_dict_says_so(tmp_path: Path, content: Any) -> None:
    torch.save(content, tmp_path / "other.pth")
    with pytest.raises(ModelError, match="no entry 'model'"):
        load_network(tmp_path / "other.pth", TINY)


def test_another_hash_is_refused_before_anything_reads_the_file(tmp_path: Path) -> None:
    path = tmp_path / "some.pth"
    path.write_bytes(b"no checkpoint at all")
    true = hashlib.sha256(b"no checkpoint at all").hexdigest()
    with (
        pytest.raises(ModelError, match=f"sha256 {true}, expected {'0' * 64}"),
        local_checkpoint(str(path), sha256="0" * 64, scratch=tmp_path),
    ):
        pass
    with local_checkpoint(str(path), sha256=true.upper(), scratch=tmp_path) as (found, sha256):
        assert (found, sha256) == (path, true)
    with (
        pytest.raises(ModelError, match="no checkpoint at this place"),
        local_checkpoint(str(tmp_path / "nowhere"), sha256=None, scratch=tmp_path),
    ):
        pass


@pytest.mark.usefixtures("weed")
def test_a_checkpoint_on_s3_is_copied_for_as_long_as_it_is_needed(folder: str, tmp_path: Path) -> None:
    from handler.storage import write_bytes

    content = tiny_checkpoint(tmp_path / "tiny.pth").read_bytes()
    location = f"{folder}/models/tiny.pth"
    write_bytes(location, content)
    with local_checkpoint(location, sha256=None, scratch=tmp_path) as (path, sha256):
        assert sha256 == hashlib.sha256(content).hexdigest()
        assert path.parent == tmp_path
        load_network(path, TINY)
    assert not path.exists()
