"""Verdicts as rows of `candidates` and `findings`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sources.bibliography.identifiers import Identifier, named_identifiers, normal_identifier

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sources.matching.candidates import Candidate
    from sources.matching.resolution import Resolution
    from sources.records import Finding
    from warehouse.tables.rows import CandidateRow, FindingRow

DECIDED = "a person decided that it is this paper"
REFUSED = "a person decided that it is not this paper"


def finding_rows(mention_id: str, findings: Sequence[Finding]) -> list[FindingRow]:
    """Returns the findings of a mention, each once."""
    return [
        {"mention_id": mention_id, "ordinal": number, "code": item.code, "message": item.message, "value": item.value}
        for number, item in enumerate(dict.fromkeys(findings))
    ]


def candidate_rows(mention_id: str, resolution: Resolution) -> list[CandidateRow]:
    """Returns rows for the candidates, best first."""
    scored = resolution.verdict.ranked if resolution.verdict else ()
    return _ranked(
        _row(mention_id, item.candidate, score=float(item.score), reasons=list(item.reasons)) for item in scored
    )


def with_refused(
    rows: Sequence[CandidateRow],
    candidates: Sequence[CandidateRow],
    refused: Collection[Identifier],
    *,
    is_whole: bool = True,
) -> list[CandidateRow]:
    """Returns `rows` and, after them, earlier candidates that a person rejected, so that this can be seen and undone.

    Args:
        rows: The candidates of this run.
        candidates: The rows in the lake.
        refused: Identifiers of the papers that it is not.
        is_whole: Whether all sources answered; where one did not, the other rows in the lake stay as well.
    """
    shut = frozenset(map(normal_identifier, refused))
    older = [row for row in candidates if not _is_among(row, rows)]
    stay = [] if is_whole else [_said(row) for row in older if shut.isdisjoint(identifiers_of_row(row))]
    barred = [_said(row, REFUSED) for row in older if not shut.isdisjoint(identifiers_of_row(row))]
    return _ranked([*rows, *stay, *barred])


def with_chosen(mention_id: str, chosen: Candidate | None, candidates: Sequence[CandidateRow]) -> list[CandidateRow]:
    """Returns the paper that a person named, if it was found, and after it the earlier candidates."""
    first = [_row(mention_id, chosen, score=1.0, reasons=[DECIDED])] if chosen else []
    return _ranked([*first, *(_said(row) for row in candidates if not _is_among(row, first))])


def identifiers_of_row(row: CandidateRow) -> frozenset[Identifier]:
    """Returns the identifiers of a row of `candidates`, in the form in which decisions write them."""
    return frozenset(map(normal_identifier, named_identifiers(row["arxiv_id"], row["doi"], row["s2_paper_id"])))


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
