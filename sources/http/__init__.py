"""HTTP: one stack for services and reading lists. The library is `httpx`.

Why `httpx`: `semanticscholar` and Prefect bring it anyway; it has time-outs for each phase, replies as streams of the
bytes on the wire, and connects to an address that was checked while it holds the certificate against the name. The
`arxiv` package brings `requests`; it is not used to send: both client packages say what to ask for
(sources/arxiv/client.py, sources/semantic_scholar/client.py), and `transport.py` sends it. Prefect's own server is
asked with `httpx` too, in flows/prefect.

Sending, limits and faults are in `transport.py`; what a status, Retry-After and a body mean in `replies.py`, and the
fields of one in JSON in `json_replies.py`; `pace.py` spaces requests and tries them again. `request.py` asks one
question of a service with all of these, `queries.py` many.
Addresses that a stranger wrote have one rule more, the public internet only: `public_addresses.py`, for reading lists
(`sources/lists/remote.py`) and the links in them (`sources/link_checks`).
"""
