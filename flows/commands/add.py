"""`paperlake add`: a paper's entry as the list would write it, where it belongs."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from flows.check.entries import known_entries
from flows.list_changes import ChangedList, put_out
from flows.progress import watched
from sources.bibliography.identifiers import ArxivId, Doi
from sources.errors import IdentifierError, UsageError
from sources.lists.edits.additions import addition
from sources.lists.edits.writing import doi_address, markdown_address
from sources.lists.locations import Document, read_lists
from sources.lists.reading import ReadingList, parse_reading_list
from sources.records import Mention
from sources.text import counted

if TYPE_CHECKING:
    from flows.list_changes import Output
    from flows.settings import Settings
    from sources.lists.checks.findings import PaperFacts

_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)


def run_add(
    argument: str,
    paper: str,
    *,
    output: Output,
    section: str | None,
    offline: bool,
    lake: str | None,
) -> None:
    """Prints a list with the entry of one more paper as a diff, or writes it.

    Args:
        argument: The list, one file.
        paper: An address, an identifier, or a title.
        output: What becomes of the change.
        section: The heading under which it goes; None where that is clear.
        offline: Whether to send no request.
        lake: The lake's folder.

    Raises:
        UsageError: The paper is not found, stands in the list already, or cannot be written as the list would.
        WarehouseError: The lake cannot be read.
    """
    from flows.settings import read_settings  # noqa: PLC0415 - takes as long as reading the list

    documents = read_lists([argument])
    if len(documents) != 1:
        raise UsageError(f"{argument} names {counted(len(documents), 'list')}; name the one that the paper goes into")
    settings = read_settings(lake=lake, offline=offline or None)
    facts = _facts_of(paper, settings)
    change = addition(documents[0].text, facts, section=section, url=_own_address(paper, facts))
    put_out([ChangedList(document=documents[0], changes=(change,))], output)


def _facts_of(paper: str, settings: Settings) -> PaperFacts:
    """Returns what is known of the paper that an address, an identifier or a title names.

    Raises:
        UsageError: Nobody knows it, or nobody could be asked.
    """
    address = _address_of(paper)
    text = address or " ".join(paper.split())
    parsed = parse_reading_list(f"- {address}") if address else ReadingList(title=None, mentions=(_titled(text),))
    if len(parsed.mentions) != 1 or not text:
        raise UsageError(f"{paper!r} is no address, identifier or title of a paper; give one of these, and no more")
    document = Document(location="-", text=text, revision=hashlib.sha256(text.encode()).hexdigest())
    with watched() as reporter:
        known = known_entries([document], [parsed], settings, report=reporter)
    entry = known.by_list[0][0]
    if entry.paper is not None:
        return entry.paper
    if known.unasked or entry.unasked:
        why = "; ".join(known.unasked) or "nothing may be asked offline, and neither the lake nor a mirror has it"
        raise UsageError(f"nothing is known of {paper!r}: {why}")
    raise UsageError(f"no paper was found for {paper!r}; give its arXiv identifier or its DOI")


def _titled(title: str) -> Mention:
    return Mention(line=1, last_line=1, title=title, text=title, confidence=1.0)


def _address_of(paper: str) -> str | None:
    """Returns the address that an address or an identifier names; None of a title.

    Raises:
        UsageError: The address cannot be written into a list.
    """
    words = " ".join(paper.split())
    if _ADDRESS.fullmatch(words):
        return markdown_address(words)
    with suppress(IdentifierError):
        return f"https://arxiv.org/abs/{ArxivId.parse(words)}"
    with suppress(IdentifierError):
        return markdown_address(doi_address(Doi.parse(words).value))
    return None


def _own_address(paper: str, facts: PaperFacts) -> str | None:
    """Returns the address as given, where it is that of a page that no identifier leads to."""
    is_address = _ADDRESS.fullmatch(paper.strip()) is not None
    return paper.strip() if is_address and not (facts.arxiv_id or facts.doi) else None
