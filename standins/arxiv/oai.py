"""arXiv's OAI-PMH endpoint on loopback: pages of changes in two formats, tokens that expire, and its faults.

Row 3 of WIRE.md: `<created>` in the format `arXiv` is the day of the current version; `arXivRaw` has all versions. The
real one sends no headers of deleted papers, though the protocol has them; here a change without a paper is one.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qsl, urlsplit

from standins.arxiv.feed import escape, neutral_abstract
from standins.catalogue.papers import Paper

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'


@dataclass(slots=True, kw_only=True)
class Change:
    """What befell a paper on a day; None where it was taken away."""

    arxiv_id: str
    day: str
    paper: Paper | None


@dataclass(slots=True)
class OaiStandIn:
    """The endpoint, for as long as the `with` block lasts.

    Attributes:
        changes: What may be asked for.
        page_size: Records of a page.
        today: The date that replies bear.
        faults: What the next requests get instead of an answer: (status, headers, body), one each; None lets one pass.
        asked: The parameters of every request.
        expired: Tokens that are no longer known.
    """

    changes: Sequence[Change]
    page_size: int = 2
    today: str = "2026-11-21T06:00:00Z"
    faults: deque[tuple[int, dict[str, str], bytes] | None] = field(default_factory=deque)
    asked: list[dict[str, str]] = field(default_factory=list)
    expired: set[str] = field(default_factory=set)
    _server: ThreadingHTTPServer | None = None

    def __enter__(self) -> Self:
        standin = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                status, headers, body = standin.answer(dict(parse_qsl(urlsplit(self.path).query)))
                self.send_response(status)
                for name, value in {"Content-Type": "text/xml", "Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: object) -> None:
                """Nothing is printed."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Returns the base address."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_address[1]}/oai"

    def answer(self, asked: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        """Returns status, headers and body for a request."""
        self.asked.append(asked)
        fault = self.faults.popleft() if self.faults else None
        if fault is not None:
            return fault
        return 200, {}, self._page(asked).encode()

    def _page(self, asked: dict[str, str]) -> str:
        token = asked.get("resumptionToken")
        if token in self.expired:
            return self._wrapped('<error code="badResumptionToken">The token has expired</error>')
        since, start, form = token.split("|") if token else (asked["from"], "0", asked.get("metadataPrefix"))
        if form not in _METADATA:
            return self._wrapped('<error code="cannotDisseminateFormat">unknown format</error>')
        found = [change for change in self.changes if change.day >= since]
        if not found:
            return self._wrapped('<error code="noRecordsMatch">No matching records found.</error>')
        after = int(start) + self.page_size
        page = found[int(start) : after]
        rest = f"{since}|{after}|{form}" if after < len(found) else ""
        records = "".join(_records(page, _METADATA[form]))
        return self._wrapped(f"<ListRecords>{records}<resumptionToken>{rest}</resumptionToken></ListRecords>")

    def _wrapped(self, inner: str) -> str:
        return f"{_HEAD}<responseDate>{self.today}</responseDate><request>/oai</request>{inner}</OAI-PMH>"


def _records(changes: Iterable[Change], metadata: Callable[[Paper], str]) -> Iterable[str]:
    for change in changes:
        status = "" if change.paper else ' status="deleted"'
        header = (
            f"<header{status}><identifier>oai:arXiv.org:{change.arxiv_id}</identifier>"
            f"<datestamp>{change.day}</datestamp></header>"
        )
        yield f"<record>{header}{f'<metadata>{metadata(change.paper)}</metadata>' if change.paper else ''}</record>"


def _arxiv(paper: Paper) -> str:
    names = [name.rsplit(" ", 1) for name in paper.authors]
    authors = "".join(
        f"<author><keyname>{escape(name[-1])}</keyname><forenames>{escape(name[0])}</forenames></author>"
        for name in names
    )
    created = (paper.updated or paper.published or "2000-01-01")[:10]
    return (
        f'<arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>{paper.arxiv_id}</id><created>{created}</created>'
        f"<authors>{authors}</authors>{_fields(paper)}</arXiv>"
    )


def _arxiv_raw(paper: Paper) -> str:
    first, last = (_time(day or "2000-01-01T00:00:00Z") for day in (paper.published, paper.updated or paper.published))
    days = [first, *[last] * (paper.version - 1)]
    versions = "".join(
        f'<version version="v{number}"><date>{day}</date><size>1kb</size></version>'
        for number, day in enumerate(days, 1)
    )
    authors = " and ".join([*filter(None, [", ".join(paper.authors[:-1])]), *paper.authors[-1:]])
    return (
        f'<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>{paper.arxiv_id}</id><submitter>Nobody</submitter>'
        f"{versions}<authors>{escape(authors)}</authors>{_fields(paper)}</arXivRaw>"
    )


def _fields(paper: Paper) -> str:
    """Returns the fields that both formats have."""
    told = {"journal-ref": paper.journal_ref, "doi": paper.doi_at_arxiv or paper.doi, "comments": paper.comment}
    optional = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in told.items() if text)
    return (
        f"<title>{escape(paper.title)}</title><categories>{' '.join(paper.categories)}</categories>{optional}"
        f"<abstract>{escape(paper.abstract or neutral_abstract(paper))}</abstract>"
    )


def _time(text: str) -> str:
    return format_datetime(datetime.fromisoformat(text).astimezone(UTC), usegmt=True)


_METADATA = {"arXiv": _arxiv, "arXivRaw": _arxiv_raw}
