"""Makes the rows that a run writes: verdicts, candidates, findings, decisions, and harvests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from flows.refresh.services import Service, Services
from flows.review.decisions import identifiers_of_row
from flows.settings import Settings
from sources.bibliography.identifiers import Identifier, normal_identifier
from sources.errors import DisputedRecord, SourceError
from sources.matching.candidates import Candidate
from sources.matching.lookup import Resolution
from sources.records import Finding, Reply
from sources.services.registry import parser_version
from warehouse.mirrors import Mirrors
from warehouse.papers.lake_papers import KnownPapers
from warehouse.papers.paper_merge import RunPapers
from warehouse.tables import declarations as tables
from warehouse.tables.declarations import CandidateRow, FindingRow, HarvestRow, MentionColumns, MentionRow, ReplyRow

OfPaper = TypeVar("OfPaper", "tables.CitationCountRow", "HarvestRow")
DECIDED = "a person decided that it is this paper"
REFUSED = "a person decided that it is not this paper"
NO_PAPER = "a person decided that there is no paper to find"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParts:
    """What the steps of one run share."""

    settings: Settings
    now: datetime
    known: KnownPapers  # the lake as it was before the run
    papers: RunPapers  # the papers of the run
    notes: HarvestRows  # what came of asking about them
    mirrors: Mirrors
    services: Services


def decided(status: str, reason: str) -> MentionColumns:
    """Returns the columns of a mention that a person's decision gives a status, except the paper."""
    return {"status": status, "method": "review", "score": None, "reason": reason, "asked_at": None, "tries": 0}


def failed_alike(row: MentionRow, error: SourceError) -> bool:
    """Returns whether the mention failed for the same reason already."""
    return (row["status"], row["reason"]) == ("failed", str(error))


def finding_rows(mention_id: str, findings: Sequence[Finding]) -> list[FindingRow]:
    """Returns the findings of a mention, each once."""
    return [
        {"mention_id": mention_id, "ordinal": number, "code": item.code, "message": item.message, "value": item.value}
        for number, item in enumerate(dict.fromkeys(findings))
    ]


def candidate_rows(
    mention_id: str, resolution: Resolution, stored: Sequence[CandidateRow], refused: Collection[Identifier]
) -> list[CandidateRow]:
    """Returns rows for the candidates of a mention, best first, and after them those that a person rejected.

    The latter are among the `stored` rows, and stay so that the decision can be seen and undone. Where a source did not
    answer, the other stored rows stay as well.
    """
    scored = resolution.verdict.ranked if resolution.verdict else ()
    rows = [_row(mention_id, item.candidate, score=float(item.score), reasons=list(item.reasons)) for item in scored]
    shut = frozenset(map(normal_identifier, refused))
    older = [row for row in stored if not _is_among(row, rows)]
    barred = [_said(row, REFUSED) for row in older if not shut.isdisjoint(identifiers_of_row(row))]
    open_rows = [_said(row) for row in older if shut.isdisjoint(identifiers_of_row(row))]
    return _ranked([*rows, *(open_rows if resolution.status == "failed" else ()), *barred])


def with_chosen(mention_id: str, chosen: Candidate | None, candidates: Sequence[CandidateRow]) -> list[CandidateRow]:
    """Returns the paper that a person named, if it was found, and after it the earlier candidates."""
    first = [_row(mention_id, chosen, score=1.0, reasons=[DECIDED])] if chosen else []
    return _ranked([*first, *(_said(row) for row in candidates if not _is_among(row, first))])


def _row(mention_id: str, candidate: Candidate, *, score: float, reasons: list[str]) -> CandidateRow:
    return {
        "mention_id": mention_id,
        "rank": 0,  # `_ranked` counts
        "source": candidate.source,
        "title": candidate.title,
        "year": candidate.year,
        "arxiv_id": candidate.arxiv_id,
        "doi": candidate.doi,
        "s2_paper_id": candidate.s2_paper_id,
        "score": score,
        "reasons": reasons,
        "authors": list(candidate.authors) or None,
    }


def _ranked(rows: Iterable[CandidateRow]) -> list[CandidateRow]:
    return [row | {"rank": rank} for rank, row in enumerate(rows, start=1)]


def _said(row: CandidateRow, *sentence: str) -> CandidateRow:
    """Returns the row with a person's decision as its first reason, in place of earlier ones."""
    weighed = [reason for reason in row["reasons"] if reason not in (DECIDED, REFUSED)]
    return row | {"reasons": [*sentence, *weighed]}


