"""Exporting CLIP checkpoints with random weights, compared with transformers here and not by the export's own gate."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("optimum")
from PIL import Image

from handler.models import ImageTextEncoder
from model_export import clip_graph
from model_export.__main__ import main
from model_export.quiet import quiet_libraries
from tests.clip_fixtures import MEAN, STD, save_checkpoint
from tests.pictures import file_of, picture

TEXTS = [
    "",
    "A photo depicts a red car near the door.",
    "Zwei Hunde 🐕 bellen",
    *(" ".join((["dog", "car", "man", "rain"] * 50)[:n]) for n in (75, 76, 200)),
]
FILES = {
    "lying": file_of(picture(size=(640, 427))),
    "upright": file_of(picture(size=(301, 500)), "JPEG"),
    "grey": file_of(picture("L", (250, 251))),
    "small": file_of(picture("RGBA", (30, 19))),
}


def export(model: Path, output: Path, *more: str) -> int:
    return main(["clip", "--model", str(model), "--output", str(output), *more])


def card_of(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "card.json").read_text(encoding="utf-8")))


def largest_difference(checkpoint: Path, exported: Path) -> tuple[float, float]:
    """Between transformers and the run time: of components of unit vectors, and of cosines of texts and pictures."""
    with quiet_libraries(verbose=False):
        import torch
        from transformers import CLIPImageProcessor, CLIPModel, CLIPTokenizer

        model = CLIPModel.from_pretrained(checkpoint).eval()
        tokenizer, processor = CLIPTokenizer.from_pretrained(checkpoint), CLIPImageProcessor.from_pretrained(checkpoint)
        images = [Image.open(io.BytesIO(data)) for data in FILES.values()]
        with torch.inference_mode():
            said = model(
                **tokenizer(TEXTS, padding=True, truncation=True, max_length=77, return_tensors="pt"),
                pixel_values=torch.cat([processor(images=one, return_tensors="pt")["pixel_values"] for one in images]),
            )
    texts, pictures = said.text_embeds.numpy(), said.image_embeds.numpy()
    encoder = ImageTextEncoder(exported)
    found = encoder.encode_texts(TEXTS) | encoder.encode_pictures(FILES, FILES.__getitem__)
    found_texts, found_pictures = (np.stack([found[name].vector for name in names]) for names in (TEXTS, FILES))
    assert np.abs(texts[:, None] - texts[None]).max(axis=2)[np.triu_indices(4, 1)].min() > 1e-2  # no two are alike
    assert np.abs(pictures[:, None] - pictures[None]).max(axis=2)[np.triu_indices(4, 1)].min() > 1e-2
    components = max(np.abs(texts - found_texts).max(), np.abs(pictures - found_pictures).max())
    cosines = np.abs(texts @ pictures.T - found_texts @ found_pictures.T).max()
    return float(components), float(cosines)


@pytest.mark.parametrize("legacy_end", [True, False])
def test_export_equals_transformers(
    legacy_end: bool, tmp_path: Path, connections: list[Any], capfd: pytest.CaptureFixture[str]
) -> None:
    checkpoint = save_checkpoint(tmp_path / "tiny", legacy_end=legacy_end)
    output = tmp_path / "out"
    capfd.readouterr()
    assert export(checkpoint, output) == 0
    said = capfd.readouterr()
    assert said.out.splitlines()[0] == str(output)
    assert said.out.splitlines()[1].startswith("parity verified: ")
    assert said.err.splitlines()[:-1] == [
        "loading tiny",
        "writing the graphs",
        "comparing the run time with transformers",
    ]
    assert connections == []
    assert max(largest_difference(checkpoint, output)) <= 1e-4
    card = card_of(output)
    end = json.loads((checkpoint / "vocab.json").read_text())["<|endoftext|>"]
    assert card["end_token"] == {"id": end, "pooled": "highest_id" if legacy_end else "first"}
    assert (card["kind"], card["max_tokens"], card["dimension"]) == ("image_text_encoder", 77, 24)
    assert card["picture"]["crop"] == [32, 32]
    assert sorted(card["files"]) == [
        "image.onnx",
        "image.onnx.data",
        "text.onnx",
        "text.onnx.data",
        "tokenizer.json",
    ]
    assert card["parity"]["token_ids_equal"] is True
    assert str(tmp_path) not in (output / "card.json").read_text(encoding="utf-8")
    capfd.readouterr()
    assert export(checkpoint, output) == 0
    assert "nothing to do" in capfd.readouterr().err


@pytest.fixture
def traced(clip_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is exported gets the graphs that were traced from the tiny checkpoint once."""

    def copy_towers(source: Path, folder: Path) -> None:
        for path in clip_folder.glob("*.onnx*"):
            shutil.copyfile(path, folder / path.name)

    monkeypatch.setattr(clip_graph, "write_towers", copy_towers)


