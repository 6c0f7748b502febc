"""The review queue: mentions of the lake with the decisions on them, how they are shown, and how they are decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from duckdb import DuckDBPyConnection
from rapidfuzz.distance import Prefix

from flows.console import BOLD, CYAN, DIM, YELLOW, paragraph, styled
from flows.list_names import lists_named, shown_location
from flows.review.decisions import (
    Decision,
    DecisionFiles,
    MentionKey,
    address,
    assign,
    change_decisions,
    decision_file_of,
    identifiers_of_row,
    is_contradicted,
    parse_paper,
    positions,
)
from sources.bibliography.identifiers import Identifier, normal_identifier
from sources.errors import IdentifierError, UsageError
from sources.text import counted, inflected, shortened, shown
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake
from warehouse.papers.citation_keys import link
from warehouse.tables.declarations import CandidateRow, FindingRow, MentionRow

SHOWN_CANDIDATES = 3
_LONGEST = 300
# Reasons as a person would say them, where those of the verdict are terse.
_SAID = {
    "its own identifier": "the entry's own link leads to it",
    "its title": "found by the entry's title",
    "same identifier": "the identifier is the same",
}
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
    yield from _candidates(reviewed, reviewed.choices[:SHOWN_CANDIDATES])
    hidden = len(reviewed.candidates) - SHOWN_CANDIDATES
    if hidden > 0:
        yield styled(f"  and {hidden} more: paperlake review --show {reviewed.handle}", DIM)


def pending_lines(reviewed: Reviewed) -> Iterator[str]:
    """Yields the line about a decision that the next refresh applies."""
    text = f"{reviewed.handle}  {reviewed.where}  {reviewed.ruling or 'decision withdrawn'}  {_name(reviewed)}"
    yield from paragraph(text, indent="    ", first="  ")


def full_lines(reviewed: Reviewed) -> Iterator[str]:
    """Yields the whole verdict on a mention: the entry, the decision, and all candidates."""
    row, cells = reviewed.row, dict[str, object](reviewed.row)
    yield _head(reviewed)
    how = f" by {row['method']}" if row["method"] else ""
    score = f", score {row['score']:.2f}" if row["score"] is not None else ""
    moment = row["asked_at"]
    decision: str | None = None
    if reviewed.ruling or row.get("decision"):
        decision = f"{reviewed.ruling or 'withdrawn'}; the next refresh applies it"
        if not reviewed.is_pending and reviewed.decision:
            decision = f"{reviewed.ruling}, in force ({reviewed.decision.where})"
    facts: dict[str, object] = {
        "text": row["text"],
        "title": row["title"],
        "authors": ", ".join(row["authors"]),
        "year": row["year"],
        "venue": row["venue"],
        "link": row["url"],
        "arXiv": row["arxiv_id"],
        "DOI": row["doi"],
        "section": " / ".join(row["section"]),
        "verdict": f"{row['status']}{how}{score}",
        "because": row["reason"],
        "paper": row["paper_id"] and _paper({name: cells.get(f"paper_{name}") for name in _CANDIDATE}),
        "asked": moment and f"{moment:%Y-%m-%d %H:%M} UTC; {counted(row['tries'], 'time')} without a result",
        "decision": decision,
    }
    for label, value in facts.items():
        if value:
            yield from _fact(label, value)
    for finding in reviewed.findings:
        yield from _fact("finding", f"{finding['code']}: {finding['message']}")
    yield from _fact(
        "weighed", counted(len(reviewed.candidates), "candidate") if reviewed.candidates else "no candidate"
    )
    yield from _candidates(reviewed, reviewed.choices)


def _head(reviewed: Reviewed) -> str:
    status = styled(reviewed.row["status"].replace("_", " "), BOLD)
    return f"{styled(reviewed.handle, CYAN)}  {_plain(reviewed.where)}  {status}"


def _candidates(reviewed: Reviewed, candidates: Sequence[CandidateRow]) -> Iterator[str]:
    for row in candidates:
        mark = "rejected: " if reviewed.is_rejected(row) else ""
        first = f"  {row['rank']:>2}. "
        yield from paragraph(f"{mark}{_paper(row)}", indent=" " * 6, first=first)
        count = dict[str, Any](row)["citation_count"]
        known = [link(row) or "", "" if count is None else f"{count:,} {inflected(count, 'citation')}"]
        yield from paragraph("  ".join(filter(None, known)), indent=" " * 6)
        why = [*(_SAID.get(reason, reason) for reason in row["reasons"]), f"likeness {row['score']:.2f} of 1"]
        yield from paragraph(_plain("; ".join(why)), indent=" " * 6, style=DIM)


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
    return shortened(line, _LONGEST)


SHORTEST = 6  # the fewest characters of a mention's identifier that a person must type

_MENTIONS = """
SELECT m.*, l.location, l.list AS list_name, p.title AS paper_title, p.authors AS paper_authors, p.year AS paper_year,
    p.arxiv_id AS paper_arxiv_id, p.doi AS paper_doi, p.s2_paper_id AS paper_s2_paper_id
