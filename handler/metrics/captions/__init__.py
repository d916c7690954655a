"""Metrics over captions of pictures."""
