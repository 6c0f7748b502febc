"""`paperlake review`: shows the mentions that need a person, and keeps what the person decides in a file."""

from __future__ import annotations

import sys
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from flows.decision_files import change_decisions, drawer_of
from flows.decisions import Decision, address, positions
from flows.paper_reference import parse_paper
from flows.review_desk import read_desk, shown_location
from flows.review_words import as_object, full_lines, pending_lines, short_lines
from flows.settings import read_settings
from flows.tables import DIM, paragraph
from sources.errors import IdentifierError, UsageError
from sources.shown_text import json_text, shown
from sources.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from flows.review_desk import Desk, Reviewed
    from sources.identifiers import Identifier
    from warehouse.lake import LakePlace

Row = dict[str, Any]

_KINDS = {"ambiguous": "ambiguous", "not_found": "not found", "resolved": "with link and title at odds"}


def print_review(lists: Sequence[str], *, show: str | None, lake: str | None, as_json: bool) -> None:
    """Prints the mentions that need a person, or everything about the one that `show` names.

    Raises:
        UsageError: There is no lake, a list or mention that it does not know, or a broken decisions file.
    """
    desk = read_desk(read_settings(lake=lake).place)
    if show is not None:
        _print_one(desk.find(show), as_json=as_json)
        return
    chosen = desk.of_lists(lists)
    if as_json:
        _print_json([as_object(one) for one in chosen if one.needs_a_person])
        return
    _print_list(chosen, desk.idle)


def accept(mention: str, *, rank: int, lake: str | None) -> None:
    """Decides that the mention is its candidate number `rank`.

    Raises:
        UsageError: There is no such mention or candidate; nothing is written.
    """
    place, desk, one = _find(mention, lake)
    candidate = _candidate(one, rank)
    paper = _identifiers(candidate)[0]
    _decide(desk, one, place, {"paper": paper}, said=f"is {paper}: {candidate['title']}")


def reject(mention: str, *, rank: int | None, lake: str | None) -> None:
    """Decides that the mention is not its candidate number `rank`; without one, that there is no paper to find.

    Raises:
        UsageError: There is no such mention or candidate; nothing is written.
    """
    place, desk, one = _find(mention, lake)
    if rank is None:
        _decide(desk, one, place, {}, said="is no paper, or none that can be found; it is not asked for again")
        return
    candidate = _candidate(one, rank)
    before = one.decision.refused if one.decision else ()
    refused = tuple(dict.fromkeys((*before, *_identifiers(candidate))))
    _decide(desk, one, place, {"refused": refused}, said=f"is not {candidate['title']!r}")


def set_id(mention: str, paper: str, *, lake: str | None) -> None:
    """Decides that the mention is the paper with the identifier or at the address `paper`.

    Raises:
        UsageError: There is no such mention; nothing is written.
        IdentifierError: `paper` names no paper that a source can be asked for; nothing is written.
    """
    place, desk, one = _find(mention, lake)
    identifier = parse_paper(paper)
    _decide(desk, one, place, {"paper": identifier}, said=f"is {identifier}")


def undo(mention: str, *, lake: str | None) -> None:
    """Withdraws the decision about the mention.

    Raises:
        UsageError: There is no such mention, or no decision about it.
    """
    place, desk, one = _find(mention, lake)
    decision = one.decision
    if decision is None:
        raise UsageError(f"{mention}: there is no decision about it to undo")
    drawer = drawer_of(one.row["location"], place.folder)
    change_decisions(drawer.path, lambda all_: [each for each in all_ if each != decision], lock_folder=_locks(place))
    others = len(positions(decision, desk.spots[one.row["location"]])) - 1
    also = f" It was about {others} more of the same name." if others else ""
    _say(f"{_place_of(one)}: withdrawn: {decision.ruling}.{also}")
    _say(f"Removed from {drawer.path}; the next `paperlake refresh` settles it anew.")


def _find(mention: str, lake: str | None) -> tuple[LakePlace, Desk, Reviewed]:
    place = read_settings(lake=lake).place
    desk = read_desk(place)
    return place, desk, desk.find(mention)


