"""`paperlake review`: shows the mentions that need a decision, and stores the decisions."""

from __future__ import annotations

import sys
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from flows.commands.shared import Json, Lake, Lists, read_place
from flows.console import DIM, paragraph
from sources.errors import IdentifierError, UsageError
from sources.text import counted, json_text, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from flows.review.decide import Outcome
    from flows.review.decisions import Decision
    from flows.review.queue import Reviewed, ReviewQueue
    from warehouse.lake.place import LakePlace

_Mention = Annotated[
    str,
    typer.Argument(metavar="MENTION", help="Its identifier, the first six or more characters of it, or list:line."),
]


_Mentions = Annotated[
    list[str],
    typer.Argument(metavar="MENTION...", help="Identifiers, the first six or more characters of them, or list:line."),
]


class _DefaultsToList(TyperGroup):
    """Runs its command `list` where the first argument is none of its commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Returns what is left of `args`, with `list` put before them where no command stands there.

        Args:
            ctx: Typer's own context, a type that it does not name in public.
            args: The arguments behind the group's name.
        """
        named = bool(args) and (args[0] in self.commands or args[0] in ctx.help_option_names)
        if not named and not ctx.resilient_parsing:
            args = ["list", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_DefaultsToList,
    subcommand_metavar="[LIST...] [--show MENTION] [--json] | COMMAND ...",
    rich_markup_mode="markdown",
    help="Shows the mentions that need a person, with their candidates, and records decisions.\n\n"
    "Decisions are kept in `paperlake-decisions.jsonl` beside the list (for a list that is no local file, in the "
    "lake's folder): one line each, made to be edited, compared and committed with the list. The next "
    "`paperlake refresh` applies them; they outrank links, titles and everything else.\n\n"
    "MENTION is the identifier that `review` shows, or the first six or more characters of it, or `list.md:12`.\n\n"
    "Examples:\n\n"
    "`paperlake review`  all that needs a person\n\n"
    "`paperlake review --interactive`  one after the other, one key each\n\n"
    "`paperlake review reading.md --json`  of one list, for a script\n\n"
    "`paperlake review --show reading.md:12`  why that mention has its verdict, also where it is resolved\n\n"
    "`paperlake review accept m3f9a1 --rank 2`  it is the second candidate\n\n"
    "`paperlake review reject m3f9a1 --rank 1`  it is not the first candidate\n\n"
    "`paperlake review reject m3f9a1`  it is no paper, or none that can be found\n\n"
    "`paperlake review set-id m3f9a1 https://arxiv.org/abs/1706.03762`  it is this paper\n\n"
    "`paperlake review undo m3f9a1`  take the decision back",
)

_KEYS = "1-9 accept  x none of these  n no paper  i identifier  s skip  u undo  q quit"
_KINDS = {"ambiguous": "ambiguous", "not_found": "not found", "resolved": "with link and title at odds"}


@app.command("list")
def review_list(
    lists: Lists = None,
    show: Annotated[
        str | None, typer.Option(metavar="MENTION", help="Explain the verdict on this mention in full.")
    ] = None,
    status: Annotated[
        Literal["ambiguous", "not_found", "resolved"] | None,
        typer.Option(help="Only these; resolved are those with a link and a title at odds."),
    ] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Only the first N mentions.")] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Ask about one mention after the other, one key each; q quits.")
    ] = False,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Shows the mentions that need a person: ambiguous, not found, or with a link and a title at odds.

    This is what `paperlake review` does without a command. Candidates are shown best first.

    Example: `paperlake review reading.md`
    """
    from flows.review.queue import as_object, read_queue

    if interactive:
        _review_one_by_one(lists or [], status=status, limit=limit, lake=lake)
        return
    review_queue = read_queue(read_place(lake))
    if show is not None:
        _print_one(review_queue.find(show), as_json=as_json)
        return
    chosen = review_queue.of_lists(lists or [])
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


@app.command("accept")
def review_accept(
    mentions: _Mentions,
    rank: Annotated[
        int | None,
        typer.Option(min=1, help="Which candidate, as `review` numbers them. [default: the first not rejected]"),
    ] = None,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Decides that each mention is one of its candidates, by default the first that was not rejected.

    Example: `paperlake review accept reading.md:12 --rank 2`
    """
    from flows.review.decide import accept_candidate, choose_candidate

    place, review_queue, found = _find(mentions, lake)
    chosen = [(item, choose_candidate(item, rank)) for item in found]
    _report([accept_candidate(place, review_queue, each, candidate) for each, candidate in chosen], as_json=as_json)


@app.command("reject")
def review_reject(
    mentions: _Mentions,
    rank: Annotated[
        int | None, typer.Option(min=1, help="The candidate that it is not; without it, there is no paper to find.")
    ] = None,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Decides that a mention is not this candidate, which is then never chosen; or that it is no paper at all.

    Example: `paperlake review reject m3f9a1 --rank 1`
    """
    from flows.review.decide import choose_candidate, reject_candidates

    place, review_queue, found = _find(mentions, lake)
    chosen = [(item, [] if rank is None else [choose_candidate(item, rank)]) for item in found]
    _report([reject_candidates(place, review_queue, each, rejected) for each, rejected in chosen], as_json=as_json)


@app.command("set-id")
def review_set_id(
    mention: _Mention,
    paper: Annotated[
        str, typer.Argument(metavar="ID", help="arxiv:1706.03762, doi:10.1109/5.726791, s2:..., or an address.")
    ],
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Decides which paper a mention is, by identifier or address.

    Where no source has that paper, the next refresh says so and the mention stays without one.

    Example: `paperlake review set-id m3f9a1 doi:10.1109/5.726791`
    """
    from flows.review.decide import decide
    from flows.review.decisions import parse_paper

    place, review_queue, (item,) = _find([mention], lake)
    identifier = parse_paper(paper)
    outcome = decide(review_queue, item, place, {"paper": identifier}, meaning=f"is {identifier}")
    _report([outcome], as_json=as_json)


@app.command("undo")
def review_undo(mentions: _Mentions, lake: Lake = None, as_json: Json = False) -> None:
    """Withdraws the decision about a mention; the next refresh resolves it again, as if there had been none.

    Example: `paperlake review undo m3f9a1`
    """
    from flows.review.decide import withdraw

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
    from flows.review.queue import read_queue

    place = read_place(lake)
    review_queue = read_queue(place)
    return place, review_queue, list(map(review_queue.find, mentions))


def _print_one(reviewed: Reviewed, *, as_json: bool) -> None:
    from flows.review.queue import as_object, full_lines

    if as_json:
        _print_json(as_object(reviewed))
        return
    _print_lines(full_lines(reviewed))


def _print_list(
    waiting: Sequence[Reviewed], limit: int | None, pending: Sequence[Reviewed], idle: Sequence[Decision]
) -> None:
    from flows.review.queue import pending_lines, short_lines

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
    from flows.review.decide import lasting_identifiers

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


def _review_one_by_one(lists: Sequence[str], *, status: str | None, limit: int | None, lake: str | None) -> None:
    """Asks about each mention that needs a person; a later call continues with those that are left.

    Raises:
        UsageError: There is no lake, a list that it does not know, or a broken decisions file.
    """
    from flows.review.queue import read_queue, short_lines

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
    from flows.review.decide import accept_candidate, choose_candidate, decide, reject_candidates
    from flows.review.decisions import parse_paper

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
