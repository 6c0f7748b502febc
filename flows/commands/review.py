"""`paperlake review`: shows the mentions that need a person, and keeps what the person decides in a file."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from flows.commands.shared import read_place
from flows.console import DIM, paragraph
from flows.review.decision_files import change_decisions, decision_file_of
from flows.review.decisions import Decision, address, positions
from flows.review.paper_reference import parse_paper
from flows.review.queue import read_queue, shown_location
from flows.review.view import as_object, full_lines, pending_lines, short_lines
from sources.errors import IdentifierError, UsageError
from sources.text import counted, json_text, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from flows.review.queue import Reviewed, ReviewQueue
    from sources.bibliography.identifiers import Identifier
    from warehouse.lake.place import LakePlace
    from warehouse.tables.rows import CandidateRow

_KINDS = {"ambiguous": "ambiguous", "not_found": "not found", "resolved": "with link and title at odds"}


def print_review(
    lists: Sequence[str], *, show: str | None, status: str | None, limit: int | None, lake: str | None, as_json: bool
) -> None:
    """Prints the mentions that need a person, ambiguous ones first, or everything about the one that `show` names.

    Raises:
        UsageError: There is no lake, a list or mention that it does not know, or a broken decisions file.
    """
    review_queue = read_queue(read_place(lake))
    if show is not None:
        _print_one(review_queue.find(show), as_json=as_json)
        return
    chosen = review_queue.of_lists(lists)
    waiting = mentions_to_review(chosen, status)
    if as_json:
        _print_json([as_object(item) for item in waiting[:limit]])
        return
    _print_list(waiting, limit, [item for item in chosen if item.is_pending], review_queue.idle)


def mentions_to_review(mentions: Iterable[Reviewed], status: str | None = None) -> list[Reviewed]:
    """Returns those of `mentions` that need a person, ambiguous ones first; of one `status` where it is given."""
    waiting = [mention for mention in mentions if mention.needs_a_person and status in (None, mention.row["status"])]
    order = list(_KINDS)
    return sorted(waiting, key=lambda item: order.index(item.row["status"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one decision.

    Attributes:
        reviewed: The mention.
        ruling: What is decided about it now; None where a decision was withdrawn.
        file: The file of decisions.
        lines: What to tell the user.
        put_back: Makes the file what it was before; None where it was not changed.
    """

    reviewed: Reviewed
    ruling: str | None
    file: Path
    lines: tuple[str, ...]
    put_back: Callable[[], None] | None = None


def accept(mentions: Sequence[str], *, rank: int | None, lake: str | None, as_json: bool) -> None:
    """Decides that each mention is its candidate number `rank`; without one, its first that was not rejected.

    Raises:
        UsageError: There is no such mention or candidate; nothing is written.
    """
    place, review_queue, found = _find(mentions, lake)
    chosen = [(item, choose_candidate(item, rank)) for item in found]
    _report([accept_candidate(place, review_queue, each, candidate) for each, candidate in chosen], as_json=as_json)


def accept_candidate(
    place: LakePlace, review_queue: ReviewQueue, reviewed: Reviewed, candidate: CandidateRow
) -> Outcome:
    """Decides that the mention is this candidate."""
    paper = _identifiers(candidate)[0]
    return decide(review_queue, reviewed, place, {"paper": paper}, meaning=f"is {paper}: {candidate['title']}")


def reject(mentions: Sequence[str], *, rank: int | None, lake: str | None, as_json: bool) -> None:
    """Decides that no mention is its candidate number `rank`; without one, that there is no paper to find.

    Raises:
        UsageError: There is no such mention or candidate; nothing is written.
    """
    place, review_queue, found = _find(mentions, lake)
    chosen = [(item, [] if rank is None else [choose_candidate(item, rank)]) for item in found]
    _report([reject_candidates(place, review_queue, each, rejected) for each, rejected in chosen], as_json=as_json)


