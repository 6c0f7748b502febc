"""arXiv: its query API, its feed, its updates over OAI-PMH, its metadata dump."""
