"""Reading lists, the services that describe papers, and matching. Knows neither Prefect nor DuckDB."""