FROM mentions AS m
JOIN list_names AS l ON l.list_id = m.list_id
LEFT JOIN papers AS p ON p.paper_id = m.paper_id
WHERE m.removed_at IS NULL
ORDER BY l.location, m.line, m.mention_id
"""


# The candidates, with the citations of those that the lake knows.
_CANDIDATES = """
WITH counted AS (
    SELECT i.scheme || ':' || i.value AS name, max(coalesce(p.citation_count, w.citation_count)) AS citation_count
    FROM paper_identifiers AS i
    JOIN papers AS p USING (paper_id)
    LEFT JOIN openalex_works AS w USING (paper_id)
    GROUP BY name
)
SELECT c.*, coalesce(a.citation_count, d.citation_count, s.citation_count) AS citation_count
FROM candidates AS c
LEFT JOIN counted AS a ON a.name = 'arxiv:' || c.arxiv_id
LEFT JOIN counted AS d ON d.name = 'doi:' || c.doi
LEFT JOIN counted AS s ON s.name = 's2:' || c.s2_paper_id
ORDER BY c."rank"
"""


class ReviewRow(MentionRow):
    """A row of `mentions`, its list's `location` and `list_name`, and what is known of its paper: `paper_*`."""

    location: str
    list_name: str
    paper_title: str | None
    paper_authors: list[str] | None
    paper_year: int | None
    paper_arxiv_id: str | None
    paper_doi: str | None
    paper_s2_paper_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A mention in a list, with everything that a person needs to judge it."""

    row: ReviewRow  # its row of `mentions`, the list's `location`, and `paper_*` of the paper behind it
    handle: str  # the shortest unique beginning of its identifier
    candidates: tuple[CandidateRow, ...]  # rows of `candidates`, best first, with the `citation_count` that is known
    findings: tuple[FindingRow, ...]  # rows of `findings`
    decision: Decision | None  # the decision in the file now
    index: int  # its position among the mentions of its list

    @property
    def where(self) -> str:
        """Returns list and line."""
        return f"{shown_location(self.row['location'])}:{self.row['line']}"

    @property
    def ruling(self) -> str | None:
        """Returns the decision in words, None where there is none."""
        return self.decision.ruling if self.decision else None

    @property
    def is_pending(self) -> bool:
        """Returns whether the next refresh resolves it again, because file and lake differ about its decision."""
        return self.ruling != self.row.get("decision")

    def is_rejected(self, candidate: CandidateRow) -> bool:
        """Returns whether a person has decided that it is not this candidate."""
        refused = self.decision.refused if self.decision else ()
        return not identifiers_of_row(candidate).isdisjoint(map(normal_identifier, refused))

    @property
    def choices(self) -> tuple[CandidateRow, ...]:
        """Returns the candidates, those that a person has rejected last."""
        return tuple(sorted(self.candidates, key=self.is_rejected))

    @property
    def needs_a_person(self) -> bool:
        """Returns whether it is undecided, and unresolved or resolved although its link and title disagree."""
        if self.is_pending or self.ruling == "no paper":
            return False
        if self.row["status"] == "resolved":
            return self.ruling is None and any(finding["code"] == "link-title-disagree" for finding in self.findings)
        return self.row["status"] in ("ambiguous", "not_found")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQueue:
    """All mentions in the lake's lists, and the decisions that are about none of them."""

    place: LakePlace
    mentions: tuple[Reviewed, ...]  # by list and line
    mention_keys: dict[str, list[MentionKey]]  # location of a list -> the keys of its mentions, in order
    idle: tuple[Decision, ...]  # decisions about mentions that are in no list

    def of_lists(self, lists: Sequence[str]) -> list[Reviewed]:
        """Returns the mentions of the lists named, of all lists where none is named.

        Raises:
            UsageError: The lake knows no such list.
        """
        names = {mention.row["location"]: mention.row["list_name"] for mention in self.mentions}
        wanted = {location for name in lists for location in lists_named(name, names)}
        return [mention for mention in self.mentions if not lists or mention.row["location"] in wanted]

    def find(self, reference: str) -> Reviewed:
        """Returns the mention that `reference` names: the beginning of its identifier, or list:line.

        Raises:
            UsageError: It names no mention, or several.
        """
        name, _, line = reference.rpartition(":")
        if name and line.isdecimal() and len(line) < 10:
            lack = "no mention is on that line, as the lake knows the list"
            found = [item for item in self.of_lists([name]) if item.row["line"] == int(line)]
        elif len(reference) < SHORTEST:
            raise UsageError(f"{reference!r} is too short for a mention: at least {SHORTEST} characters, or list:line")
        else:
            lack = "no mention in a list has such an identifier"
            found = [item for item in self.mentions if item.row["mention_id"].startswith(reference)]
        if not found:
            raise UsageError(f"{reference}: {lack}; `paperlake review` shows those that need a person")
        if len(found) > 1:
            names = [f"{item.handle} ({item.row['title'] or item.row['url'] or 'untitled'})" for item in found[:5]]
            raise UsageError(f"{reference} names {counted(len(found), 'mention')}: say which, {', '.join(names)}")
        return found[0]


