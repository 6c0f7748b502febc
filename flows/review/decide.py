"""Writes a person's decision about a mention into its file of decisions, and describes the result."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.review.decisions import (
    Decision,
    address,
    change_decisions,
    decision_file_of,
    is_contradicted,
    parse_paper,
    positions,
)
from sources.errors import IdentifierError, UsageError
from sources.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flows.review.queue import Reviewed, ReviewQueue
    from sources.bibliography.identifiers import Identifier
    from warehouse.tables.declarations import CandidateRow


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
