"""Yes/no questions about what is in a picture: does the model invent things when asked."""

from handler.metrics.yesno._pope import Pope, PopeTally
from handler.metrics.yesno._reading import Polarity, polarity, pope_polarity

__all__ = ["Polarity", "Pope", "PopeTally", "polarity", "pope_polarity"]
