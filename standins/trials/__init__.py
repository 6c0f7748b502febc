"""Trials that tests and benchmarks run: whole refreshes under faults, false answers and kills, and worlds of papers."""
