"""Searching for many titles at once: what both adapters do before and after they ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from sources.agreement import compare, described
from sources.batches import ask_halving, batches
from sources.bibliography.titles import title_key
from sources.errors import HalfMayDo, PermanentSourceError, SourceError
from sources.phrases import phrase, plain_words
from sources.records import ArxivPaper, S2Paper, SourceName, TitleAnswer
from sources.tally import TitleTally
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
            if not beside or not isinstance(error, HalfMayDo):
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
        HalfMayDo: The page is such a one.
    """
    if len(titles) < 2 or len({title_key(paper.title) for paper in papers}) != 1:
        return
    first, *others = papers
    if any(_are_two(first, other) for other in others):
        text = f"{counted(len(papers), 'paper')} under one title, {first.title!r:.90}"
        raise HalfMayDo(f"{text}, in an answer to {counted(len(titles), 'title')}", source=source)


def _are_two(one: ArxivPaper | S2Paper, other: ArxivPaper | S2Paper) -> bool:
    """Returns whether two records of one title are of two papers: of other people, or with arXiv identifiers apart."""
    if one.arxiv_id and other.arxiv_id:
        return one.arxiv_id != other.arxiv_id
    return compare(described(one), described(other)) == "disagree"


def holds_any(text: str, titles: Sequence[str]) -> bool:
    """Returns whether `text` holds the words of one of `titles`, in their order."""
    return any(plain_words(title) in plain_words(text) for title in titles)


def _words(title: str) -> int:
    return len(plain_words(title).split())
