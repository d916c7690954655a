"""Models at run time: ONNX Runtime sessions, loaded once per process on first use."""

from handler.models._batches import BATCH_TOKENS
from handler.models._card import Card, ModelCard, check_content, load_card
from handler.models._entailment import EntailmentCard, OnnxEntailment
from handler.models._image_text import ImageTextCard, ImageTextEncoder, PictureVector, shared_image_text_encoder
from handler.models._pictures import Picture, PictureError, PictureRule, prepare_picture
from handler.models._precision import int8_kernel
from handler.models._session import load_seconds
from handler.models._text_encoder import Encoded, TextEncoder, TextVector, TokenVectors, shared_text_encoder

__all__ = [
    "BATCH_TOKENS",
    "Card",
    "Encoded",
    "EntailmentCard",
    "ImageTextCard",
    "ImageTextEncoder",
    "ModelCard",
    "OnnxEntailment",
    "Picture",
    "PictureError",
    "PictureRule",
    "PictureVector",
    "TextEncoder",
    "TextVector",
    "TokenVectors",
    "check_content",
    "int8_kernel",
    "load_card",
    "load_seconds",
    "prepare_picture",
    "shared_image_text_encoder",
    "shared_text_encoder",
]
