"""Benchmarks: whole processes, alternating in one run, compared by ratio."""
