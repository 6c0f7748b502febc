"""Applies decisions of people: the mention is the paper with the identifier named, or none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sources.matching.lookup import by_identifier
from sources.matching.resolution import Open

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from flows.refresh.revisions import Entry
    from sources.bibliography.identifiers import Identifier
    from sources.errors import SourceError
    from sources.matching.candidates import Candidate
    from sources.matching.lookup import Known, Mirror, PaperSource
    from warehouse.tables.rows import MentionColumns, MentionRow


NO_PAPER = "a person decided that there is no paper to find"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """The result of a decision.

    Attributes:
        entry: The mention.
        columns: The new values of its row, except the paper.
        chosen: The paper; None where there is none, or it could not be fetched.
    """

    entry: Entry
    columns: MentionColumns
    chosen: Candidate | None = None


class HumanDecisions:
    """Finds the papers that decisions name: in the lake, in the mirrors, or with batched requests.

    Args:
        known: The papers in the lake.
        mirror: The local mirrors, if there are any.
        sources: The services, in the order in which they are asked.
        now: The run's instant.
    """

    def __init__(self, *, known: Known, mirror: Mirror | None, sources: Sequence[PaperSource], now: datetime) -> None:
        self._known = known
        self._mirror = mirror
        self._sources = sources
        self._now = now

    def settle(self, entries: Sequence[Entry], *, at_home: bool = False) -> Iterator[Ruling]:
        """Yields the results of the decisions on `entries`, except for entries that do not change.

        Args:
            entries: Mentions with a decision on what they are.
            at_home: Whether to send no request, because the last one is too recent.
        """
        papers: list[tuple[Entry, Identifier]] = []
        for entry in entries:
            if entry.decision is None or entry.decision.paper is None:
                yield Ruling(entry=entry, columns=_columns("not_found", NO_PAPER))
            else:
                papers.append((entry, entry.decision.paper))
        sources = () if at_home else self._sources
        stage = by_identifier(_opened(papers), known=self._known, mirror=self._mirror, sources=sources)
        for resolution in stage.resolved:
            entry, paper = papers[resolution.position]
            columns = _columns("resolved", f"a person decided that it is {paper}")
            yield Ruling(entry=entry, columns=columns | {"asked_at": self._now}, chosen=resolution.chosen)
        for item in () if at_home else stage.still_open:
            entry, paper = papers[item.position]
            columns = self._unfound(entry.row, paper, item.errors)
            if entry.row["status"] != "failed" or entry.row["reason"] != columns["reason"]:
                yield Ruling(entry=entry, columns=columns)

    def _unfound(self, row: MentionRow, paper: Identifier, errors: Sequence[SourceError]) -> MentionColumns:
        reason = f"a person decided that it is {paper}"
        if errors:
            columns = _columns("failed", f"{reason}, which could not be asked for: {errors[0]}")
            return columns | {"asked_at": self._now, "tries": row["tries"], "method": None}
        columns = _columns("not_found", f"{reason}, which no source has")
        return columns | {"asked_at": self._now, "tries": row["tries"] + 1}


def _opened(papers: Sequence[tuple[Entry, Identifier]]) -> list[Open]:
    return [
        Open(position=position, mention=replace(entry.mention, identifiers=(paper,)))
        for position, (entry, paper) in enumerate(papers)
    ]


def _columns(status: str, reason: str) -> MentionColumns:
    return {"status": status, "method": "review", "score": None, "reason": reason, "asked_at": None, "tries": 0}
