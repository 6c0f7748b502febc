"""`paperlake add`: entries of papers as the list would write them, where they belong."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.shared import Diff, Json, Lake, Offline
from flows.progress import watched
from sources.errors import IdentifierError, UsageError
from sources.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flows.settings import Settings
    from sources.lists.checks.findings import CheckedEntry, PaperFacts
    from sources.lists.locations import ListDocument
    from sources.records import Mention

_BIBLIOGRAPHY = re.compile(r"\.(?:bib|ris)\Z", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)


def add(
    reading_list: Annotated[str, typer.Argument(metavar="LIST", show_default=False, help="The list, one file.")],
    papers: Annotated[
        list[str],
        typer.Argument(
            metavar="PAPER...",
            show_default=False,
            help="An address, an arXiv identifier, a DOI or a title; a file in BibTeX or RIS; - reads papers, one a"
            " line, or such a file from standard input.",
        ),
    ],
    section: Annotated[
        str | None, typer.Option(metavar="HEADING", help="The section they go into; needed where several fit.")
    ] = None,
    diff: Diff = False,
    write: Annotated[bool, typer.Option("--write", help="Write the entries into the list's file.")] = False,
    offline: Offline = False,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Adds papers to a reading list, written as the list writes its entries and placed in the list's order.

    A paper that stands in the list already is refused, with its line. The entries are shown, and written only with
    --write. Where one of several papers cannot be added, it is named with the reason, the others are added, and the
    exit code is 1.

    Example: `paperlake add README.md 1706.03762 --section Attention`

    Example: `paperlake add README.md "Attention Is All You Need" 1512.03385 --write`

    Example: `paperlake add README.md refs.bib --write`
    """
    from flows.list_changes import ChangedList, Output, put_out, read_editable_lists
    from flows.settings import read_settings
    from sources.lists.edits.additions import additions
    from sources.lists.reading import parse_reading_list

    if diff and write:
        raise typer.BadParameter("--diff writes nothing; name one of the two")
    documents = read_editable_lists([reading_list], command="add")
    if len(documents) != 1:
        raise UsageError(
            f"{reading_list} names {counted(len(documents), 'list')}; name the one that the papers go into"
        )
    settings = read_settings(lake=lake, offline=offline or None)
    (document,) = documents
    mentions = parse_reading_list(document.text).mentions
    _refuse_at_once(document, mentions, section, write=write)
    named = _named(papers)
    standing = {words: _not_listed(mention, mentions) for words, mention in named.items()}
    open_ones = {words: each for words, each in standing.items() if not isinstance(each, UsageError)}
    known: dict[str, PaperFacts | UsageError] = {
        words: each for words, each in standing.items() if isinstance(each, UsageError)
    }
    known |= _looked_up(open_ones, settings) if open_ones else {}
    found = {words: each for words, each in known.items() if not isinstance(each, UsageError)}
    addressed = [(facts, _url_of(words, facts)) for words, facts in found.items()]
    changes, errors = additions(document.text, addressed, mentions=mentions, section=section)
    known |= {words: error for words, error in zip(found, errors, strict=True) if error is not None}
    refused = {words: each for words, each in known.items() if isinstance(each, UsageError)}
    if len(known) == 1:
        for error in refused.values():
            raise error
    output = Output(write=write, for_people=diff, as_json=as_json)
    reasons = [f"{words}: not added: {error}" for words, error in refused.items()]
    put_out([ChangedList(document=document, changes=tuple(changes))], output, unasked=reasons)
    if refused:
        raise typer.Exit(1)


def _refuse_at_once(document: ListDocument, mentions: Sequence[Mention], section: str | None, *, write: bool) -> None:
    """Refuses a section that is not there and a file of others, before any request."""
    from sources.lists.edits.places import place_named

    if section is not None and mentions:
        place_named(document.text, mentions, section)
    if write and Path(document.location).is_file() and not os.access(document.location, os.W_OK):
        raise UsageError(f"{document.location} cannot be written: it is read-only")


