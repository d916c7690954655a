"""Metrics over transcripts."""
