"""What is wrong with the identifiers of entries: malformed, unknown, of another paper, of a retracted one. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_key, title_words
from sources.list_checks.findings import Entry, Level, ListFinding, PaperFacts, finding
from sources.matching.relation import compare_titles
from sources.records import SERVICE_NAMES, Mention

_BY_PARSER = frozenset({"malformed-arxiv-id", "malformed-doi", "unregistered-doi", "second-arxiv-id"})
_COPIED = "link-repeated-under-another-title"
_SAID = re.compile(r"\b(?:retract(?:ed|ion)|withdrawn|withdrew)\b|撤稿", re.IGNORECASE)
_ALIKE = 0.3
"""Titles that have this share in common may be those of two versions of a paper."""


def check_identifiers(entries: Sequence[Entry]) -> Iterator[ListFinding]:
    """Yields findings about identifiers that cannot be, that nobody has, or that are another paper's."""
    for entry in entries:
        mention = entry.mention
        for each in mention.findings:
            if each.code in _BY_PARSER:
                yield finding(each.code, mention, _sentence(each.message), *filter(None, (each.value,)))
            elif each.code == _COPIED:
                original = re.search(r"\d+", each.message)
                others = (int(original[0]),) if original else ()
                yield finding(each.code, mention, each.message, *filter(None, (each.value,)), others=others)
        for identifier in entry.unknown:
            service = SERVICE_NAMES.get(identifier.scheme, identifier.scheme)
            message = f"{service} has no paper {identifier.value}."
            yield finding("identifier-unknown", mention, message, f"{service} answered that there is none")
        yield from _other_paper(entry)
        yield from _taken_back(entry)


def _sentence(message: str) -> str:
    text = message[0].upper() + message[1:]
    return text if text.endswith(".") else f"{text}."


def _other_paper(entry: Entry) -> Iterator[ListFinding]:
    """Yields a finding where the link leads to another paper than the title names.

    It is an error where the paper with that title is known as well. Else the title may be one that the paper had
    before, or a translation; then only one that has nothing in common with the paper's is worth a warning. A heading
    may be a topic's.
    """
    mention, linked, titled = entry.mention, entry.linked, entry.titled
    if linked is None or _names_people_of(mention, linked) or not _leads_to(mention, linked):
        return
    message = f"The link leads to “{linked.title}”, the title is “{mention.title}”."
    if titled is not None:
        evidence = (f"linked: {_named(linked)}", f"titled: {_named(titled)}")
        yield finding("link-title-disagree", mention, message, *evidence)
    elif not _may_be_title(mention, linked) and not mention.text.lstrip().startswith("#"):
        level: Level = "warning"
        yield finding("link-title-disagree", mention, message, f"linked: {_named(linked)}", level=level)


def _leads_to(mention: Mention, paper: PaperFacts) -> bool:
    """Returns whether the entry's first link is to the paper, and not another one of several that it has."""
    url = (mention.url or "").lower()
    return not url or any(name.lower() in url for name in (paper.arxiv_id, paper.doi) if name)


def _names_people_of(mention: Mention, paper: PaperFacts) -> bool:
    return compare_authors(mention.authors, paper.authors).agreement == "agree"


def _may_be_title(mention: Mention, paper: PaperFacts) -> bool:
    """Returns whether a mention's title may be an old one, a cut one, a nickname or a translation of the paper's."""
    written = title_words(mention.title or "")
    if not (mention.title or "").isascii() or sum(len(word) > 3 for word in written.words) < 3:
        return True
    key = title_key(mention.title or "")
    titles = (paper.title, *paper.other_titles)
    return any(
        title_key(title) == key or compare_titles(written, title_words(title)).agreement >= _ALIKE for title in titles
    )


def _named(paper: PaperFacts) -> str:
    """Returns a paper's identifier, first author and year, as far as they are told."""
    identifier = f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else f"doi:{paper.doi}" if paper.doi else paper.title
    first = f"{paper.authors[0]}{' et al.' if len(paper.authors) > 1 else ''}" if paper.authors else ""
    return ", ".join(filter(None, (identifier, first, str(paper.year or ""))))


def _taken_back(entry: Entry) -> Iterator[ListFinding]:
    """Yields findings about papers that were retracted or withdrawn, unless the entry says so itself."""
    paper = entry.paper
    if paper is None or _SAID.search(entry.mention.text):
        return
    if paper.retraction:
        yield finding("retracted-paper", entry.mention, "The paper was retracted.", paper.retraction)
    elif paper.withdrawn:
        evidence = f"arXiv says so of arXiv:{paper.arxiv_id}"
        yield finding("withdrawn-paper", entry.mention, "The paper was withdrawn from arXiv.", evidence)