def _named(papers: Sequence[str]) -> dict[str, Mention | UsageError]:
    """Returns what each argument names, and each line or entry of those that are files, by its words."""
    from sources.lists.locations import read_lists
    from sources.lists.reading import parse_reading_list
    from sources.lists.reading.tabular import read_table

    named: dict[str, Mention | UsageError] = {}
    for paper in papers:
        if paper != "-" and not _BIBLIOGRAPHY.search(paper) and not Path(paper).is_file():
            named[paper] = _mention_of(paper)
            continue
        (document,) = read_lists([paper])
        if read_table(document.text) is not None:
            entries = parse_reading_list(document.text).mentions
            named |= {entry.title or entry.url or entry.text: entry for entry in entries}
        elif paper == "-":
            named |= {line.strip(): _mention_of(line) for line in document.text.splitlines() if line.strip()}
        else:
            raise UsageError(f"{paper} is no bibliography in BibTeX or RIS, of which papers can be added")
    return named


def _mention_of(paper: str) -> Mention | UsageError:
    """Returns the mention that an address, an identifier or a title makes, or why it makes none."""
    from sources.lists.reading import parse_reading_list
    from sources.records import Mention

    try:
        address = _address_of(paper)
    except UsageError as error:
        return error
    text = " ".join(paper.split())
    titled = (Mention(line=1, last_line=1, title=text, text=text, confidence=1.0),) if text else ()
    found = parse_reading_list(f"- {address}").mentions if address else titled
    if len(found) == 1:
        return found[0]
    return UsageError(f"{paper!r} is no address, identifier or title of a paper; give one of these, and no more")


def _not_listed(mention: Mention | UsageError, mentions: Sequence[Mention]) -> Mention | UsageError:
    """Returns a mention, or why it is refused before anything is asked for: an entry has its identifier."""
    from sources.lists.edits.additions import refuse_listed

    if not isinstance(mention, UsageError):
        try:
            refuse_listed(mentions, mention.identifiers)
        except UsageError as error:
            return error
    return mention


def _url_of(paper: str, facts: PaperFacts) -> str | None:
    """Returns the address that an entry leads to because it was given, and no identifier leads there."""
    is_needed = _ADDRESS.fullmatch(paper.strip()) and not (facts.arxiv_id or facts.doi)
    return paper.strip() if is_needed else None


def _looked_up(mentions: Mapping[str, Mention], settings: Settings) -> dict[str, PaperFacts | UsageError]:
    """Returns what is known of the papers, all looked up together, or why nothing is."""
    import hashlib

    from flows.check.entries import known_entries
    from sources.lists.locations import ListDocument
    from sources.lists.reading import ReadingList

    placed = [replace(mention, line=at, last_line=at) for at, mention in enumerate(mentions.values(), start=1)]
    text = "\n".join(" ".join(mention.text.split()) for mention in placed)
    document = ListDocument(location="-", text=text, revision=hashlib.sha256(text.encode()).hexdigest())
    with watched() as reporter:
        parsed = ReadingList(title=None, mentions=tuple(placed))
        known = known_entries([document], [parsed], settings, report=reporter)
    return {
        words: entry.paper or _unknown(words, entry, known.unasked)
        for words, entry in zip(mentions, known.by_list[0], strict=True)
    }


def _unknown(paper: str, entry: CheckedEntry, unasked: Sequence[str]) -> UsageError:
    """Returns why nothing is known of a paper: nobody knows it, or nobody could be asked."""
    if unasked or entry.unasked:
        why = "; ".join(unasked) or "nothing may be asked offline, and neither the lake nor a mirror has it"
        return UsageError(f"nothing is known of {paper!r}: {why}")
    identifiers = entry.mention.identifiers
    if identifiers:
        has = "arXiv has no paper" if identifiers[0].scheme == "arxiv" else "no source has a paper with"
        return UsageError(f"{has} {identifiers[0].value}; is it written right?")
    return UsageError(f"no paper was found for {paper!r}; give its arXiv identifier or its DOI")


def _address_of(paper: str) -> str | None:
    """Returns the address that an address or an identifier names; None of a title."""
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