def reject_candidates(
    place: LakePlace, review_queue: ReviewQueue, reviewed: Reviewed, candidates: Sequence[CandidateRow]
) -> Outcome:
    """Decides that the mention is none of these candidates; where there are none, that it is no paper.

    Raises:
        UsageError: The candidates have no identifiers by which they could be rejected, or are rejected already.
    """
    if not candidates:
        meaning = "is no paper, or none that can be found; no service will be asked for it"
        return decide(review_queue, reviewed, place, {}, meaning=meaning)
    before = reviewed.decision.refused if reviewed.decision else ()
    refused = tuple(dict.fromkeys((*before, *chain.from_iterable(map(_identifiers, candidates)))))
    if len(refused) == len(before):
        raise UsageError(f"no candidate of {_place_of(reviewed)} that is left has an identifier to reject it by")
    titles = ", ".join(repr(candidate["title"]) for candidate in candidates)
    return decide(review_queue, reviewed, place, {"refused": refused}, meaning=f"is not {titles}")


def set_id(mention: str, paper: str, *, lake: str | None, as_json: bool) -> None:
    """Decides that the mention is the paper with the identifier or at the address `paper`.

    Raises:
        UsageError: There is no such mention; nothing is written.
        IdentifierError: `paper` names no paper that a source can be asked for; nothing is written.
    """
    place, review_queue, (item,) = _find([mention], lake)
    identifier = parse_paper(paper)
    outcome = decide(review_queue, item, place, {"paper": identifier}, meaning=f"is {identifier}")
    _report([outcome], as_json=as_json)


def undo(mentions: Sequence[str], *, lake: str | None, as_json: bool) -> None:
    """Withdraws the decisions about the mentions.

    Raises:
        UsageError: There is no such mention, or no decision about one; nothing is written.
    """
    place, review_queue, found = _find(mentions, lake)
    for mention, item in zip(mentions, found, strict=True):
        if item.decision is None:
            raise UsageError(f"{mention}: there is no decision about it to undo")
    _report([_withdraw(place, review_queue, item) for item in found], as_json=as_json)


def _withdraw(place: LakePlace, review_queue: ReviewQueue, reviewed: Reviewed) -> Outcome:
    decision = reviewed.decision
    assert decision is not None, "there is one to withdraw"  # noqa: S101
    file = decision_file_of(reviewed.row["location"], place.folder).path
    change_decisions(file, lambda every: [each for each in every if each != decision], lock_folder=_locks(place))
    others = len(positions(decision, review_queue.mention_keys[reviewed.row["location"]])) - 1
    also = f" It was about {others} more of the same name." if others else ""
    lines = (
        f"{_place_of(reviewed)}: withdrawn: {decision.ruling}.{also}",
        f"Removed from {file}; the next `paperlake refresh` decides it anew.",
    )
    return Outcome(reviewed=reviewed, ruling=None, file=file, lines=lines)


def _report(outcomes: Sequence[Outcome], *, as_json: bool) -> None:
    if not as_json:
        _print_lines(shown(line) for outcome in outcomes for line in outcome.lines)
        return
    _print_json(
        [
            {
                "mention_id": outcome.reviewed.row["mention_id"],
                "location": outcome.reviewed.row["location"],
                "line": outcome.reviewed.row["line"],
                "decision": outcome.ruling,
                "file": str(outcome.file),
            }
            for outcome in outcomes
        ]
    )


def _find(mentions: Sequence[str], lake: str | None) -> tuple[LakePlace, ReviewQueue, list[Reviewed]]:
    place = read_place(lake)
    review_queue = read_queue(place)
    return place, review_queue, list(map(review_queue.find, mentions))


def choose_candidate(reviewed: Reviewed, rank: int | None) -> CandidateRow:
    """Returns the candidate with a number, or the first that was not rejected and can be written down.

    Raises:
        UsageError: There is none.
    """
    if rank is None:
        open_ones = [row for row in reviewed.choices if not reviewed.is_rejected(row) and _identifiers(row)]
        found = open_ones[0] if open_ones else None
    else:
        found = next((row for row in reviewed.candidates if row["rank"] == rank), None)
    if found is None:
        there = counted(len(reviewed.candidates), "candidate") if reviewed.candidates else "no candidates"
        lack = "none that can be accepted" if rank is None else f"no number {rank}"
        hint = f"name the paper: paperlake review set-id {reviewed.handle} ID"
        raise UsageError(f"{_place_of(reviewed)} has {there}, and {lack}; {hint}")
    if not _identifiers(found):
        raise UsageError(f"candidate {rank} of {_place_of(reviewed)} has no identifier that could be kept")
    return found


