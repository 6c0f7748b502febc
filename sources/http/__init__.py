"""HTTP: one stack for services and reading lists. The library is `httpx`.

Why `httpx`: `semanticscholar` and Prefect bring it anyway; it has time-outs for each phase, replies as streams of the
bytes on the wire, and connects to an address that was checked while it holds the certificate against the name. The
`arxiv` package brings `requests`; it is not used to send: both client packages say what to ask for
(sources/services), and `transport.py` sends it. Prefect's own server is asked with `httpx` too, in flows/prefect.

`transport.py` sends requests, with limits; `queries.py` divides many questions into requests; `replies.py` says what a
status, Retry-After and a body mean, reads the fields of one in JSON (`xml_replies.py` one in XML), and names the
questions that replies are stored under; `rate_limit.py` spaces requests, and `retry.py` tries them again. Addresses
that a stranger wrote have one rule more, the public internet only: `public_addresses.py`, for reading lists
(`sources/lists/remote.py`) and the links in them (`sources/lists/links`).
"""
