"""Prefect: the flow, its tasks, its server, and limits shared between machines."""
