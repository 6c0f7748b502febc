"""OpenAlex: its API of works, and what it sends."""
