"""Intervals, tests and curves, and the arithmetic they need: pure functions on numbers and arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handler.lazily import exported

if TYPE_CHECKING:
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
    from handler.statistics._cluster_functions import cluster_function_interval
    from handler.statistics._clusters import (
        FEW_CLUSTERS,
        REPLICATES,
        bootstrap_weights,
        cluster_codes,
        cluster_mean_interval,
        expanded_percentiles,
        pool_clusters,
        resampled,
    )
    from handler.statistics._correlation import Pairs, correlation_interval, kendall_tau_b, pearson, spearman
    from handler.statistics._intervals import Interval, mean_interval, student_t_p, student_t_quantile, wilson_interval
    from handler.statistics._isotonic import Logistic, Steps, isotonic, logistic, logistic_of_counts
    from handler.statistics._paired import cohens_dz, holm, mcnemar_p, sign_flip_p, superiority
    from handler.statistics._prevalence import Corrected, prediction_powered_rate, rogan_gladen
    from handler.statistics._roc import Curve, auc, auc_interval, average_precision, precision_recall, roc

__all__ = [
    "FEW_CLUSTERS",
    "REPLICATES",
    "Corrected",
    "Curve",
    "Interval",
    "Kappa",
    "Level",
    "Logistic",
    "Pairs",
    "Ratings",
    "Steps",
    "Weights",
    "alpha_of",
    "auc",
    "auc_interval",
    "average_precision",
    "bootstrap_weights",
    "cluster_codes",
    "cluster_function_interval",
    "cluster_mean_interval",
    "cohens_dz",
    "correlation_interval",
    "expanded_percentiles",
    "fleiss_kappa_of",
    "holm",
    "isotonic",
    "kappa_interval",
    "kappa_of",
    "kendall_tau_b",
    "logistic",
    "logistic_of_counts",
    "mcnemar_p",
    "mean_interval",
    "pearson",
    "pool_clusters",
    "precision_recall",
    "prediction_powered_rate",
    "resampled",
    "roc",
    "rogan_gladen",
    "sign_flip_p",
    "spearman",
    "student_t_p",
    "student_t_quantile",
    "superiority",
    "wilson_interval",
]

__getattr__ = exported(
    __name__,
    {
        "_agreement": "Kappa Level Ratings Weights alpha_of fleiss_kappa_of kappa_interval kappa_of",
        "_cluster_functions": "cluster_function_interval",
        "_clusters": "FEW_CLUSTERS REPLICATES bootstrap_weights cluster_codes cluster_mean_interval "
        "expanded_percentiles pool_clusters resampled",
        "_correlation": "Pairs correlation_interval kendall_tau_b pearson spearman",
        "_intervals": "Interval mean_interval student_t_p student_t_quantile wilson_interval",
        "_isotonic": "Logistic Steps isotonic logistic logistic_of_counts",
        "_paired": "cohens_dz holm mcnemar_p sign_flip_p superiority",
        "_prevalence": "Corrected prediction_powered_rate rogan_gladen",
        "_roc": "Curve auc auc_interval average_precision precision_recall roc",
    },
)
