"""Requests to services: bodies, pace, retries, batches, and replies as received."""
