"""Confidence intervals of a proportion and of a mean."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

__all__ = ["Interval", "mean_interval", "student_t_p", "student_t_quantile", "wilson_interval"]


class Interval(NamedTuple):
    """low <= estimate <= high at `level` (0..1), by the named method."""

    low: float
    high: float
    level: float
    method: str


def wilson_interval(successes: int, n: int, *, level: float = 0.95) -> Interval | None:
    """Wilson's score interval of a proportion; None when n is 0.

    Unlike the textbook interval it stays inside 0..1 and has width where successes are 0 or n.
    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
    """
    if n == 0:
        return None
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = successes / n
    centre = share + z * z / (2 * n)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = 0.0 if successes == 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if successes == n else min(1.0, (centre + spread) / scale)
    return Interval(low, high, level, "wilson")


def mean_interval(mean: float, standard_deviation: float, n: int, *, level: float = 0.95) -> Interval | None:
    """Student's t interval of a mean; None when n < 2. standard_deviation: of the sample (divisor n - 1).

    It takes the samples as independent; frames of one camera rarely are, so read it as the least uncertainty there is.
    """
    if n < 2:
        return None
    half = student_t_quantile(0.5 + level / 2, n - 1) * standard_deviation / math.sqrt(n)
    return Interval(mean - half, mean + half, level, "student-t")


def student_t_quantile(probability: float, degrees: int) -> float:
    """The t with P(T <= t) = probability, for 0.5 <= probability < 1; absolute error under 1e-9 for t under 100.

    Solved by bisection on the distribution function, so that the function needs no SciPy.
    """
    if not 0.5 <= probability < 1 or degrees < 1:
        raise ValueError(f"need 0.5 <= probability < 1 and degrees >= 1, got {probability} and {degrees}")
    low, high = 0.0, 1.0
    while _student_t_cdf(high, degrees) < probability:
        low, high = high, high * 2
    while high - low > 1e-12 * max(1.0, high):
        middle = (low + high) / 2
        if _student_t_cdf(middle, degrees) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def student_t_p(t: float, degrees: int) -> float:
    """The two-sided p of a t: the probability of one at least as far from 0."""
    return _incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5)


def _student_t_cdf(t: float, degrees: int) -> float:
    return 1 - _incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function by its continued fraction (Lentz's method; DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return min(1.0, max(0.0, x))
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    fraction = d
    for m in range(1, 1000):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + step * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + step / c
            c = c if abs(c) > tiny else tiny
            fraction *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return math.exp(log_front) / a * fraction