def read_queue(place: LakePlace) -> ReviewQueue:
    """Returns the mentions in the lake with their decisions; uses no network.

    Raises:
        UsageError: There is no lake, or a decisions file is broken.
        WarehouseError: The lake cannot be read.
    """
    with closing(open_lake(place)) as connection:
        mentions: list[ReviewRow] = connection.execute(_MENTIONS).to_arrow_table().to_pylist()
        candidates = _by_mention(connection, _CANDIDATES)
        findings = _by_mention(connection, "FROM findings ORDER BY ordinal")
    handles = _handles([row["mention_id"] for row in mentions])
    by_list: defaultdict[str, list[ReviewRow]] = defaultdict(list)
    for row in mentions:
        by_list[row["location"]].append(row)
    files = DecisionFiles(place.folder)
    mention_keys: dict[str, list[MentionKey]] = {}
    reviewed: list[Reviewed] = []
    busy: set[str] = set()
    for location, rows in by_list.items():
        mention_keys[location] = [
            MentionKey(title=row["title"], url=row["url"], text=row["text"], section=tuple(row["section"]))
            for row in rows
        ]
        decisions = files.of(location)
        decided, idle = assign(decisions, mention_keys[location])
        busy |= {decision.where for decision in decisions if decision not in idle}
        reviewed += (
            Reviewed(
                row=row,
                handle=handles[row["mention_id"]],
                candidates=tuple(candidates[row["mention_id"]]),
                findings=tuple(findings[row["mention_id"]]),
                decision=decided.get(index),
                index=index,
            )
            for index, row in enumerate(rows)
        )
    every = (item for read in files.read.values() for item in read)
    idle_ones = tuple(item for item in every if item.where not in busy)
    return ReviewQueue(place=place, mentions=tuple(reviewed), mention_keys=mention_keys, idle=idle_ones)


def _by_mention(connection: DuckDBPyConnection, sql: str) -> defaultdict[str, list[Any]]:
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for row in connection.execute(sql).to_arrow_table().to_pylist():
        found[row["mention_id"]].append(row)
    return found


