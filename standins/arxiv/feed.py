"""Papers -> the Atom feed that arXiv sends since 2026, element for element and in its order."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from xml.sax.saxutils import escape as _escape
from xml.sax.saxutils import quoteattr

from standins.catalogue.papers import Paper

CONTENT_TYPE = "application/atom+xml; charset=utf-8"
_HEAD = (
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom"'
    ' xmlns="http://www.w3.org/2005/Atom">\n'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked, as the feed repeats it."""

    search_query: str
    id_list: str
    start: int
    max_results: int


def render(question: Question, total: int, entries: Sequence[tuple[Paper, int]]) -> bytes:
    """Returns the feed that answers `question` with papers and the version to show of each."""
    asked = f"search_query={question.search_query}&id_list={question.id_list}&start={question.start}"
    link = f"search_query={question.search_query}&start={question.start}&max_results={question.max_results}"
    address = quoteattr(_clean(f"https://arxiv.org/api/query?{link}&id_list={question.id_list}"))
    lines = [
        f"  <id>https://arxiv.org/api/{_token(asked)}</id>\n",
        f"  <title>arXiv Query: {escape(asked)}&amp;max_results={question.max_results}</title>\n",
        f"  <updated>{_now()}</updated>\n",
        f'  <link href={address} type="application/atom+xml"/>\n',
        _counts(question.max_results, total, question.start),
        *(_entry(paper, version) for paper, version in entries),
    ]
    return (_HEAD + "".join(lines) + "</feed>\n").encode()


def render_error(message: str) -> bytes:
    """Returns the feed whose one entry is called "Error", as arXiv answers what it cannot read."""
    address = f"https://arxiv.org/api/errors#{message.replace(' ', '_')}"
    return (
        f"{_HEAD}  <id>https://arxiv.org/</id>\n  <title>arXiv Search Results</title>\n"
        f"  <updated>{_now()}</updated>\n{_counts(1, 1, 0)}  <entry>\n    <id>{escape(address)}</id>\n"
        f"    <title>Error</title>\n    <updated>{_now()}</updated>\n"
        f'    <link href={quoteattr(_clean(address))} rel="alternate" type="text/html"/>\n'
        f"    <summary>{escape(message)}</summary>\n    <author>\n      <name>arXiv api core</name>\n    </author>\n"
        "  </entry>\n</feed>\n"
    ).encode()


def escape(text: str) -> str:
    """Returns the text for an element, without the characters that no XML may hold."""
    return _escape(_clean(text))


def _clean(text: str) -> str:
    return "".join(c for c in text if c >= " " or c in "\t\n")


def _counts(per_page: int, total: int, start: int) -> str:
    return (
        f"  <opensearch:itemsPerPage>{per_page}</opensearch:itemsPerPage>\n"
        f"  <opensearch:totalResults>{total}</opensearch:totalResults>\n"
        f"  <opensearch:startIndex>{start}</opensearch:startIndex>\n"
    )


def _entry(paper: Paper, version: int) -> str:
    name = f"{paper.arxiv_id}v{version}"
    published = _instant(paper.published, paper.sha)
    updated = paper.updated and _instant(paper.updated, paper.sha)
    shown = published if version == 1 else updated or published + timedelta(days=45 * (version - 1))
    return "".join(
        [
            f"  <entry>\n    <id>http://arxiv.org/abs/{name}</id>\n    <title>{escape(paper.title)}</title>\n",
            f"    <updated>{_iso(shown)}</updated>\n",
            f'    <link href="https://arxiv.org/abs/{name}" rel="alternate" type="text/html"/>\n',
            f'    <link href="https://arxiv.org/pdf/{name}" rel="related" type="application/pdf" title="pdf"/>\n',
            f"    <summary>{escape(paper.abstract or neutral_abstract(paper))}</summary>\n",
            *(f'    <category term="{c}" scheme="http://arxiv.org/schemas/atom"/>\n' for c in _categories(paper)),
            f"    <published>{_iso(published)}</published>\n",
            _element("arxiv:comment", paper.comment),
            f'    <arxiv:primary_category term="{_categories(paper)[0]}"/>\n',
            _element("arxiv:journal_ref", paper.journal_ref),
            *(f"    <author>\n      <name>{escape(author)}</name>\n    </author>\n" for author in paper.authors),
            _doi(paper.doi_at_arxiv or paper.doi),
            "  </entry>\n",
        ]
    )


def neutral_abstract(paper: Paper) -> str:
    """Returns the one sentence that stands where no fact gives an abstract."""
    return f"Record of the work entitled {paper.title}; its abstract is not kept here."


def _categories(paper: Paper) -> tuple[str, ...]:
    archive = paper.arxiv_id.split("/")[0] if paper.arxiv_id and "/" in paper.arxiv_id else "cs.LG"
    return paper.categories or (archive,)


def _doi(doi: str | None) -> str:
    if doi is None or doi.startswith("10.48550/"):
        return ""
    address = quoteattr(f"https://doi.org/{doi}")
    return f'    <arxiv:doi>{escape(doi)}</arxiv:doi>\n    <link rel="related" href={address} title="doi"/>\n'


def _element(name: str, text: str | None) -> str:
    return "" if text is None else f"    <{name}>{escape(text)}</{name}>\n"


def _instant(day: str | None, sha: str) -> datetime:
    if day and "T" in day:
        return datetime.fromisoformat(day)
    seconds = int(sha[:8], 16) % 86_400
    return datetime.combine(date.fromisoformat((day or "2000-01-01")[:10]), datetime.min.time(), UTC) + timedelta(
        seconds=seconds
    )


def _iso(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")


def _now() -> str:
    return _iso(datetime.now(UTC))


def _token(text: str) -> str:
    return base64.b64encode(hashlib.sha1(text.encode()).digest()).decode().rstrip("=")