@pytest.mark.usefixtures("traced")
def test_clip_goes_where_the_run_time_looks(clip_checkpoint: Path, own_cache: Path) -> None:
    from handler.settings import Settings

    assert main(["clip", "--model", str(clip_checkpoint)]) == 0
    assert Settings.from_environment().clip == own_cache / "models" / "clip"
    assert ImageTextEncoder(Settings.from_environment().clip).card.verified


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize("change", ["weights", "resize", "crop", "mean"])
def test_gate_refuses(
    change: str,
    clip_checkpoint: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from model_export import clip_checkpoint as checkpoint_module

    facts, write = checkpoint_module.original_facts, clip_graph.write_towers

    def wrong_facts(original: Any) -> dict[str, Any]:
        wrong = {"resize": {"resample": "bilinear"}, "crop": {"shortest_edge": 33}, "mean": {"mean": [0.5, 0.5, 0.5]}}
        found = facts(original)
        return {**found, "picture": {**found["picture"], **wrong.get(change, {})}}

    def write_damaged(source: Path, folder: Path) -> None:
        write(source, folder)
        if change == "weights":
            with (folder / "text.onnx.data").open("r+b") as file:
                file.write(np.full(2000, 3, np.float32).tobytes())

    monkeypatch.setattr(checkpoint_module, "original_facts", wrong_facts)
    monkeypatch.setattr(clip_graph, "write_towers", write_damaged)
    assert export(clip_checkpoint, tmp_path / "out") == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert "the parity gate refuses this export" in said
    assert ("max_component_difference" if change == "weights" else "max_pixel_difference") in said
    assert not (tmp_path / "out").exists()


def change_json(path: Path, **fields: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **fields}), encoding="utf-8")


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("another kind", "a model of type bert, not clip"),
        ("another end", "looks for id 7 where a text ends"),
        ("another preprocessing", "prepared by ViTImageProcessor"),
        ("another size", "makes pictures of 40 x 40 pixels, the tower reads 32 x 32"),
        ("no preprocessing", "preprocessor_config.json is missing"),
        ("no resize", "does not resize"),
        ("lost weights", "lacks 1 weights, e.g. visual_projection.weight"),
        ("nothing", "no trained model in this folder"),
    ],
)
def test_checkpoints_that_cannot_be_used_are_refused_in_words(
    what: str, message: str, clip_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "wrong"
    shutil.copytree(clip_checkpoint, folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    pictures = folder / "preprocessor_config.json"
    if what == "another kind":
        change_json(folder / "config.json", model_type="bert")
    elif what == "another end":
        change_json(folder / "config.json", text_config={**config["text_config"], "eos_token_id": 7})
    elif what == "another preprocessing":
        change_json(pictures, image_processor_type="ViTImageProcessor")
    elif what == "another size":
        change_json(pictures, size={"shortest_edge": 40}, crop_size={"height": 40, "width": 40})
    elif what == "no preprocessing":
        pictures.unlink()
    elif what == "no resize":
        change_json(pictures, do_resize=False)
    elif what == "lost weights":
        from safetensors.numpy import load_file, save_file

        weights = load_file(folder / "model.safetensors")
        del weights["visual_projection.weight"]
        save_file(weights, folder / "model.safetensors", {"format": "pt"})
    else:
        shutil.rmtree(folder)
        folder.mkdir()
    assert export(folder, tmp_path / "out") == 2
    said = capsys.readouterr()
    assert message in said.err.splitlines()[-1]
    assert said.out == ""
    assert not (tmp_path / "out").exists()


def test_the_older_layout_of_preprocessing_says_the_same(clip_checkpoint: Path, tmp_path: Path) -> None:
    """OpenAI's own files: bare numbers for sizes, no word on rescaling, and the processor's former name."""
    from model_export.clip_checkpoint import load_original, original_facts

    folder = tmp_path / "older"
    shutil.copytree(clip_checkpoint, folder)
    stated = json.loads((folder / "preprocessor_config.json").read_text(encoding="utf-8"))
    older = {name: stated[name] for name in ("do_resize", "do_center_crop", "do_normalize", "resample")}
    older |= {"image_mean": MEAN, "image_std": STD, "feature_extractor_type": "CLIPFeatureExtractor"}
    older |= {"size": 32, "crop_size": 32}
    (folder / "preprocessor_config.json").write_text(json.dumps(older), encoding="utf-8")
    with quiet_libraries(verbose=False):
        facts, expected = original_facts(load_original(folder)), original_facts(load_original(clip_checkpoint))
    assert facts == expected


@pytest.mark.full
def test_the_real_configuration_equals_transformers(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """151 million random weights in the sizes of openai/clip-vit-base-patch32, at 224 pixels."""
    checkpoint = save_checkpoint(tmp_path / "vit-b-32", real_size=True)
    assert export(checkpoint, tmp_path / "out") == 0
    card = card_of(tmp_path / "out")
    assert (card["dimension"], card["picture"]["crop"], card["max_tokens"]) == (512, [224, 224], 77)
    components, cosines = largest_difference(checkpoint, tmp_path / "out")
    assert components <= 1e-4
    assert cosines <= 1e-4
