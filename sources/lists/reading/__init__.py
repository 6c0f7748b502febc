"""Reading lists, Markdown, tables and bibliographies: text in, mentions of papers out. Pure: no network, no clock."""

from __future__ import annotations

from dataclasses import dataclass

from sources.lists.reading.accounting import LIKE_ENTRIES, LineKind, SkippedLine
from sources.lists.reading.document import read_document
from sources.lists.reading.mentions import mentions_of
from sources.lists.reading.tabular import read_table
from sources.processes import without_garbage_collection
from sources.records import Mention

__all__ = ["LIKE_ENTRIES", "LineKind", "Mention", "ReadingList", "SkippedLine", "parse_reading_list"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingList:
    """A reading list as read."""

    title: str | None  # the list's own title, its first top-level heading; None where it has none
    mentions: tuple[Mention, ...]  # the mentions in file order
    form: str | None = None  # where most entries have their title, in words; None where there are no entries
    # what may be titles, in file order; a mention is only one that proves to be a paper's whole title
    possible: tuple[Mention, ...] = ()
    skipped: tuple[SkippedLine, ...] = ()  # every line that no mention was made of, in file order, with the reason

    @property
    def like_entries(self) -> int:
        """Returns how many lines look like entries, and no mention was made of them."""
        return sum(line.kind in LIKE_ENTRIES for line in self.skipped)


def parse_reading_list(text: str) -> ReadingList:
    """Returns the title and the mentions of the list `text`; never raises, and takes linear time."""
    with without_garbage_collection():
        document = read_table(text) or read_document(text)
        mentions, possible, skipped, form = mentions_of(document)
    return ReadingList(title=document.title, mentions=mentions, form=form, possible=possible, skipped=skipped)
