"""What a check of lists found, and the command's steps from LIST arguments to that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flows.check.changed_lines import changed_lines
from flows.check.entries import KnownEntries, bare_entries, known_entries
from flows.list_names import shown_location
from sources.list_checks.checks import check_list
from sources.list_checks.list_text import ListText
from sources.list_checks.suppression import suppression_of
from sources.lists.locations import read_lists
from sources.reading_list import parse_reading_list
from sources.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.progress import Reporter
    from flows.settings import Settings
    from sources.list_checks.findings import Level, ListFinding
    from sources.lists.locations import Document
    from sources.reading_list import ReadingList

LEVELS: tuple[Level, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedList:
    """A list and what was found in it.

    Attributes:
        name: Its location, below the working folder as a path from there.
        mentions: How many papers it names.
        findings: What was found, by line.
    """

    name: str
    mentions: int
    findings: tuple[ListFinding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What a check found.

    Attributes:
        lists: The lists, in order.
        unasked: What could not be asked or was not to be, a sentence each: of that, nothing is said to be well.
        remarks: What is wrong with the comments that switch findings off, a sentence each.
    """

    lists: tuple[CheckedList, ...]
    unasked: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def count(self, level: Level) -> int:
        """Returns the number of findings of a level."""
        return sum(item.level == level for each in self.lists for item in each.findings)

    def exit_code(self, *, strict: bool) -> int:
        """Returns 1 where there are errors, or warnings if it is strict about them; else 0."""
        return int(self.count("error") > 0 or (strict and self.count("warning") > 0))

    @property
    def total(self) -> str:
        """Returns how many findings of each level there are, in words."""
        counts = [(self.count(level), level) for level in LEVELS]
        words = ", ".join(counted(number, level) for number, level in counts if number)
        return words or "no findings"


def check_lists(
    arguments: Sequence[str], settings: Settings | None, *, ref: str | None, report: Reporter
) -> CheckReport:
    """Reads the lists named, finds out about their papers, and returns what is wrong in them.

    Args:
        arguments: The LIST arguments.
        settings: The lake, the services and the codes that are off; None for a check of the text alone.
        ref: Only lines that differ from where the branch left this are reported about; None for all.
        report: Shows progress.

    Raises:
        UsageError: A list cannot be read, or its changed lines cannot be told.
        WarehouseError: The lake cannot be read.
    """
    documents = read_lists(arguments)
    lines = [changed_lines(document.location, ref) if ref is not None else None for document in documents]
    lists = [parse_reading_list(document.text) for document in documents]
    known = bare_entries(lists) if settings is None else known_entries(documents, lists, settings, report=report)
    checked, remarks = [], []
    for document, found, entries, touched in zip(documents, lists, known.by_list, lines, strict=True):
        name = shown_location(document.location)
        text = ListText(document.text)
        suppression = suppression_of(text, settings.check.ignore if settings is not None else ())
        remarks += [f"{name}:{line}: there is no finding called {word!r}" for line, word in suppression.unknown]
        findings = check_list(text, entries, suppression=suppression, lines=touched)
        checked.append(CheckedList(name=name, mentions=len(found.mentions), findings=tuple(findings)))
    return CheckReport(
        lists=tuple(checked),
        unasked=(*known.unasked, *_of_unknown_papers(known, lists, documents)),
        remarks=tuple(remarks),
    )


def _of_unknown_papers(
    known: KnownEntries, lists: Sequence[ReadingList], documents: Sequence[Document]
) -> tuple[str, ...]:
    """Returns how many entries nobody was asked about, where there are some."""
    unasked = sum(entry.unasked for entries in known.by_list for entry in entries)
    total = sum(len(each.mentions) for each in lists)
    if not unasked:
        return ()
    where = f" of {counted(len(documents), 'list')}" if len(documents) > 1 else ""
    return (f"nobody was asked about {unasked} of {counted(total, 'entry')}{where}, so only their text was checked",)
