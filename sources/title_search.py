"""Title searches in batches, with control titles that show whether an empty answer is one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from sources.agreement import compare, described
from sources.bibliography.search_phrases import phrase, plain_words
from sources.bibliography.titles import title_key
from sources.errors import BatchRefused, PermanentSourceError, SourceError
from sources.http.batches import TitleTally, ask_halving, batches
from sources.records import ArxivPaper, S2Paper, SourceName, TitleAnswer
from sources.text import counted

T = TypeVar("T")


def search_in_batches(
    titles: Sequence[str],
    note: Callable[[TitleTally[T], Sequence[str]], None],
    *,
    source: SourceName,
    most: int,
    room: int,
    size: Callable[[str], int],
    along: Sequence[str] = (),
) -> TitleAnswer[T]:
    """Returns what a search for `titles` brought.

    The longest go first: the shortest have the most hits, and are better asked together than among the rest.

    Args:
        titles: Titles as written.
        note: Asks for one batch, and notes what came.
        source: Who is asked.
        most: Titles in a batch.
        room: What a batch may take of the address, measured by `size`.
        size: What one title takes.
        along: Titles for which the first batch has room. An answer that cannot be used with them is asked for without
            them, so they cost one request at the most, and only where something is wrong.
    """
    tally: TitleTally[T] = TitleTally((*titles, *along))
    tally.fail([title for title in tally.requested if not phrase(title)], wordless(source))
    sayable = sorted(filter(phrase, dict.fromkeys(titles)), key=_words, reverse=True)
    todo = batches(sayable, most=most, room=room, size=size)
    waiting = [title for title in along if phrase(title) and title not in sayable]

    def ask(batch: Sequence[str]) -> None:
        beside, waiting[:] = [*waiting], []
        try:
            note(tally, [*batch, *beside])
        except SourceError as error:
            tally.fail(beside, error)
            if not beside or not isinstance(error, BatchRefused):
                raise
            note(tally, batch)

    ask_halving(todo, ask, give_up=tally.fail)
    tally.fail(waiting, PermanentSourceError("no request was sent that had room for the title", source=source))
    return tally.answer()


def wordless(source: SourceName) -> PermanentSourceError:
    """Returns the error of a title that holds nothing to search for."""
    return PermanentSourceError("the title has no word to search for", source=source)


def refuse_one_title(papers: Sequence[ArxivPaper | S2Paper], titles: Sequence[str], *, source: SourceName) -> None:
    """Refuses a page on which different papers all bear one title, though several titles were asked for.

    Namesakes do so at times, and a service that mixes its records up. What is asked for one by one tells.

    Raises:
        BatchRefused: The page is such a one.
    """
    if len(titles) < 2 or len({title_key(paper.title) for paper in papers}) != 1:
        return
    first, *others = papers
    if any(_are_two(first, other) for other in others):
        text = f"{counted(len(papers), 'paper')} under one title, {first.title!r:.90}"
        raise BatchRefused(f"{text}, in an answer to {counted(len(titles), 'title')}", source=source)


def _are_two(paper: ArxivPaper | S2Paper, other: ArxivPaper | S2Paper) -> bool:
    """Returns whether two records of one title are of two papers: of other people, or with arXiv identifiers apart."""
    if paper.arxiv_id and other.arxiv_id:
        return paper.arxiv_id != other.arxiv_id
    return compare(described(paper), described(other)) == "disagree"


def holds_any(text: str, titles: Sequence[str]) -> bool:
    """Returns whether `text` holds the words of one of `titles`, in their order."""
    return any(plain_words(title) in plain_words(text) for title in titles)


def _words(title: str) -> int:
    return len(plain_words(title).split())


_FAMOUS = ("1706.03762", "1810.04805", "1512.03385", "1412.6980")
_TITLES = (
    "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
    "Deep Residual Learning for Image Recognition",
)
"""Titles that few other papers have in theirs or in their abstracts."""


class ControlQueries:
    """Famous papers, and whatever was found last.

    Args:
        prefix: What the service wants before an arXiv identifier.
    """

    def __init__(self, *, prefix: str = "") -> None:
        self._famous = [prefix + base for base in _FAMOUS]
        self._found: list[str] = []

    def saw(self, found: Collection[str]) -> None:
        """Notes identifiers that the service has just answered: they are the best of control_queries."""
        self._found = [*list(found)[:2], *self._found][:2]

    def ids(self, *, besides: Collection[str]) -> tuple[str, str] | None:
        """Returns two identifiers that the service surely has; None where they are themselves among `besides`."""
        fit = [famou for famou in dict.fromkeys([*self._found, *self._famous]) if famou not in besides]
        return (fit[0], fit[1]) if len(fit) > 1 else None

    @property
    def titles(self) -> tuple[str, ...]:
        """Returns titles that the service surely has."""
        return _TITLES