def _handles(ids: Sequence[str]) -> dict[str, str]:
    """Returns identifier -> its shortest unique beginning."""
    ordered = ["", *sorted(ids), ""]
    shared = [Prefix.similarity(*pair) for pair in pairwise(ordered)]
    return {
        item: item[: max(SHORTEST, before + 1, after + 1)]
        for item, before, after in zip(ordered[1:-1], shared, shared[1:], strict=False)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of one decision."""

    reviewed: Reviewed  # the mention
    ruling: str | None  # the decision about it now; None after one was withdrawn
    file: Path  # the file of decisions
    lines: tuple[str, ...]  # what to print for the user
    put_back: Callable[[], None] | None = None  # undoes the change of the file; None where it was not changed


def accept_candidate(queue: ReviewQueue, reviewed: Reviewed, candidate: CandidateRow) -> Outcome:
    """Decides that the mention is this candidate."""
    paper = lasting_identifiers(candidate)[0]
    return decide(queue, reviewed, {"paper": paper}, meaning=f"is {paper}: {candidate['title']}")


def reject_candidates(queue: ReviewQueue, reviewed: Reviewed, candidates: Sequence[CandidateRow]) -> Outcome:
    """Decides that the mention is none of these candidates; where there are none, that it is no paper.

    Raises:
        UsageError: The candidates have no identifiers by which they could be rejected, or are rejected already.
    """
    if not candidates:
        meaning = "is no paper, or none that can be found; no service will be asked for it"
        return decide(queue, reviewed, {}, meaning=meaning)
    before = reviewed.decision.refused if reviewed.decision else ()
    refused = tuple(dict.fromkeys((*before, *chain.from_iterable(map(lasting_identifiers, candidates)))))
    if len(refused) == len(before):
        raise UsageError(f"no candidate of {reviewed.where} that is left has an identifier to reject it by")
    titles = ", ".join(repr(candidate["title"]) for candidate in candidates)
    return decide(queue, reviewed, {"refused": refused}, meaning=f"is not {titles}")


def withdraw(queue: ReviewQueue, reviewed: Reviewed, decision: Decision) -> Outcome:
    """Withdraws the decision about the mention."""
    location = reviewed.row["location"]
    file = decision_file_of(location, queue.place.folder).path
    _change(queue, file, lambda every: [each for each in every if each != decision])
    others = len(positions(decision, queue.mention_keys[location])) - 1
    also = f" It was about {others} more of the same name." if others else ""
    lines = (
        f"{reviewed.where}: withdrawn: {decision.ruling}.{also}",
        f"Removed from {file}; the next `paperlake refresh` decides it anew.",
    )
    return Outcome(reviewed=reviewed, ruling=None, file=file, lines=lines)


def choose_candidate(reviewed: Reviewed, rank: int | None) -> CandidateRow:
    """Returns the candidate with a number, or the first that was not rejected and can be written down.

    Raises:
        UsageError: There is none.
    """
    if rank is None:
        open_ones = [row for row in reviewed.choices if not reviewed.is_rejected(row) and lasting_identifiers(row)]
        found = open_ones[0] if open_ones else None
    else:
        found = next((row for row in reviewed.candidates if row["rank"] == rank), None)
    if found is None:
        there = counted(len(reviewed.candidates), "candidate") if reviewed.candidates else "no candidates"
        lack = "none that can be accepted" if rank is None else f"no number {rank}"
        hint = f"name the paper: paperlake review set-id {reviewed.handle} ID"
        raise UsageError(f"{reviewed.where} has {there}, and {lack}; {hint}")
    if not lasting_identifiers(found):
        raise UsageError(f"candidate {rank} of {reviewed.where} has no identifier that could be kept")
    return found


def lasting_identifiers(row: CandidateRow) -> list[Identifier]:
    """Returns those identifiers of a candidate that a decision can name, the most stable first."""
    sound = []
    for scheme, value in (("arxiv", row["arxiv_id"]), ("doi", row["doi"]), ("s2", row["s2_paper_id"])):
        with suppress(IdentifierError):
            sound += [parse_paper(f"{scheme}:{value}")] if value else []
    return sound


def decide(queue: ReviewQueue, reviewed: Reviewed, verdict: dict[str, Any], *, meaning: str) -> Outcome:
    """Writes the decision in place of the earlier one, unless that is about other mentions too.

    `verdict` has the fields of the decision that say what was decided, `meaning` says the same in words.
    """
    mention_keys = queue.mention_keys[reviewed.row["location"]]
    file, list_name = decision_file_of(reviewed.row["location"], queue.place.folder)
    old = reviewed.decision
    shared = old if old and len(positions(old, mention_keys)) > 1 else None
    against_link = is_contradicted(Decision(list="", mention="", **verdict), mention_keys[reviewed.index].url)
    new = Decision(
        list=list_name,
        on=datetime.now(UTC).date().isoformat(),
        **address(reviewed.index, mention_keys, outranks=shared, with_url=against_link),
        **verdict,
    )
    if old is not None and not shared and old.ruling == new.ruling:
        line = f"{reviewed.where}: decided already, at {old.where}: {old.ruling}."
        return Outcome(reviewed=reviewed, ruling=old.ruling, file=file, lines=(line,))
    replaced = [] if old is None or shared else [old]
    _change(queue, file, lambda every: [*(it for it in every if it.target != new.target and it not in replaced), new])

    def put_back() -> None:
        _change(queue, file, lambda every: [*(each for each in every if each != new), *replaced])

    lines = (f"{reviewed.where} {meaning}.", f"Kept in {file}; the next `paperlake refresh` applies it.")
    return Outcome(reviewed=reviewed, ruling=new.ruling, file=file, lines=lines, put_back=put_back)


def _change(queue: ReviewQueue, file: Path, edit: Callable[[Sequence[Decision]], Sequence[Decision]]) -> None:
    change_decisions(file, edit, lock_folder=queue.place.folder / "locks")
