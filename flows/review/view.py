"""Mentions for review as objects for scripts and as text for the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flows.console import BOLD, CYAN, DIM, YELLOW, paragraph, styled
from flows.list_names import shown_location
from sources.text import counted, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flows.review.queue import Reviewed, ReviewRow
    from warehouse.tables.rows import CandidateRow

_SHOWN_CANDIDATES = 3
_LONGEST = 300
_FACTS = (
    "mention_id", "location", "line", "section", "text", "title", "authors", "year", "venue", "url", "arxiv_id", "doi",
    "status", "method", "score", "reason", "tries",
)  # fmt: skip
_CANDIDATE = ("rank", "source", "title", "authors", "year", "arxiv_id", "doi", "s2_paper_id", "score", "reasons")


def as_object(reviewed: Reviewed) -> dict[str, Any]:
    """Returns the mention as an object for JSON."""
    row, cells = reviewed.row, dict[str, object](reviewed.row)
    paper = {name: cells[f"paper_{name}"] for name in ("title", "authors", "year", "arxiv_id", "doi", "s2_paper_id")}
    return {name: cells[name] for name in _FACTS} | {
        "handle": reviewed.handle,
        "asked_at": row["asked_at"].isoformat() if row["asked_at"] else None,
        "paper": {"paper_id": row["paper_id"], **paper} if row["paper_id"] else None,
        "candidates": [
            {name: found.get(name) for name in _CANDIDATE} | {"rejected": reviewed.is_rejected(found)}
            for found in reviewed.candidates
        ],
        "findings": [{name: found[name] for name in ("code", "message", "value")} for found in reviewed.findings],
        "decision": reviewed.ruling,
        "decision_in_force": row.get("decision"),
        "decision_at": reviewed.decision.where if reviewed.decision else None,
        "pending": reviewed.is_pending,
        "needs_review": reviewed.needs_a_person,
    }


def short_lines(reviewed: Reviewed) -> Iterator[str]:
    """Yields a mention as `paperlake review` lists it, in lines of the screen's width."""
    yield _head(reviewed)
    yield from paragraph(_name(reviewed), indent="  ")
    yield from paragraph(_plain(reviewed.row["reason"] or ""), indent="  ", style=DIM)
    for finding in reviewed.findings:
        yield from paragraph(_plain(finding["message"]), indent="  ", style=YELLOW)
    yield from _candidates(reviewed, reviewed.choices[:_SHOWN_CANDIDATES])
    hidden = len(reviewed.candidates) - _SHOWN_CANDIDATES
    if hidden > 0:
        yield styled(f"  and {hidden} more: paperlake review --show {reviewed.handle}", DIM)


def pending_lines(reviewed: Reviewed) -> Iterator[str]:
    """Yields the line about a decision that the next refresh applies."""
    where = f"{reviewed.handle}  {shown_location(reviewed.row['location'])}:{reviewed.row['line']}"
    yield from paragraph(
        f"{where}  {reviewed.ruling or 'decision withdrawn'}  {_name(reviewed)}", indent="    ", first="  "
    )


def full_lines(reviewed: Reviewed) -> Iterator[str]:
    """Yields the whole verdict on a mention: the entry, the decision, and all candidates."""
    row, cells = reviewed.row, dict[str, object](reviewed.row)
    yield _head(reviewed)
    for label, value in _facts_of(row):
        yield from _fact(label, value)
    yield from _fact("verdict", _verdict(row))
    yield from _fact("because", row["reason"])
    if row["paper_id"]:
        yield from _fact("paper", _paper({name: cells.get(f"paper_{name}") for name in _CANDIDATE}))
    if row["asked_at"]:
        times = f"{row['asked_at']:%Y-%m-%d %H:%M} UTC; {counted(row['tries'], 'time')} without a result"
        yield from _fact("asked", times)
    if reviewed.ruling or row.get("decision"):
        yield from _fact("decision", _decision(reviewed))
    for finding in reviewed.findings:
        yield from _fact("finding", f"{finding['code']}: {finding['message']}")
    yield from _fact(
        "weighed", counted(len(reviewed.candidates), "candidate") if reviewed.candidates else "no candidate"
    )
    yield from _candidates(reviewed, reviewed.choices)


def _head(reviewed: Reviewed) -> str:
    where = f"{_plain(shown_location(reviewed.row['location']))}:{reviewed.row['line']}"
    return f"{styled(reviewed.handle, CYAN)}  {where}  {styled(reviewed.row['status'].replace('_', ' '), BOLD)}"


def _facts_of(row: ReviewRow) -> Iterator[tuple[str, str]]:
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


def _verdict(row: ReviewRow) -> str:
    how = f" by {row['method']}" if row["method"] else ""
    return f"{row['status']}{how}" + (f", score {row['score']:.2f}" if row["score"] is not None else "")


def _decision(reviewed: Reviewed) -> str:
    if not reviewed.is_pending:
        return f"{reviewed.ruling}, in force ({reviewed.decision.where if reviewed.decision else ''})"
    return f"{reviewed.ruling or 'withdrawn'}; the next refresh applies it"


def _candidates(reviewed: Reviewed, candidates: Sequence[CandidateRow]) -> Iterator[str]:
    for row in candidates:
        mark = "rejected: " if reviewed.is_rejected(row) else ""
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


def _name(reviewed: Reviewed) -> str:
    row = reviewed.row
    return _plain(row["title"] or row["url"] or row["text"])


def _plain(text: str) -> str:
    """Returns `text` on one line, cut if it is long, without control characters."""
    line = " ".join(shown(text).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
