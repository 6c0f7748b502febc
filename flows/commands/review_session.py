"""`paperlake review --interactive`: a mention after the other, one key each; what is decided is kept at once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from flows.commands.review import accept_candidate, choose_candidate, decide, mentions_to_review, reject_candidates
from flows.commands.shared import read_place
from flows.console import DIM, paragraph
from flows.review.paper_reference import parse_paper
from flows.review.queue import read_queue
from flows.review.view import short_lines
from sources.errors import IdentifierError, UsageError
from sources.text import counted, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flows.commands.review import Outcome
    from flows.review.queue import Reviewed, ReviewQueue
    from warehouse.lake.place import LakePlace

_KEYS = "1-9 accept   x none of these   n no paper   i identifier   s skip   u undo   q quit"


def review_one_by_one(lists: Sequence[str], *, status: str | None, limit: int | None, lake: str | None) -> None:
    """Asks about each mention that needs a person; a later call goes on with those that are left.

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
    sys.stdout.write(f"{counted(len(taken_back), 'mention')} decided, {left} left; the next refresh applies it\n")


def _undo(taken_back: list[tuple[int, Callable[[], None]]], number: int) -> int:
    """Takes the last decision of this session back and returns the number of its mention."""
    if not taken_back:
        sys.stdout.write("nothing to undo in this session; paperlake review undo MENTION takes older decisions back\n")
        return number
    number, put_back = taken_back.pop()
    put_back()
    sys.stdout.write("taken back\n")
    return number


def _settle(key: str, place: LakePlace, review_queue: ReviewQueue, reviewed: Reviewed) -> Outcome | None:
    """Does what a key says; returns None where nothing was decided."""
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
