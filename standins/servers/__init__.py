"""Servers for tests and benchmarks: PostgreSQL, S3 and Prefect, each of its own and on loopback."""
