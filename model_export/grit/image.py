"""The image of the parity gate, drawn by arithmetic: the same pixels on every machine, and no file to ship."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["gate_image"]


def gate_image(height: int = 203, width: int = 289) -> NDArray[np.uint8]:
    """An RGB image (height, width, 3) of a street corner in flat shapes; sides that are no multiples of anything."""
    y, x = np.mgrid[0:height, 0:width]
    image = np.stack([140 + y // 4, 180 + y // 8, 235 - y // 6], axis=-1)

    def box(left: int, top: int, right: int, bottom: int, colour: tuple[int, int, int]) -> None:
        image[top:bottom, left:right] = colour

    def disc(centre_x: int, centre_y: int, radius: int, colour: tuple[int, int, int]) -> None:
        image[(x - centre_x) ** 2 + (y - centre_y) ** 2 <= radius**2] = colour

    box(0, 140, width, height, (90, 92, 95))  # road
    image[170:174][:, (np.arange(width) // 12) % 2 == 0] = (235, 235, 230)  # its marks
    box(15, 40, 95, 140, (150, 70, 60))  # house
    for left in (25, 60):
        box(left, 55, left + 22, 80, (230, 225, 170))
    box(48, 100, 68, 140, (70, 45, 30))
    box(130, 118, 230, 160, (200, 25, 30))  # car
    box(150, 96, 210, 122, (175, 215, 230))
    for centre in (152, 208):
        disc(centre, 160, 13, (25, 25, 25))
    box(252, 90, 260, 150, (95, 65, 40))  # tree
    disc(256, 72, 28, (40, 130, 50))
    disc(245, 22, 14, (250, 225, 90))  # sun
    return image.clip(0, 255).astype(np.uint8)
