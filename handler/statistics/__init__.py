"""Intervals and the arithmetic they need: pure functions on numbers."""

from handler.statistics._intervals import Interval, mean_interval, student_t_quantile, wilson_interval

__all__ = ["Interval", "mean_interval", "student_t_quantile", "wilson_interval"]