def _is_among(row: CandidateRow, rows: Iterable[CandidateRow]) -> bool:
    own = identifiers_of_row(row)
    return any(own & identifiers_of_row(other) for other in rows)


def reply_row(reply: Reply) -> ReplyRow:
    """Returns the row of `replies` for a reply of a service."""
    return {
        "source": reply.source,
        "request_key": reply.request_key,
        "fetched_at": reply.fetched_at,
        "status": reply.status,
        "body": reply.body,
        "sha256": reply.sha256,
        "parser_version": parser_version(reply.source),
    }


def with_origin(
    row: OfPaper,
    received_at: datetime,
    *,
    papers: Mapping[str, tables.PaperRow],
    arxiv: Service,
    s2: Service,
) -> OfPaper:
    """Returns a row with facts about a paper, with the reply that they come from."""
    paper = papers.get(row["paper_id"])
    if paper is None or row.get("reply_sha256") is not None or row["source"] not in ("arxiv", "s2"):
        return row
    service, identifier = (arxiv, paper["arxiv_id"]) if row["source"] == "arxiv" else (s2, paper["s2_paper_id"])
    return row if identifier is None else row | {"reply_sha256": service.origin(identifier, received_at)}


@dataclass(slots=True)
class HarvestRows:
    """The rows of `harvests` that a run writes: what came of asking a source about a paper; by paper and source."""

    now: datetime  # the run's instant
    before: dict[tuple[str, str], HarvestRow] = field(default_factory=dict)  # the rows in the lake
    rows: dict[tuple[str, str], HarvestRow] = field(default_factory=dict)  # the rows of this run
    disputes: dict[tuple[str, str], DisputedRecord] = field(default_factory=dict)  # why records were refused
    _believed: dict[tuple[str, str], str] = field(default_factory=dict)

    def believe_if_repeated(self, paper_id: str, source: str, error: DisputedRecord) -> bool:
        """Notes a disputed record as believed if the source was at fault in the same way before; returns whether so."""
        before = self.before.get((paper_id, source))
        if before is None or before["error"] != str(error):
            return False
        self._believed[paper_id, source] = str(error)
        return True

    def note_found(
        self, paper_id: str, source: str, asked_at: datetime, *, asked_about: str = "", reply: str | None = None
    ) -> None:
        """Notes that the source has the paper, in `reply`; a fault that was believed stays in the row."""
        error = self._believed.get((asked_about, source))
        self._note(paper_id, source, "found", asked_at=asked_at, error=error, reply=reply)

    def note_absent(self, paper_id: str, source: str) -> None:
        """Notes that the source does not have the paper."""
        before = self.before.get((paper_id, source))
        self._note(paper_id, source, "not_found", tries=before["tries"] + 1 if before else 1)

    def absent(self, source: str) -> list[tuple[str, str]]:
        """Returns the papers that the source was found not to have in this run, each with the source."""
        return [key for key, row in self.rows.items() if key[1] == source and row["status"] == "not_found"]

    def note_failed(self, paper_id: str, source: str, error: SourceError, *, tries: int = 0) -> None:
        """Notes that nothing sound could be had of the paper.

        A record of another paper is remembered; figures at odds leave no doubt which paper it is. The same failure
        again is no news, and the row stays as it is, unless `tries` counts how often it came.
        """
        self._note(paper_id, source, "failed", error=str(error), tries=tries)
        if isinstance(error, DisputedRecord) and error.field != "figures":
            self.disputes[paper_id, source] = error

    def drop(self, paper_id: str) -> None:
        """Drops the rows of a paper that was withdrawn."""
        self.rows = {key: row for key, row in self.rows.items() if key[0] != paper_id}

    def _note(
        self,
        paper_id: str,
        source: str,
        status: str,
        *,
        asked_at: datetime | None = None,
        tries: int = 0,
        error: str | None = None,
        reply: str | None = None,
    ) -> None:
        row: HarvestRow = {
            "paper_id": paper_id,
            "source": source,
            "asked_at": asked_at or self.now,
            "status": status,
            "tries": tries,
            "error": error,
            "reply_sha256": reply,
        }
        before = self.before.get((paper_id, source))
        same = before is not None and status == "failed" and (before["status"], before["error"]) == (status, error)
        self.rows[paper_id, source] = before if before is not None and same and not tries else row
