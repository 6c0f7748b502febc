"""`paperlake review`: shows the mentions that need a decision, and stores the decisions."""

from __future__ import annotations

import sys
from itertools import chain
from typing import TYPE_CHECKING, Any

import typer

from flows.commands.shared import read_place
from flows.console import DIM, paragraph
from flows.review.decide import (
    Outcome,
    accept_candidate,
    choose_candidate,
    decide,
    lasting_identifiers,
    reject_candidates,
    withdraw,
)
from flows.review.decisions import Decision, parse_paper
from flows.review.queue import as_object, full_lines, pending_lines, read_queue, short_lines
from sources.errors import IdentifierError, UsageError
from sources.text import counted, json_text, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from flows.review.queue import Reviewed, ReviewQueue
    from warehouse.lake.place import LakePlace

_KEYS = "1-9 accept  x none of these  n no paper  i identifier  s skip  u undo  q quit"
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


def accept(mentions: Sequence[str], *, rank: int | None, lake: str | None, as_json: bool) -> None:
    """Decides that each mention is its candidate number `rank`; without one, its first that was not rejected.

    Raises:
        UsageError: There is no such mention or candidate; nothing is written.
    """
    place, review_queue, found = _find(mentions, lake)
    chosen = [(item, choose_candidate(item, rank)) for item in found]
    _report([accept_candidate(place, review_queue, each, candidate) for each, candidate in chosen], as_json=as_json)


def reject(mentions: Sequence[str], *, rank: int | None, lake: str | None, as_json: bool) -> None:
    """Decides that no mention is its candidate number `rank`; without one, that there is no paper to find.

    Raises:
        UsageError: There is no such mention or candidate; nothing is written.
    """
    place, review_queue, found = _find(mentions, lake)
    chosen = [(item, [] if rank is None else [choose_candidate(item, rank)]) for item in found]
    _report([reject_candidates(place, review_queue, each, rejected) for each, rejected in chosen], as_json=as_json)


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
    _report([withdraw(place, review_queue, item) for item in found], as_json=as_json)


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
        _print_lines(["Decisions about mentions that are in no list:", *chain.from_iterable(about), ""])
    _print_lines(_closing(waiting))


def _closing(waiting: Sequence[Reviewed]) -> Iterable[str]:
    if not waiting:
        return ["Nothing needs a person."]
    kinds = [(sum(item.row["status"] == status for item in waiting), words) for status, words in _KINDS.items()]
    parts = ", ".join(f"{count} {words}" for count, words in kinds if count)
    first = waiting[0]
    accept = f"accept {first.handle} | " if any(map(lasting_identifiers, first.candidates)) else ""
    ways = f"{accept}reject {first.handle} | set-id {first.handle} ID | --show {first.handle}"
    hint = paragraph(f"paperlake review {ways}", indent="", style=DIM)
    each = paragraph("one after the other: paperlake review --interactive", indent="", style=DIM)
    return [f"{counted(len(waiting), 'mention')} to review: {parts}", *hint, *each]


def _print_lines(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _print_json(value: Any) -> None:
    sys.stdout.write(json_text(value) + "\n")


def review_one_by_one(lists: Sequence[str], *, status: str | None, limit: int | None, lake: str | None) -> None:
    """Asks about each mention that needs a person; a later call continues with those that are left.

    Raises:
        UsageError: There is no lake, a list that it does not know, or a broken decisions file.
    """
    place = read_place(lake)
    review_queue = read_queue(place)
    waiting = mentions_to_review(review_queue.of_lists(lists), status)[:limit]
    taken_back: list[tuple[int, Callable[[], None]]] = []
    number = 0
    while number < len(waiting):
        sys.stdout.write(f"[{number + 1} of {len(waiting)}] ")
        sys.stdout.writelines(
            f"{line}\n" for line in (*short_lines(waiting[number]), *paragraph(_KEYS, indent="", style=DIM))
        )
        sys.stdout.flush()
        key = _read_key()
        if key == "q":
            break
        if key == "u":
            number = _undo(taken_back, number)
        elif key in ("s", " ", "\n", "\r"):
            number += 1
        else:
            outcome = _settle(key, place, review_queue, waiting[number])
            if outcome is not None:
                sys.stdout.writelines(f"{shown(line)}\n" for line in outcome.lines)
            if outcome is not None and outcome.put_back is not None:
                taken_back.append((number, outcome.put_back))
                number += 1
        sys.stdout.write("\n")
    left = len(waiting) - len(taken_back)
    done = f"{counted(len(taken_back), 'mention')} decided" if taken_back else "nothing decided"
    applies = "; the next refresh applies it" if taken_back else ""
    sys.stdout.write(f"{done}, {counted(left, 'mention')} left{applies}\n")


def _undo(taken_back: list[tuple[int, Callable[[], None]]], number: int) -> int:
    """Undoes the last decision of this session and returns the number of its mention."""
    if not taken_back:
        sys.stdout.write("nothing to undo in this session; paperlake review undo MENTION withdraws older decisions\n")
        return number
    number, put_back = taken_back.pop()
    put_back()
    sys.stdout.write("undone\n")
    return number


def _settle(key: str, place: LakePlace, review_queue: ReviewQueue, reviewed: Reviewed) -> Outcome | None:
    """Carries out the decision of a key; returns None where nothing was decided."""
    try:
        if key == "n":
            return reject_candidates(place, review_queue, reviewed, [])
        if key == "x" and reviewed.candidates:
            return reject_candidates(place, review_queue, reviewed, reviewed.candidates)
        if key == "i":
            sys.stdout.write("identifier or address: ")
            sys.stdout.flush()
            paper = parse_paper(sys.stdin.readline().strip())
            return decide(review_queue, reviewed, place, {"paper": paper}, meaning=f"is {paper}")
        if key in "123456789":
            return accept_candidate(place, review_queue, reviewed, choose_candidate(reviewed, int(key)))
    except (UsageError, IdentifierError) as error:
        sys.stdout.write(f"{shown(str(error))}\n")
        return None
    sys.stdout.write(f"no such choice: {shown(key)}\n")
    return None


def _read_key() -> str:
    """Returns one key as it is pressed on a terminal, else one character of the input; `q` for its end and Ctrl-C."""
    if not sys.stdin.isatty():
        return sys.stdin.read(1) or "q"
    try:
        return typer.getchar()
    except (KeyboardInterrupt, EOFError):
        return "q"
