"""A CLIP checkpoint as transformers reads it, and what the run time must know of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from handler.errors import ModelError
from handler.models import PictureRule
from model_export.graph import reason_of

__all__ = ["Original", "load_original", "original_facts"]

LEGACY_END = 2  # what configurations name as the end token though their tokenizer has another: see end_token()
_PROCESSORS = ("CLIPImageProcessor", "CLIPImageProcessorFast", "CLIPFeatureExtractor")


class Original(NamedTuple):
    """A loaded checkpoint: transformers' CLIPModel (CPU, float32), fast tokenizer and CLIPImageProcessor."""

    model: Any
    tokenizer: Any
    processor: Any


def load_original(folder: Path) -> Original:
    """Load a checkpoint. Raises ModelError for another kind of model, missing weights and a foreign preprocessing."""
    kind = _read(folder / "config.json").get("model_type")
    if kind != "clip":
        raise ModelError(
            f"this is a model of type {kind}, not clip", file=str(folder), hint="Name a checkpoint of a CLIPModel"
        )
    stated = _read(folder / "preprocessor_config.json")
    processor = stated.get("image_processor_type") or stated.get("feature_extractor_type")
    if processor not in _PROCESSORS:
        raise ModelError(
            f"its pictures are prepared by {processor}, which the run time does not know", file=str(folder)
        )
    from transformers import AutoTokenizer, CLIPImageProcessor, CLIPModel

    try:
        model, loading = CLIPModel.from_pretrained(
            str(folder), local_files_only=True, dtype="float32", output_loading_info=True
        )
        tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True, use_fast=True)
        prepare = CLIPImageProcessor.from_pretrained(str(folder), local_files_only=True)
    except Exception as error:  # whatever the many loaders underneath raise
        raise ModelError(f"transformers cannot load the model: {reason_of(error)}", file=str(folder)) from error
    if loading["missing_keys"]:
        raise ModelError(
            f"the checkpoint lacks {len(loading['missing_keys'])} weights, e.g. {sorted(loading['missing_keys'])[0]}",
            file=str(folder),
            hint="transformers would fill them with random numbers",
        )
    return Original(model.eval(), tokenizer, prepare)


def original_facts(original: Original) -> dict[str, Any]:
    """max_tokens, dimension, end_token and picture of a loaded checkpoint, as the card states them."""
    config = original.model.config
    return {
        "max_tokens": config.text_config.max_position_embeddings,
        "dimension": config.projection_dim,
        "end_token": _end_token(original),
        "picture": _picture_rule(original).model_dump(mode="json"),
    }


def _end_token(original: Original) -> dict[str, Any]:
    """The end token's id and how the text tower finds the position it pools.

    OpenAI's configurations say that the end token is 2, which is wrong; transformers then pools at the highest id, as
    OpenAI's code does. Otherwise it pools at the first token of the stated id. A tokenizer that does not fit would have
    the tower pool at the start token, and give all texts one vector.
    """
    tokenizer, stated = original.tokenizer, original.model.config.text_config.eos_token_id
    end = tokenizer.eos_token_id
    if tokenizer("a")["input_ids"][-1:] != [end]:
        raise ModelError(f"the tokenizer does not put its end token {tokenizer.eos_token!r} at the end of a text")
    if stated == LEGACY_END and end == max(tokenizer.get_vocab().values()):
        return {"id": end, "pooled": "highest_id"}
    if stated == end != LEGACY_END:
        return {"id": end, "pooled": "first"}
    looks_for = "the highest id" if stated == LEGACY_END else f"id {stated}"
    raise ModelError(
        f"the text tower looks for {looks_for} where a text ends, and the tokenizer's end token is {end}",
        hint="Mend text_config.eos_token_id in config.json, or use the tokenizer that belongs to the weights",
    )


def _picture_rule(original: Original) -> PictureRule:
    processor = original.processor
    if not processor.do_resize:
        raise ModelError("its preprocessing does not resize pictures; the image tower reads one size only")
    from PIL import Image

    size, crop = processor.size, processor.crop_size
    fixed = (size["height"], size["width"]) if "height" in size else None
    try:
        rule = PictureRule(
            shortest_edge=size.get("shortest_edge"),
            resize=fixed,
            crop=(crop["height"], crop["width"]) if processor.do_center_crop else None,
            resample=Image.Resampling(processor.resample).name.lower(),
            scale=processor.rescale_factor if processor.do_rescale else 1.0,
            mean=tuple(processor.image_mean) if processor.do_normalize else (0.0, 0.0, 0.0),
            std=tuple(processor.image_std) if processor.do_normalize else (1.0, 1.0, 1.0),
        )
    except ValidationError as error:
        raise ModelError(f"its preprocessing cannot be used: {error.errors()[0]['msg']}") from error
    side = original.model.config.vision_config.image_size
    if rule.size != (side, side):
        raise ModelError(
            f"its preprocessing makes pictures of {rule.size[0]} x {rule.size[1]} pixels, the tower reads {side} x {side}"
        )
    return rule


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path.name} is missing or damaged", file=str(path.parent)) from error
    return found if isinstance(found, dict) else {}
