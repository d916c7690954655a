"""Metrics over ranked lists."""
