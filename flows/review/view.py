"""Mentions for review as objects for scripts and as words on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flows.console import BOLD, CYAN, DIM, YELLOW, paragraph, styled
from flows.review.queue import shown_location
from sources.text import counted, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flows.review.queue import Reviewed

Row = dict[str, Any]

_SHOWN_CANDIDATES = 3
_LONGEST = 300
_FACTS = (
    "mention_id", "location", "line", "section", "text", "title", "authors", "year", "venue", "url", "arxiv_id", "doi",
    "status", "method", "score", "reason", "tries",
)  # fmt: skip
_CANDIDATE = ("rank", "source", "title", "authors", "year", "arxiv_id", "doi", "s2_paper_id", "score", "reasons")


def as_object(one: Reviewed) -> dict[str, Any]:
    """Returns the mention as an object that JSON can hold."""
    row = one.row
    paper = {name: row[f"paper_{name}"] for name in ("title", "authors", "year", "arxiv_id", "doi", "s2_paper_id")}
    return {name: row[name] for name in _FACTS} | {
        "handle": one.handle,
        "asked_at": row["asked_at"].isoformat() if row["asked_at"] else None,
        "paper": {"paper_id": row["paper_id"], **paper} if row["paper_id"] else None,
        "candidates": [
            {name: found.get(name) for name in _CANDIDATE} | {"rejected": one.is_rejected(found)}
            for found in one.candidates
        ],
        "findings": [{name: found[name] for name in ("code", "message", "value")} for found in one.findings],
        "decision": one.ruling,
        "decision_in_force": row.get("decision"),
        "decision_at": one.decision.where if one.decision else None,
        "pending": one.is_pending,
        "needs_review": one.needs_a_person,
    }


def short_lines(one: Reviewed) -> Iterator[str]:
    """Yields what `paperlake review` shows of a mention, in lines of the screen's width."""
    yield _head(one)
    yield from paragraph(_name(one), indent="  ")
    yield from paragraph(_plain(one.row["reason"] or ""), indent="  ", style=DIM)
    for finding in one.findings:
        yield from paragraph(_plain(finding["message"]), indent="  ", style=YELLOW)
    yield from _candidates(one, one.choices[:_SHOWN_CANDIDATES])
    hidden = len(one.candidates) - _SHOWN_CANDIDATES
    if hidden > 0:
        yield styled(f"  and {hidden} more: paperlake review --show {one.handle}", DIM)


def pending_lines(one: Reviewed) -> Iterator[str]:
    """Yields the line about a decision that the next refresh applies."""
    where = f"{one.handle}  {shown_location(one.row['location'])}:{one.row['line']}"
    yield from paragraph(f"{where}  {one.ruling or 'decision withdrawn'}  {_name(one)}", indent="    ", first="  ")


def full_lines(one: Reviewed) -> Iterator[str]:
    """Yields the whole verdict on a mention: what the list says, what was decided, and everything that was weighed."""
    row = one.row
    yield _head(one)
    for label, value in _told(row):
        yield from _fact(label, value)
    yield from _fact("verdict", _verdict(row))
    yield from _fact("because", row["reason"])
    if row["paper_id"]:
        yield from _fact("paper", _paper({name: row.get(f"paper_{name}") for name in (*_CANDIDATE, "title")}))
    if row["asked_at"]:
        times = f"{row['asked_at']:%Y-%m-%d %H:%M} UTC; {counted(row['tries'], 'time')} without a result"
        yield from _fact("asked", times)
    if one.ruling or row.get("decision"):
        yield from _fact("decision", _decision(one))
    for finding in one.findings:
        yield from _fact("finding", f"{finding['code']}: {finding['message']}")
    yield from _fact("weighed", counted(len(one.candidates), "candidate") if one.candidates else "no candidate")
    yield from _candidates(one, one.choices)


def _head(one: Reviewed) -> str:
    where = f"{_plain(shown_location(one.row['location']))}:{one.row['line']}"
    return f"{styled(one.handle, CYAN)}  {where}  {styled(one.row['status'].replace('_', ' '), BOLD)}"


def _told(row: Row) -> Iterator[tuple[str, str]]:
    facts = {
        "text": " ".join(row["text"].split()),
        "title": row["title"],
        "authors": ", ".join(row["authors"]),
        "year": row["year"],
        "venue": row["venue"],
        "link": row["url"],
        "arXiv": row["arxiv_id"],
        "DOI": row["doi"],
        "section": " / ".join(row["section"]),
    }
    return ((label, str(value)) for label, value in facts.items() if value)


def _verdict(row: Row) -> str:
    how = f" by {row['method']}" if row["method"] else ""
    return f"{row['status']}{how}" + (f", score {row['score']:.2f}" if row["score"] is not None else "")


def _decision(one: Reviewed) -> str:
    if not one.is_pending:
        return f"{one.ruling}, in force ({one.decision.where if one.decision else ''})"
    return f"{one.ruling or 'withdrawn'}; the next refresh applies it"


def _candidates(one: Reviewed, candidates: Sequence[Row]) -> Iterator[str]:
    for row in candidates:
        mark = "rejected: " if one.is_rejected(row) else ""
        first = f"  {row['rank']:>2}. "
        yield from paragraph(f"{mark}{_paper(row)}  [{row['score']:.2f}]", indent=" " * 6, first=first)
        if row["reasons"]:
            yield from paragraph(_plain("; ".join(row["reasons"])), indent=" " * 6, style=DIM)


def _paper(row: Mapping[str, Any]) -> str:
    authors = list(row.get("authors") or ())
    names = ", ".join(authors[:3]) + (" et al." if len(authors) > 3 else "")
    ids = [f"{scheme}:{row[key]}" for scheme, key in (("arxiv", "arxiv_id"), ("doi", "doi")) if row.get(key)]
    ids = ids or [f"s2:{row['s2_paper_id']}"] * bool(row.get("s2_paper_id"))
    return _plain(" · ".join(str(part) for part in (row["title"], names, row["year"], *ids) if part))


def _fact(label: str, value: object) -> Iterator[str]:
    yield from paragraph(_plain(str(value)), indent=" " * 12, first="  " + styled(f"{label:<10}", DIM))


def _name(one: Reviewed) -> str:
    row = one.row
    return _plain(row["title"] or row["url"] or row["text"])


def _plain(text: str) -> str:
    """Returns `text` on one line, not too long, without marks that would steer a terminal."""
    line = " ".join(shown(text).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
