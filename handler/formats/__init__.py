"""Public file formats -> samples, one reader per format, chosen by content."""

from handler.formats._contract import Detection, Notices, Reader, ReadOptions, Source
from handler.formats._reading import detect, open_records

__all__ = ["Detection", "Notices", "ReadOptions", "Reader", "Source", "detect", "open_records"]
