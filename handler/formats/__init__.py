"""Public file formats -> samples, one reader per format, chosen by content."""
