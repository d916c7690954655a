"""Sequences of images: coarse questions that gate fine ones, and VLM2-Bench's own conventions."""

from handler.metrics.vlm2bench._gated import GatedTally, Vlm2BenchHallucination
from handler.metrics.vlm2bench._native import NativeTally, Vlm2BenchNative
from handler.metrics.vlm2bench._numbers import official_number, one_number

__all__ = [
    "GatedTally",
    "NativeTally",
    "Vlm2BenchHallucination",
    "Vlm2BenchNative",
    "official_number",
    "one_number",
]
