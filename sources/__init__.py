"""Where papers come from: reading lists, arXiv, Semantic Scholar. Knows neither Prefect nor DuckDB."""
