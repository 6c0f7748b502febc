"""Hands the catalogue on: as Parquet for other engines, as CSV, and as bibliographies for reference managers."""
