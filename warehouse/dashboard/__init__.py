"""The trend dashboard: one static page of the lake, with its data, charts and script inside."""
