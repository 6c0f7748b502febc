"""arXiv as the tests need it: its API, its OAI-PMH interface, and what they answer."""
