"""Prefect flows and the command line. The only place that knows Prefect."""