def _identifiers(row: CandidateRow) -> list[Identifier]:
    """Returns a candidate's identifiers that a decision can be written with, the most lasting first."""
    sound = []
    for scheme, value in (("arxiv", row["arxiv_id"]), ("doi", row["doi"]), ("s2", row["s2_paper_id"])):
        with suppress(IdentifierError):
            sound += [parse_paper(f"{scheme}:{value}")] if value else []
    return sound


def decide(
    review_queue: ReviewQueue, reviewed: Reviewed, place: LakePlace, verdict: dict[str, Any], *, meaning: str
) -> Outcome:
    """Writes the decision in place of the one there was, unless that is about other mentions too.

    Args:
        review_queue: What the lake and the files of decisions say.
        reviewed: The mention.
        place: The lake.
        verdict: The fields of the decision that say what was decided.
        meaning: The same in words for the user.
    """
    mention_keys = review_queue.mention_keys[reviewed.row["location"]]
    decision_file = decision_file_of(reviewed.row["location"], place.folder)
    old = reviewed.decision
    shared = old if old and len(positions(old, mention_keys)) > 1 else None
    new = Decision(
        list=decision_file.list_name,
        on=datetime.now(UTC).date().isoformat(),
        **address(reviewed.index, mention_keys, outranks=shared),
        **verdict,
    )

    if old is not None and not shared and old.ruling == new.ruling:
        line = f"{_place_of(reviewed)}: decided already, at {old.where}: {old.ruling}."
        return Outcome(reviewed=reviewed, ruling=old.ruling, file=decision_file.path, lines=(line,))

    def edit(decisions: Sequence[Decision]) -> list[Decision]:
        remaining = [each for each in decisions if each.target != new.target and (shared or each != old)]
        return [*remaining, new]

    def put_back() -> None:
        before = [] if old is None or shared else [old]
        change_decisions(
            decision_file.path,
            lambda decisions: [*(each for each in decisions if each != new), *before],
            lock_folder=_locks(place),
        )

    change_decisions(decision_file.path, edit, lock_folder=_locks(place))
    lines = (
        f"{_place_of(reviewed)} {meaning}.",
        f"Kept in {decision_file.path}; the next `paperlake refresh` applies it.",
    )
    return Outcome(reviewed=reviewed, ruling=new.ruling, file=decision_file.path, lines=lines, put_back=put_back)


def _locks(place: LakePlace) -> Path:
    return place.folder / "locks"


def _place_of(reviewed: Reviewed) -> str:
    return f"{shown_location(reviewed.row['location'])}:{reviewed.row['line']}"


def _print_one(reviewed: Reviewed, *, as_json: bool) -> None:
    if as_json:
        _print_json(as_object(reviewed))
        return
    _print_lines(full_lines(reviewed))


def _print_list(
    waiting: Sequence[Reviewed], limit: int | None, pending: Sequence[Reviewed], idle: Sequence[Decision]
) -> None:
    for each in waiting[:limit]:
        _print_lines(short_lines(each))
        sys.stdout.write("\n")
    if pending:
        _print_lines(["Decided; the next refresh applies it:", *chain.from_iterable(map(pending_lines, pending)), ""])
    if idle:
        about = (paragraph(f"{item.where}  {item.list}: {item.mention}", indent="    ", first="  ") for item in idle)
        _print_lines(["Decisions about mentions that stand in no list:", *chain.from_iterable(about), ""])
    _print_lines(_closing(waiting))


def _closing(waiting: Sequence[Reviewed]) -> Iterable[str]:
    if not waiting:
        return ["Nothing needs a person."]
    kinds = [(sum(item.row["status"] == status for item in waiting), words) for status, words in _KINDS.items()]
    parts = ", ".join(f"{count} {words}" for count, words in kinds if count)
    first = waiting[0]
    accept = f"accept {first.handle} | " if any(map(_identifiers, first.candidates)) else ""
    ways = f"{accept}reject {first.handle} | set-id {first.handle} ID | --show {first.handle}"
    hint = paragraph(f"paperlake review {ways}", indent="", style=DIM)
    each = paragraph("one after the other: paperlake review --interactive", indent="", style=DIM)
    return [f"{counted(len(waiting), 'mention')} to review: {parts}", *hint, *each]


def _print_lines(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _print_json(value: Any) -> None:
    sys.stdout.write(json_text(value) + "\n")
