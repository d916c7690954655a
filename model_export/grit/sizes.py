"""How large the network is: the released one, or a tiny one for tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

__all__ = ["GRIT_B", "GritSizes"]


@dataclass(frozen=True, slots=True)
class GritSizes:
    """Every size that the checkpoint's tensors depend on; what they do not show (eps, strides, weights) is in the code.

    table: side of the learned position table in patches. window: side of an attention window in patches. global_blocks:
    blocks that attend to all patches, with relative positions for sides up to `global_side` patches. channels: of every
    pyramid level; groups: of its norms in the proposal head. What the run time relies on is the same in every network:
    patch, the side of an image patch in px; stages, the number of box stages; pooled and region, the side of the
    features of a box for the box stages and for the text decoder, in cells.
    """

    patch: ClassVar[int] = 16
    stages: ClassVar[int] = 3
    pooled: ClassVar[int] = 7
    region: ClassVar[int] = 14

    width: int = 768
    depth: int = 12
    heads: int = 12
    mlp_ratio: int = 4
    table: int = 14
    window: int = 14
    global_blocks: tuple[int, ...] = (2, 5, 8, 11)
    global_side: int = 64
    channels: int = 256
    groups: int = 32
    box_width: int = 1024
    words: int = 30522
    positions: int = 1024
    text_width: int = 768
    text_layers: int = 6
    text_heads: int = 12
    text_mlp: int = 3072

    @property
    def head_width(self) -> int:
        """Width of one attention head of the backbone."""
        return self.width // self.heads

    @property
    def text_head_width(self) -> int:
        """Width of one attention head of the text decoder."""
        return self.text_width // self.text_heads

    @property
    def visual_tokens(self) -> int:
        """Tokens that the text decoder sees of one region."""
        return self.region * self.region


GRIT_B = GritSizes()
