"""Intervals and the arithmetic they need: pure functions on numbers."""

from handler.statistics._agreement import (
    Kappa,
    Level,
    Ratings,
    Weights,
    alpha_of,
    fleiss_kappa_of,
    kappa_interval,
    kappa_of,
)
from handler.statistics._correlation import Pairs, correlation_interval, kendall_tau_b, pearson, spearman
from handler.statistics._intervals import Interval, mean_interval, student_t_quantile, wilson_interval
from handler.statistics._prevalence import Corrected, prediction_powered_rate, rogan_gladen

__all__ = [
    "Corrected",
    "Interval",
    "Kappa",
    "Level",
    "Pairs",
    "Ratings",
    "Weights",
    "alpha_of",
    "correlation_interval",
    "fleiss_kappa_of",
    "kappa_interval",
    "kappa_of",
    "kendall_tau_b",
    "mean_interval",
    "pearson",
    "prediction_powered_rate",
    "rogan_gladen",
    "spearman",
    "student_t_quantile",
    "wilson_interval",
]
