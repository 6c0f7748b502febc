"""Finds the paper behind every mention that has none yet, and writes the verdict into its row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sources.matching.resolve import Resolution, resolve
from warehouse.harvest_plan import asks_again_at
from warehouse.mention_history import is_open

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta

    from flows.revisions import Entry
    from flows.services import MatchingService, Service
    from sources.records import ArxivPaper, Finding, S2Paper
    from warehouse.known import KnownPapers
    from warehouse.mirror import ArxivMirror
    from warehouse.paper_book import PaperBook

Row = dict[str, Any]


class Resolver:
    """Settles the open mentions of one run.

    Args:
        known: The papers that the lake knows.
        mirror: The local mirror, there or not.
        arxiv: arXiv.
        s2: Semantic Scholar.
        book: Where the papers found are entered.
        now: The run's instant.
        max_age: After which a mention that was not found is asked for again, at first.
    """

    def __init__(
        self,
        *,
        known: KnownPapers,
        mirror: ArxivMirror,
        arxiv: Service,
        s2: MatchingService,
        book: PaperBook,
        now: datetime,
        max_age: timedelta,
    ) -> None:
        self._known = known
        self._mirror = mirror if mirror.release else None
        self._arxiv = arxiv
        self._s2 = s2
        self._book = book
        self._now = now
        self._max_age = max_age

    def settle(self, entries: Sequence[Entry]) -> None:
        """Gives every open entry a verdict; one whose turn to be asked has not come is only looked up at home."""
        open_entries = [entry for entry in entries if is_open(entry.row)]
        due = [entry for entry in open_entries if self._is_due(entry.row)]
        waiting = [entry for entry in open_entries if not self._is_due(entry.row)]
        asked = resolve(
            [entry.mention for entry in due],
            known=self._known,
            mirror=self._mirror,
            papers=(self._arxiv, self._s2),
            searches=(self._s2, self._arxiv),
            best_match=self._s2,
        )
        for resolution in asked:
            self._write(due[resolution.position], resolution)
        for resolution in resolve([entry.mention for entry in waiting], known=self._known, mirror=self._mirror):
            if resolution.status == "resolved":
                self._write(waiting[resolution.position], resolution)

    def _is_due(self, row: Row) -> bool:
        if row["status"] == "failed" or row["asked_at"] is None:
            return True
        return self._now >= asks_again_at(row["asked_at"], row["tries"], max_age=self._max_age)

    def _write(self, entry: Entry, resolution: Resolution) -> None:
        verdict = resolution.verdict
        reasons = [str(resolution.error)] if resolution.error else list(verdict.reasons if verdict else ())
        reason = "; ".join(reasons) or None
        if resolution.status == "failed" == entry.row["status"] and entry.row["reason"] == reason:
            return  # the same failure again is no news, and nothing is written for it
        entry.row |= {
            "status": resolution.status,
            "paper_id": self._enter(resolution),
            "method": resolution.method if resolution.status == "resolved" else None,
            "score": verdict.score if verdict and resolution.status == "resolved" else None,
            "reason": reason,
            "asked_at": self._now,
            "tries": entry.row["tries"] + (resolution.status in ("ambiguous", "not_found")),
        }
        entry.candidates = _candidate_rows(entry.row["mention_id"], resolution)
        entry.findings = _finding_rows(entry.row["mention_id"], (*entry.mention.findings, *resolution.findings))

    def _enter(self, resolution: Resolution) -> str | None:
        """Returns the paper of a resolution, entered in the book where the lake does not have it."""
        chosen = resolution.chosen
        if chosen is None:
            return None
        if chosen.record is None:
            assert chosen.paper_id is not None, "what has no record is a paper of the lake"  # noqa: S101
            self._book.read(paper_ids=[chosen.paper_id])
            return self._book.current(chosen.paper_id)
        return self._book.add(chosen.record, fetched_at=self._told_at(chosen.record), also=chosen.identifiers)

    def _told_at(self, record: ArxivPaper | S2Paper) -> datetime:
        for service in (self._arxiv, self._s2):
            if service.told_of(record):
                return service.fetched_at(record)
        return self._now


def _finding_rows(mention_id: str, findings: Sequence[Finding]) -> list[Row]:
    return [
        {"mention_id": mention_id, "ordinal": number, "code": one.code, "message": one.message, "value": one.value}
        for number, one in enumerate(dict.fromkeys(findings))
    ]


def _candidate_rows(mention_id: str, resolution: Resolution) -> list[Row]:
    ranked = resolution.verdict.ranked if resolution.verdict else ()
    return [
        {
            "mention_id": mention_id,
            "rank": rank,
            "source": scored.candidate.source,
            "title": scored.candidate.title,
            "year": scored.candidate.year,
            "arxiv_id": scored.candidate.arxiv_id,
            "doi": scored.candidate.doi,
            "s2_paper_id": scored.candidate.s2_paper_id,
            "score": float(scored.score),
            "reasons": list(scored.reasons),
        }
        for rank, scored in enumerate(ranked, start=1)
    ]