def _candidate(one: Reviewed, rank: int) -> Row:
    found = next((row for row in one.candidates if row["rank"] == rank), None)
    if found is None:
        there = counted(len(one.candidates), "candidate") if one.candidates else "no candidates"
        hint = f"name the paper: paperlake review set-id {one.handle} ID"
        raise UsageError(f"{_place_of(one)} has {there}, and no number {rank}; {hint}")
    if not _identifiers(found):
        raise UsageError(f"candidate {rank} of {_place_of(one)} has no identifier that could be kept")
    return found


def _identifiers(row: Row) -> list[Identifier]:
    """Returns a candidate's identifiers that a decision can be written with, the most lasting first."""
    sound = []
    for scheme, value in (("arxiv", row["arxiv_id"]), ("doi", row["doi"]), ("s2", row["s2_paper_id"])):
        with suppress(IdentifierError):
            sound += [parse_paper(f"{scheme}:{value}")] if value else []
    return sound


def _decide(desk: Desk, one: Reviewed, place: LakePlace, verdict: dict[str, Any], *, said: str) -> None:
    """Writes the decision in place of the one there was, unless that is about other mentions too."""
    spots = desk.spots[one.row["location"]]
    drawer = drawer_of(one.row["location"], place.folder)
    old = one.decision
    shared = old if old and len(positions(old, spots)) > 1 else None
    new = Decision(
        list=drawer.list_name,
        on=datetime.now(UTC).date().isoformat(),
        **address(one.index, spots, outranks=shared),
        **verdict,
    )

    if old is not None and not shared and old.ruling == new.ruling:
        _say(f"{_place_of(one)}: decided already, at {old.where}: {old.ruling}.")
        return

    def edit(decisions: Sequence[Decision]) -> list[Decision]:
        kept = [each for each in decisions if each.target != new.target and (shared or each != old)]
        return [*kept, new]

    change_decisions(drawer.path, edit, lock_folder=_locks(place))
    _say(f"{_place_of(one)} {said}.")
    _say(f"Kept in {drawer.path}; the next `paperlake refresh` applies it.")


def _locks(place: LakePlace) -> Path:
    return place.folder / "locks"


def _place_of(one: Reviewed) -> str:
    return f"{shown_location(one.row['location'])}:{one.row['line']}"


def _print_one(one: Reviewed, *, as_json: bool) -> None:
    if as_json:
        _print_json(as_object(one))
        return
    _print_lines(full_lines(one))


def _print_list(chosen: Sequence[Reviewed], idle: Sequence[Decision]) -> None:
    waiting = [one for one in chosen if one.needs_a_person]
    for one in waiting:
        _print_lines(short_lines(one))
        sys.stdout.write("\n")
    pending = [one for one in chosen if one.is_pending]
    if pending:
        _print_lines(["Decided; the next refresh applies it:", *chain.from_iterable(map(pending_lines, pending)), ""])
    if idle:
        about = (paragraph(f"{one.where}  {one.list}: {one.mention}", indent="    ", first="  ") for one in idle)
        _print_lines(["Decisions about mentions that stand in no list:", *chain.from_iterable(about), ""])
    _print_lines(_closing(waiting))


def _closing(waiting: Sequence[Reviewed]) -> Iterable[str]:
    if not waiting:
        return ["Nothing needs a person."]
    kinds = [(sum(one.row["status"] == status for one in waiting), words) for status, words in _KINDS.items()]
    parts = ", ".join(f"{count} {words}" for count, words in kinds if count)
    first = waiting[0]
    accept = f"accept {first.handle} | " if first.candidates else ""
    ways = f"{accept}reject {first.handle} | set-id {first.handle} ID | --show {first.handle}"
    hint = paragraph(f"paperlake review {ways}", indent="", style=DIM)
    return [f"{counted(len(waiting), 'mention')} to review: {parts}", *hint]


def _print_lines(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _print_json(value: Any) -> None:
    sys.stdout.write(json_text(value) + "\n")


def _say(sentence: str) -> None:
    sys.stdout.write(shown(sentence) + "\n")
