"""The Atom feed of changes beside the page (RFC 4287).

An entry's identifier is made from what changed, and its instant is the lake's. So the same lake gives the same bytes,
and a change adds an entry. Jumps of citations are counted by the calendar week: a paper has one such entry a week.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pyarrow as pa
from duckdb import DuckDBPyConnection
from markupsafe import Markup

from sources.records import SERVICE_NAMES
from sources.services.registry import counters
from sources.text import counted, shortened, shown
from warehouse.dashboard.columns import short_names
from warehouse.dashboard.first_five import KeyFinding
from warehouse.dashboard.panel_facts import Terms
from warehouse.lake.ownership import lake_id
from warehouse.lake.session import rows_of
from warehouse.query.changes import IS_BELIEVED, Jump, changes_in

FEED = "feed.xml"
MOST_ENTRIES = 100
# Of each kind so many of the newest are in the feed whatever else changed. What is left over of the hundred goes to the
# kinds in this order: what a reader must know is never pushed out by what changes every week.
_OF_EACH_KIND = {"retracted": 30, "published": 20, "added": 20, "removed": 10, "missing": 10, "jumped": 10}
_MOST_IN_ONE = 20  # mentions that came or went together with more than so many others of their list share one entry
_WEEKS = 4  # calendar weeks, the newest with a count and those before it, whose jumps are in the feed
_LONGEST = 300  # characters of a title
# Ours; from it and a name an identifier is made: https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-5 .
_NAMESPACE = uuid.UUID("6f7cbb0c-39b4-4d0e-9a3e-0d3c7c3e2c55")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KINDS = ("mentions_new", "mentions_removed", "published", "retracted", "missing")
_TELLERS = {
    "arxiv": "its authors, at arXiv",
    "dblp": "DBLP",
    "openalex": "OpenAlex",
    "retraction-watch": "Retraction Watch",
}
_RIGHTS = {
    "all": "For yourself: Semantic Scholar's terms do not let you give its counts to others.",
    "cc0": "Facts of arXiv, DBLP and OpenAlex are CC0; the words are the lists' own.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """One entry of the feed."""

    name: str  # what it is known by: of the same change always the same
    kind: str  # first, added, removed, published, retracted, missing or jumped
    title: str  # plain text
    at: datetime  # when the lake saw it
    body: Markup  # what is to be said of it
    link: str | None = None  # the paper's address; None where it has none


def feed(connection: DuckDBPyConnection, *, terms: Terms, jump: Jump, first: Sequence[KeyFinding] = ()) -> bytes:
    """Returns the feed of a lake for which `read_facts` has just been called with the same terms; `first` is its part.

    It needs the temporary tables `listed` and `recounts`.
    """
    papers = {
        row["paper_id"]: row for row in rows_of(connection, "SELECT paper_id, title, year, arxiv_id, doi FROM listed")
    }
    lists = rows_of(connection, "SELECT title, location, first_seen_at AS at FROM reading_lists ORDER BY ALL")
    locations = [row["location"] for row in lists]
    names = dict(zip(locations, short_names(locations), strict=True))
    entries = [*_news(connection, papers, jump, names), *_jumps(connection, papers, terms, jump)]
    titles = sorted(row["title"] or names[row["location"]] for row in lists)
    began = max((row["at"] for row in lists), default=_EPOCH)
    lake = lake_id(connection) or "no lake yet"
    chosen = _chosen(entries)
    if first and first[0].kind != "nothing":
        at = max((entry.at for entry in chosen), default=began)
        items = Markup("").join(Markup("<li>{}</li>").format(finding.text) for finding in first)
        said, title = Markup("<ul>{}</ul>").format(items), _text(first[0].text)
        entry = FeedEntry(name=f"first {at.isoformat()}", kind="first", title=title, at=at, body=said)
        chosen = [entry, *chosen[: MOST_ENTRIES - 1]]
    return _document(chosen, name=f"{lake} {terms}", titles=titles, began=began, terms=terms)


def _chosen(entries: Sequence[FeedEntry]) -> list[FeedEntry]:
    """Returns the entries for which there is room, newest first."""
    newest = sorted(entries, key=lambda entry: (entry.at, entry.name), reverse=True)
    of_kind = {kind: [entry for entry in newest if entry.kind == kind] for kind in _OF_EACH_KIND}
    first = [entry for kind, most in _OF_EACH_KIND.items() for entry in of_kind[kind][:most]]
    rest = [entry for kind, most in _OF_EACH_KIND.items() for entry in of_kind[kind][most:]]
    return sorted((first + rest)[:MOST_ENTRIES], key=lambda entry: (entry.at, entry.name), reverse=True)


def _news(
    connection: DuckDBPyConnection, papers: dict[str, Any], jump: Jump, names: Mapping[str, str]
) -> Iterator[FeedEntry]:
    """Yields an entry for each thing that has an instant of its own; `names` are what locations of lists are called."""
    found = changes_in(connection, _EPOCH, jump=jump, kinds=_KINDS)
    yield from _of_mentions(found["mentions_new"], "added", "first_seen_at", papers, names)
    yield from _of_mentions(found["mentions_removed"], "removed", "removed_at", papers, names)
    for row in _rows(found, "published", papers):
        as_what = _text(row["published_as"])
        said = Markup("<p>{} is published as {}, as {} tells.</p>")
        yield _of_paper("published", "Published", row, papers, said.format(_title(row, papers), as_what, _teller(row)))
    for row in _rows(found, "retracted", papers):
        reasons = f": {_text('; '.join(row['reasons']))}" if row["reasons"] else ""
        said = Markup("<p>{} was retracted, as {} tells{}.</p>")
        yield _of_paper("retracted", "Retracted", row, papers, said.format(_title(row, papers), _teller(row), reasons))
    known = {row["paper_id"]: row for row in rows_of(connection, _WORKS)} | papers
    for row in found["missing"].to_pylist():
        paper = known.get(row["paper_id"], row)  # of one that no list names, all facts are OpenAlex's
        title, name = _text(paper["title"]), _text(names.get(row["list"], row["list"]))
        said = Markup("<p>{} is not in {}: {} of its papers cite it, and it cites {} of them.</p>")
        yield FeedEntry(
            name=f"missing {row['list_id']} {row['openalex_id']}",  # also where the lake has it as a paper since
            kind="missing",
            title=f"Missing from {name}: {title}",
            at=row["first_missing_at"],
            body=said.format(title, name, row["cited_by_listed"], row["cites_listed"]),
            link=_address(paper),
        )


_WORKS = (
    "SELECT paper_id, title, year, NULL AS arxiv_id, doi FROM openalex_works "
    "WHERE paper_id IN (SELECT paper_id FROM missing_papers WHERE paper_id IS NOT NULL)"
)


def _rows(found: dict[str, pa.Table], kind: str, papers: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (row for row in found[kind].to_pylist() if row["paper_id"] in papers)


def _of_paper(kind: str, word: str, row: dict[str, Any], papers: dict[str, Any], body: Markup) -> FeedEntry:
    title = f"{word}: {_title(row, papers)}"
    link = _address(papers[row["paper_id"]])
    which = f"{row['paper_id']} {row['source']} {row['record']}" if kind == "published" else row["paper_id"]
    return FeedEntry(name=f"{kind} {which}", kind=kind, title=title, at=row["first_seen_at"], body=body, link=link)


def _of_mentions(
    rows: pa.Table, kind: str, instant: str, papers: dict[str, Any], names: Mapping[str, str]
) -> Iterator[FeedEntry]:
    """Yields an entry a mention, or one for all that came or went at once where they are many, as in a new list."""
    together: defaultdict[tuple[str, datetime], list[dict[str, Any]]] = defaultdict(list)
    for row in rows.select(["mention_id", "paper_id", "mention", "list", instant]).to_pylist():
        together[row["list"], row[instant]].append(row)
    recent = sorted(together, key=lambda key: (key[1], key[0]), reverse=True)[:MOST_ENTRIES]
    for (own, at), mentions in ((key, together[key]) for key in recent):
        name = names.get(own, own)
        if len(mentions) > _MOST_IN_ONE:
            number = f"{counted(len(mentions), 'mention')} in {_text(name)}"
            first = (Markup("<li>{}</li>").format(_text(row["mention"])) for row in mentions[:_MOST_IN_ONE])
            said = Markup("<p>{}: {}. The first of them:</p><ul>{}</ul>").format(
                kind.capitalize(), number, Markup("").join(first)
            )
            title = f"{kind.capitalize()}: {number}"
            yield FeedEntry(name=f"{kind} {at.isoformat()} {own}", kind=kind, title=title, at=at, body=said)
            continue
        for row in mentions:
            paper = papers.get(row["paper_id"])
            said = Markup("<p>{} {} {}.</p>").format(_text(row["mention"]), _WAYS[kind], _text(name))
            title = f"{kind.capitalize()}: {_text(row['mention'])}"
            link = _address(paper) if paper else None
            yield FeedEntry(name=f"{kind} {row['mention_id']}", kind=kind, title=title, at=at, body=said, link=link)


_WAYS = {"added": "was added to", "removed": "is no longer in"}


def _jumps(connection: DuckDBPyConnection, papers: dict[str, Any], terms: Terms, jump: Jump) -> Iterator[FeedEntry]:
    """Yields an entry for each paper and calendar week in which its citations jumped."""
    sources = counters(publishable=terms == "cc0")
    believed = f"FROM citation_counts WHERE {IS_BELIEVED}"
    (reach,) = rows_of(connection, f"SELECT min(observed_at) AS first, max(observed_at) AS last {believed}")
    if reach["last"] is None:
        return
    day = reach["last"].astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    monday = day - timedelta(days=day.weekday())
    for week in (monday - timedelta(weeks=number) for number in range(_WEEKS)):
        end = week + timedelta(weeks=1)
        if end <= reach["first"]:
            return
        found = changes_in(connection, week, until=end, jump=jump, kinds=("jumped",), sources=sources)
        for row in _rows(found, "jumped", papers):
            title, counter = _title(row, papers), SERVICE_NAMES.get(row["source"], row["source"])
            said = Markup("<p>{} went from {} to {}, as {} counts, in the week from {:%Y-%m-%d}.{}</p>")
            recount = f" Of that, {row['recounted']} are a recount by the source." if row["recounted"] else ""
            yield FeedEntry(
                name=f"jumped {row['paper_id']} {row['source']} {week:%Y-%m-%d}",
                kind="jumped",
                title=f"{row['gained']} more citations: {title}",
                at=row["observed_at"],
                body=said.format(title, counted(row["before"], "citation"), row["after"], counter, week, recount),
                link=_address(papers[row["paper_id"]]),
            )


def _document(
    entries: Sequence[FeedEntry], *, name: str, titles: Sequence[str], began: datetime, terms: Terms
) -> bytes:
    root = ET.Element("feed", {"xmlns": "http://www.w3.org/2005/Atom", "xml:lang": "en"})
    lists = ", ".join(map(_text, titles[:3])) + (
        f" and {counted(len(titles) - 3, 'more list')}" if len(titles) > 3 else ""
    )
    parts = {
        "id": _identifier(name),
        "title": f"What changed in {lists or 'no list yet'}",
        "updated": _instant(max((entry.at for entry in entries), default=began)),
        "generator": "paperlake",
        "rights": _RIGHTS[terms],
    }
    for tag, text in parts.items():
        ET.SubElement(root, tag).text = text
    ET.SubElement(ET.SubElement(root, "author"), "name").text = "paperlake"
    ET.SubElement(root, "link", {"rel": "alternate", "type": "text/html", "href": "index.html"})
    for entry in entries:
        element = ET.SubElement(root, "entry")
        parts = {"id": _identifier(f"{name} {entry.name}"), "title": entry.title, "updated": _instant(entry.at)}
        for tag, text in parts.items():
            ET.SubElement(element, tag).text = text
        ET.SubElement(element, "category", {"term": entry.kind})
        if entry.link is not None:
            ET.SubElement(element, "link", {"rel": "alternate", "href": entry.link})
        ET.SubElement(element, "content", {"type": "html"}).text = str(entry.body)
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _identifier(name: str) -> str:
    return f"urn:uuid:{uuid.uuid5(_NAMESPACE, name)}"


def _instant(at: datetime) -> str:
    """Returns an instant as RFC 3339 has it: https://www.rfc-editor.org/rfc/rfc3339#section-5.6 ."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}Z"


def _title(row: dict[str, Any], papers: dict[str, Any]) -> str:
    return _text(papers[row["paper_id"]]["title"])


def _teller(row: dict[str, Any]) -> str:
    source: str = row["source"]
    return _TELLERS.get(source, source)


def _text(text: str) -> str:
    """Returns text on one line, bounded, without characters that XML forbids or nobody sees."""
    return shortened(" ".join(shown(text).split()), _LONGEST)


def _address(paper: dict[str, Any]) -> str | None:
    if paper["arxiv_id"]:
        return f"https://arxiv.org/abs/{quote(paper['arxiv_id'], safe='/')}"
    return f"https://doi.org/{quote(paper['doi'], safe='/')}" if paper["doi"] else None
