"""A picture of noise that is the same on every machine."""

from __future__ import annotations

import numpy as np


def picture(width, height):
    """Noise from a 64-bit mixing function, the same on every machine."""
    x = np.arange(width * height * 3, dtype=np.uint64) * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    x ^= x >> np.uint64(29)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(32)
    return (x & np.uint64(255)).astype(np.uint8).reshape(height, width, 3)
