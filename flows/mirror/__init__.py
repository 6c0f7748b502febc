"""Imports and updates of mirrors as tasks, on this machine or on a Dask cluster."""
