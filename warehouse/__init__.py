"""Where papers end up: schema, lake, load, views, queries, exports. Knows no Prefect."""
