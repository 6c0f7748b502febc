"""`paperlake fix`: what can be mended in lists, as a diff, a patch, or in their files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from flows.check.entries import bare_entries, known_entries
from flows.check.links import addresses_to_ask, ask_links, link_findings
from flows.commands.check import settings_if_any
from flows.list_changes import ChangedList, put_out
from flows.progress import watched
from sources.errors import UsageError
from sources.list_checks.checks import check_list
from sources.list_checks.list_text import ListText
from sources.list_checks.suppression import suppression_of
from sources.list_edits.annotations import NOT_SHOWN, annotation_changes, shown_value
from sources.list_edits.edits import without_conflicts
from sources.list_edits.fixes import FIXES, changes_of
from sources.list_edits.sorting import sorted_section
from sources.lists.locations import read_lists
from sources.reading_list import parse_reading_list
from sources.text import counted, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from flows.check.links import LinkedAddress
    from flows.progress import Reporter
    from sources.list_checks.findings import Entry, ListFinding
    from sources.list_edits.annotations import Kind, Look
    from sources.list_edits.edits import Change
    from sources.list_edits.sorting import Order
    from sources.lists.locations import Document


class Work(NamedTuple):
    """What is to be done with the lists.

    Attributes:
        only: The kinds of fixes that are made; all where empty.
        annotate: What is shown beside entries, None for nothing.
        look: The form of that.
        sort: What a section is sorted by, None where none is.
        section: The heading of that section.
        links: Whether the servers of links are asked.
    """

    only: tuple[str, ...] = ()
    annotate: Kind | None = None
    look: Look | None = None
    sort: Order | None = None
    section: str | None = None
    links: bool = False

    @property
    def asks_links(self) -> bool:
        """Returns whether what servers say of their links is of use."""
        return self.links and self.mends and (not self.only or not {"dead-link", "moved-link"}.isdisjoint(self.only))

    @property
    def mends(self) -> bool:
        """Returns whether faults are mended."""
        return bool(self.only) or (self.annotate is None and self.sort is None)


def run_fix(
    lists: Sequence[str],
    work: Work,
    *,
    write: bool,
    patch: Path | None,
    for_people: bool,
    offline: bool,
    lake: str | None,
) -> None:
    """Prints the changes of lists, or writes them.

    Raises:
        UsageError: Wrong usage, a list that cannot be read or written, or a section that cannot be sorted.
        WarehouseError: The lake cannot be read.
    """
    _refuse_misuse(work, write=write, patch=patch)
    settings = settings_if_any(lake, offline=offline)
    arguments = [*lists] or [*(settings.lists if settings is not None else ())]
    if not arguments:
        raise UsageError("no list named: `paperlake fix LIST`, where LIST is a file, a folder or an address")
    documents = read_lists(arguments)
    parsed = [parse_reading_list(document.text) for document in documents]
    with watched() as reporter:
        if settings is None:
            known = bare_entries(parsed)
        else:
            known = known_entries(documents, parsed, settings, report=reporter)
        asks = work.asks_links and settings is not None and not settings.offline
        ask = _asker(reporter) if asks else None
        ignored = settings.check.ignore if settings is not None else ()
        changed = [
            ChangedList(document=document, changes=tuple(_changes(document, entries, work, ignored, ask)))
            for document, entries in zip(documents, known.by_list, strict=True)
        ]
    unasked = sum(entry.unasked for entries in known.by_list for entry in entries)
    remarks = [*known.unasked]
    if unasked:
        remarks.append(
            f"nobody was asked about {counted(unasked, 'entry')}: what needs a paper's record stays as it is"
        )
    if work.annotate is not None:
        papers = [entry.paper for entries in known.by_list for entry in entries if entry.paper is not None]
        lacking = sum(shown_value(paper, work.annotate) is None for paper in papers)
        if lacking:
            remarks.append(f"{NOT_SHOWN[work.annotate]} of {lacking} of {counted(len(papers), 'paper')} found")
    sys.stderr.writelines(f"paperlake: {shown(remark)}\n" for remark in remarks)
    put_out(changed, write=write, patch=patch, for_people=for_people)


def _asker(reporter: Reporter) -> Callable[[Sequence[LinkedAddress]], list[ListFinding]]:
    """Returns what asks for the links of a list, and tells which are dead or have moved."""

    def ask(linked: Sequence[LinkedAddress]) -> list[ListFinding]:
        addresses = list(dict.fromkeys(item.span.url for item in linked))
        if not addresses:
            return []
        done = reporter.stage("Links", len(addresses), "links")
        answers = ask_links(addresses, lambda _number, _total: None)
        done(len(addresses))
        return link_findings(linked, answers)

    return ask


def _refuse_misuse(work: Work, *, write: bool, patch: Path | None) -> None:
    unknown = [code for code in work.only if code not in FIXES]
    if unknown:
        raise UsageError(f"--only: nothing is called {unknown[0]!r}; there are {', '.join(FIXES)}")
    if write and patch is not None:
        raise UsageError("--write changes the lists, --patch leaves them as they are: name one of the two")
    if work.sort is not None and (work.only or work.annotate):
        raise UsageError("--sort moves whole entries, so it goes alone: mend the list first, then sort it")
    if work.look is not None and work.annotate is None:
        raise UsageError("--as is the form of what --annotate shows; name that as well")


def _changes(
    document: Document,
    entries: Sequence[Entry],
    work: Work,
    ignored: Sequence[str],
    ask: Callable[[Sequence[LinkedAddress]], list[ListFinding]] | None,
) -> list[Change]:
    text = document.text
    if work.sort is not None:
        change = sorted_section(text, entries, work.sort, section=work.section)
        return [] if change is None else [change]
    changes: list[Change] = []
    if work.mends:
        checked = ListText(text)
        suppression = suppression_of(checked, ignored)
        others = ask(addresses_to_ask(checked, suppression, None)) if ask is not None else []
        findings = check_list(checked, entries, suppression=suppression, others=others)
        changes, _ = changes_of(text, entries, findings, only=work.only)
    if work.annotate is not None:
        changes += annotation_changes(text, entries, work.annotate, work.look)
    return without_conflicts(text, changes)[0]
