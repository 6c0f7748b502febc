"""`paperlake add`: a paper's entry as the list would write it, where it belongs."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.shared import Diff, Json, Lake, Offline
from flows.progress import watched
from sources.errors import IdentifierError, UsageError
from sources.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.settings import Settings
    from sources.lists.checks.findings import PaperFacts
    from sources.lists.locations import Document
    from sources.records import Mention

_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)


def add(
    reading_list: Annotated[str, typer.Argument(metavar="LIST", show_default=False, help="The list, one file.")],
    paper: Annotated[
        str,
        typer.Argument(metavar="PAPER", show_default=False, help="An address, an arXiv identifier, a DOI or a title."),
    ],
    section: Annotated[
        str | None, typer.Option(metavar="HEADING", help="The section it goes into; needed where several fit.")
    ] = None,
    diff: Diff = False,
    write: Annotated[bool, typer.Option("--write", help="Write the entry into the list's file.")] = False,
    offline: Offline = False,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Adds a paper to a reading list, written as the list writes its entries and placed in the list's order.

    A paper that stands in the list already is refused, with its line. The entry is shown, and written only with
    --write.

    Example: `paperlake add README.md 1706.03762 --section Attention`

    Example: `paperlake add README.md "Attention Is All You Need" --write`
    """
    from flows.list_changes import ChangedList, Output, put_out, read_editable_lists
    from sources.lists.edits.additions import addition
    from sources.lists.reading import parse_reading_list

    if diff and write:
        raise typer.BadParameter("--diff writes nothing; name one of the two")
    from flows.settings import read_settings

    documents = read_editable_lists([reading_list], command="add")
    if len(documents) != 1:
        raise UsageError(
            f"{reading_list} names {counted(len(documents), 'list')}; name the one that the paper goes into"
        )
    settings = read_settings(lake=lake, offline=offline or None)
    (document,) = documents
    mentions = parse_reading_list(document.text).mentions
    _refuse_at_once(document, mentions, paper, section, write=write)
    facts = _facts_of(paper, settings)
    is_address = _ADDRESS.fullmatch(paper.strip()) is not None
    url = paper.strip() if is_address and not (facts.arxiv_id or facts.doi) else None  # no identifier leads there
    change = addition(document.text, facts, mentions=mentions, section=section, url=url)
    output = Output(write=write, for_people=diff, as_json=as_json)
    put_out([ChangedList(document=document, changes=(change,))], output)


def _refuse_at_once(
    document: Document, mentions: Sequence[Mention], paper: str, section: str | None, *, write: bool
) -> None:
    """Refuses, before anything is asked for, a section that is not there, a paper that is, and a file of others.

    Raises:
        AlreadyListed: An entry has the identifier.
        UsageError: The section is not clear, or the file cannot be written.
    """
    import os

    from sources.lists.edits.additions import refuse_listed, section_named
    from sources.lists.reading import parse_reading_list

    if section is not None and mentions:
        section_named(mentions, section)
    given = parse_reading_list(f"- {address}").mentions if (address := _address_of(paper)) else ()
    refuse_listed(mentions, {identifier for mention in given for identifier in mention.identifiers})
    if write and Path(document.location).is_file() and not os.access(document.location, os.W_OK):
        raise UsageError(f"{document.location} cannot be written: it is read-only")


def _facts_of(paper: str, settings: Settings) -> PaperFacts:
    """Returns what is known of the paper that an address, an identifier or a title names.

    Raises:
        UsageError: Nobody knows it, or nobody could be asked.
    """
    import hashlib

    from flows.check.entries import known_entries
    from sources.lists.locations import Document
    from sources.lists.reading import ReadingList, parse_reading_list
    from sources.records import Mention

    address = _address_of(paper)
    text = address or " ".join(paper.split())
    titled = Mention(line=1, last_line=1, title=text, text=text, confidence=1.0)
    parsed = parse_reading_list(f"- {address}") if address else ReadingList(title=None, mentions=(titled,))
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
    identifiers = parsed.mentions[0].identifiers
    if identifiers:
        has = "arXiv has no paper" if identifiers[0].scheme == "arxiv" else "no source has a paper with"
        raise UsageError(f"{has} {identifiers[0].value}; is it written right?")
    raise UsageError(f"no paper was found for {paper!r}; give its arXiv identifier or its DOI")


def _address_of(paper: str) -> str | None:
    """Returns the address that an address or an identifier names; None of a title.

    Raises:
        UsageError: The address cannot be written into a list.
    """
    from sources.bibliography.identifiers import ArxivId, Doi
    from sources.lists.edits.writing import doi_address, markdown_address

    words = " ".join(paper.split())
    if _ADDRESS.fullmatch(words):
        return markdown_address(words)
    with suppress(IdentifierError):
        return f"https://arxiv.org/abs/{ArxivId.parse(words)}"
    with suppress(IdentifierError):
        return markdown_address(doi_address(Doi.parse(words).value))
    return None
