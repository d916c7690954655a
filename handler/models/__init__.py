"""Models at run time: ONNX Runtime sessions, loaded once per process on first use."""

from handler.models._card import ModelCard, check_content, load_card
from handler.models._text_encoder import Encoded, TextEncoder, TextVector, load_seconds, shared_text_encoder

__all__ = [
    "Encoded",
    "ModelCard",
    "TextEncoder",
    "TextVector",
    "check_content",
    "load_card",
    "load_seconds",
    "shared_text_encoder",
]
