"""The `arxiv` package underneath: it says what to ask for; sources/http sends it and takes the reply as it comes.

Only the package's address builder is used, `Client._format_url`: its one public way, `Client.results`, has no time-out,
waits a flat three seconds after a 429, turns a cut-off feed into a short one (`recover=True`) and an error entry into a
paper, and has no seam where a reply could be taken before that.
"""

from __future__ import annotations

import arxiv

from sources.http.outcome import Received
from sources.http.transport import Limits, Transport, on_same_host


class ArxivLibrary:
    """Sends one page's request to the endpoint at `url`."""

    def __init__(self, *, url: str, timeout_s: tuple[float, float]) -> None:
        self._client = arxiv.Client()
        self._client.query_url_format = url.replace("{", "{{").replace("}", "}}") + ("&{}" if "?" in url else "?{}")
        limits = Limits(connect_s=timeout_s[0], read_s=timeout_s[1])
        self._transport = Transport("arxiv", url=url, limits=limits, follows=on_same_host)

    def close(self) -> None:
        """Closes the connection."""
        self._transport.close()

    def page(self, search: arxiv.Search, *, start: int, size: int) -> Received:
        """Returns the reply to one request for `size` results from `start`, whatever its status.

        Raises:
            SourceError: No whole reply came.
        """
        return self._transport.send("GET", self._client._format_url(search, start, size))
