"""Questions about pictures: does the model answer as people do."""

from handler.metrics.vqa._accuracy import VqaAccuracy, VqaTally
from handler.metrics.vqa._consensus import consensus, official_consensus
from handler.metrics.vqa._normal import normalised, official_normalised

__all__ = ["VqaAccuracy", "VqaTally", "consensus", "normalised", "official_consensus", "official_normalised"]
