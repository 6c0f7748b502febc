"""`paperlake review`: shows the mentions that need a decision, and stores the decisions."""

from __future__ import annotations

import sys
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flows.commands.shared import DefaultsToList, Json, KnownLists, Lake, read_place, report, say
from flows.console import DIM, paragraph
from sources.errors import IdentifierError, UsageError
from sources.text import counted, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from flows.review.decisions import Decision
    from flows.review.queue import Outcome, Reviewed, ReviewQueue

_Mentions = Annotated[
    list[str],
    typer.Argument(metavar="MENTION...", help="Identifiers, the first six or more characters of them, or list:line."),
]


app = typer.Typer(
    cls=DefaultsToList,
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

_KEYS_OF_CANDIDATES = "1-9 it is this one  x none of these  "
_KEYS = "n no paper  i identifier  o open  s skip  u undo  q quit"
_KINDS = {"ambiguous": "ambiguous", "not_found": "not found", "resolved": "with link and title at odds"}


@app.command("list")
def review_list(
    lists: KnownLists = None,
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
    from flows.review.queue import as_object, full_lines, read_queue

    if interactive:
        _review_one_by_one(lists or [], status=status, limit=limit, lake=lake)
        return
    queue = read_queue(read_place(lake))
    if show is not None:
        mention = queue.find(show)
        report(as_object(mention), full_lines(mention), as_json=as_json)
        return
    chosen = queue.of_lists(lists or [])
    waiting = _waiting(chosen, status)
    pending = [item for item in chosen if item.is_pending]
    values = [as_object(item) for item in waiting[:limit]] if as_json else []
    report(values, _lines(waiting, limit, pending, queue.idle), as_json=as_json)


def _waiting(mentions: Iterable[Reviewed], status: str | None) -> list[Reviewed]:
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
    from flows.review.queue import accept_candidate, choose_candidate

    queue, found = _find(mentions, lake)
    chosen = [(item, choose_candidate(item, rank)) for item in found]
    _report([accept_candidate(queue, each, candidate) for each, candidate in chosen], as_json=as_json)


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
    from flows.review.queue import choose_candidate, reject_candidates

    queue, found = _find(mentions, lake)
    chosen = [(item, [] if rank is None else [choose_candidate(item, rank)]) for item in found]
    _report([reject_candidates(queue, each, rejected) for each, rejected in chosen], as_json=as_json)


@app.command("set-id")
def review_set_id(
    mention: Annotated[
        str,
        typer.Argument(metavar="MENTION", help="Its identifier, the first six or more characters of it, or list:line."),
    ],
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
    from flows.review.decisions import parse_paper
    from flows.review.queue import decide

    queue, (item,) = _find([mention], lake)
    identifier = parse_paper(paper)
    _report([decide(queue, item, {"paper": identifier}, meaning=f"is {identifier}")], as_json=as_json)


@app.command("undo")
def review_undo(mentions: _Mentions, lake: Lake = None, as_json: Json = False) -> None:
    """Withdraws the decision about a mention; the next refresh resolves it again, as if there had been none.

    Example: `paperlake review undo m3f9a1`
    """
    from flows.review.queue import withdraw

    queue, found = _find(mentions, lake)
    decided = []
    for mention, item in zip(mentions, found, strict=True):
        if item.decision is None:
            raise UsageError(f"{mention}: there is no decision about it to undo")
        decided.append((item, item.decision))
    _report([withdraw(queue, item, decision) for item, decision in decided], as_json=as_json)


def _report(outcomes: Sequence[Outcome], *, as_json: bool) -> None:
    values = [
        {
            "mention_id": outcome.reviewed.row["mention_id"],
            "location": outcome.reviewed.row["location"],
            "line": outcome.reviewed.row["line"],
            "decision": outcome.ruling,
            "file": str(outcome.file),
        }
        for outcome in outcomes
    ]
    report(values, (shown(line) for outcome in outcomes for line in outcome.lines), as_json=as_json)


def _find(mentions: Sequence[str], lake: str | None) -> tuple[ReviewQueue, list[Reviewed]]:
    from flows.review.queue import read_queue

    queue = read_queue(read_place(lake))
    return queue, list(map(queue.find, mentions))


def _lines(
    waiting: Sequence[Reviewed], limit: int | None, pending: Sequence[Reviewed], idle: Sequence[Decision]
) -> Iterator[str]:
    from flows.review.queue import lasting_identifiers, pending_lines, short_lines

    for each in waiting[:limit]:
        yield from (*short_lines(each), "")
    if pending:
        yield from ("Decided; the next refresh applies it:", *chain.from_iterable(map(pending_lines, pending)), "")
    if idle:
        about = (paragraph(f"{item.where}  {item.list}: {item.mention}", indent="    ", first="  ") for item in idle)
        yield from ("Decisions about mentions that are in no list:", *chain.from_iterable(about), "")
    if not waiting:
        yield "Nothing needs a person."
        return
    kinds = [(sum(item.row["status"] == status for item in waiting), words) for status, words in _KINDS.items()]
    parts = ", ".join(f"{count} {words}" for count, words in kinds if count)
    first = waiting[0]
    accept = f"accept {first.handle} | " if any(map(lasting_identifiers, first.candidates)) else ""
    ways = f"{accept}reject {first.handle} | set-id {first.handle} ID | --show {first.handle}"
    yield f"{counted(len(waiting), 'mention')} to review: {parts}"
    yield from paragraph(f"paperlake review {ways}", indent="", style=DIM)
    yield from paragraph("one after the other: paperlake review --interactive", indent="", style=DIM)


def _review_one_by_one(lists: Sequence[str], *, status: str | None, limit: int | None, lake: str | None) -> None:
    """Asks about each mention that needs a person; a later call continues with those that are left."""
    from flows.review.queue import read_queue, short_lines

    queue = read_queue(read_place(lake))
    waiting = _waiting(queue.of_lists(lists), status)[:limit]
    decided: list[tuple[int, Callable[[], None]]] = []
    number = 0
    while number < len(waiting):
        sys.stdout.write(f"[{number + 1} of {len(waiting)}] ")
        keys = f"{_KEYS_OF_CANDIDATES}{_KEYS}" if waiting[number].choices else _KEYS
        say([*short_lines(waiting[number]), *paragraph(keys, indent="", style=DIM)])
        sys.stdout.flush()
        key = _read_key()
        if key == "q":
            break
        if key == "u" and decided:
            number, put_back = decided.pop()
            put_back()
            say(["undone"])
        elif key == "u":
            say(["nothing to undo in this session; paperlake review undo MENTION withdraws older decisions"])
        elif key == "o":
            _open_candidates(waiting[number])
        elif key in ("s", " ", "\n", "\r"):
            number += 1
        elif (outcome := _settle(key, queue, waiting[number])) is not None:
            say(map(shown, outcome.lines))
            if outcome.put_back is not None:
                decided.append((number, outcome.put_back))
                number += 1
        say([""])
    done = f"{counted(len(decided), 'mention')} decided" if decided else "nothing decided"
    applies = "; the next refresh applies it" if decided else ""
    say([f"{done}, {counted(len(waiting) - len(decided), 'mention')} left{applies}"])


def _open_candidates(reviewed: Reviewed) -> None:
    """Opens the pages of the candidates that are shown in the browser, and that of the list's own link."""
    from flows.review.queue import SHOWN_CANDIDATES
    from warehouse.papers.citation_keys import link

    own = [reviewed.row["url"]] if (reviewed.row["url"] or "").startswith(("http://", "https://")) else []
    for address in dict.fromkeys([*own, *map(link, reviewed.choices[:SHOWN_CANDIDATES])]):
        if address:
            say([shown(f"opening {address}")])
            typer.launch(address)


def _settle(key: str, queue: ReviewQueue, reviewed: Reviewed) -> Outcome | None:
    """Carries out the decision of a key; returns None where nothing was decided."""
    from flows.review.decisions import parse_paper
    from flows.review.queue import accept_candidate, choose_candidate, decide, reject_candidates

    try:
        if key == "n":
            return reject_candidates(queue, reviewed, [])
        if key == "x" and reviewed.candidates:
            return reject_candidates(queue, reviewed, reviewed.candidates)
        if key == "i":
            sys.stdout.write("identifier or address: ")
            sys.stdout.flush()
            paper = parse_paper(sys.stdin.readline().strip())
            return decide(queue, reviewed, {"paper": paper}, meaning=f"is {paper}")
        if key in "123456789":
            return accept_candidate(queue, reviewed, choose_candidate(reviewed, int(key)))
    except (UsageError, IdentifierError) as error:
        say([shown(str(error))])
        return None
    say([f"no such choice: {shown(key)}"])
    return None


def _read_key() -> str:
    """Returns one key as it is pressed on a terminal, else one character of the input; `q` for its end and Ctrl-C."""
    if not sys.stdin.isatty():
        return sys.stdin.read(1) or "q"
    try:
        return typer.getchar()
    except (KeyboardInterrupt, EOFError):
        return "q"
