"""Reading lists, Markdown, tables and bibliographies: text in, mentions of papers out. Pure: no network, no clock."""

from __future__ import annotations

from dataclasses import dataclass

from sources.lists.reading.document import read_document
from sources.lists.reading.mentions import mentions_of
from sources.lists.reading.tabular import read_table
from sources.processes import without_garbage_collection
from sources.records import Mention

__all__ = ["Mention", "ReadingList", "parse_reading_list"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingList:
    """A reading list as read."""

    title: str | None  # the list's own title, its first top-level heading; None where it has none
    mentions: tuple[Mention, ...]  # the mentions in file order
    form: str | None = None  # where most entries have their title, in words; None where there are no entries
    # what may be titles, in file order; a mention is only one that proves to be a paper's whole title
    possible: tuple[Mention, ...] = ()


def parse_reading_list(text: str) -> ReadingList:
    """Returns the title and the mentions of the list `text`; never raises, and takes linear time."""
    with without_garbage_collection():
        document = read_table(text) or read_document(text)
        mentions, possible, form = mentions_of(document)
    return ReadingList(title=document.title, mentions=mentions, form=form, possible=possible)
