"""Changes of fields: typing errors, published versions, and what an entry lacks beside its neighbours. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from sources.bibliography.venues import Kind, kind_of, same_venue
from sources.list_checks.findings import Edit, PaperFacts, Publication
from sources.list_checks.list_text import smallest_edit
from sources.list_edits.edits import Change
from sources.list_edits.form import ADDRESS, SHORT_YEAR, VENUE, YEAR, Filling, filling
from sources.list_edits.siblings import KnownList, WrittenEntry, WrittenList, filled, known_by
from sources.list_edits.spans import Stretch
from sources.list_edits.writing import written_words
from sources.matching.word_match import compare_words
from sources.reading_list.links.identifiers import split_address
from sources.reading_list.links.link_kinds import kind_of as kind_of_address
from sources.records import SERVICE_NAMES

_FEWEST, _SHARE = 3, 0.75
"""Entries of a section, and the share of them, that have a field which the others are to have as well."""


def title_changes(known: KnownList) -> Iterator[Change]:
    """Mends the words of titles that are mistyped, of papers that are known."""
    for finding, written, entry in known.found("title-misspelt"):
        if finding.edits or written.spans.title is None or entry.paper is None:
            continue
        start, end = written.spans.title
        as_written = known.written.source.text[start:end]
        edits = _corrections(as_written, start, entry.paper.title)
        if edits:
            message, evidence = finding.message, (*finding.evidence, known_by(entry.paper))
            yield Change(code="title-misspelt", line=finding.line, message=message, evidence=evidence, edits=edits)


def _corrections(written: str, start: int, true: str) -> tuple[Edit, ...]:
    """Returns the edits that mend the words of a title that are the paper's own but mistyped; () where more differs."""
    places: list[tuple[int, str]] = []
    position = 0
    for word in written.split():
        position = written.index(word, position)
        places.append((position, word))
        position += len(word)
    others = true.split()
    if len(places) != len(others):
        return ()
    edits: list[Edit] = []
    for (at, word), other in zip(places, others, strict=True):
        mine, theirs = _letters(word), _letters(other)
        if mine.lower() == theirs.lower():
            continue
        if not (mine and theirs and compare_words(mine.lower(), theirs.lower()) == "typo"):
            return ()
        if written_words(theirs, "html") != theirs:
            return ()
        right = theirs.lower() if mine.islower() else theirs.capitalize() if mine.istitle() else theirs
        edits.append(smallest_edit(start + at + word.index(mine), mine, right))
    return tuple(edits) if len(edits) <= 2 else ()


def _letters(word: str) -> str:
    """Returns a word without the marks around it."""
    inside = [at for at, sign in enumerate(word) if sign.isalnum()]
    return word[inside[0] : inside[-1] + 1] if inside else ""


def publication_changes(known: KnownList) -> Iterator[Change]:
    """Puts the published version's venue and year in the place of a preprint's, or where the entry names none."""
    for finding, written, entry in known.found("published-version"):
        publication = _certain_publication(entry.paper)
        if finding.edits or entry.paper is None or publication is None:
            continue
        values = known.written.values(entry.paper, venue=publication.venue, year=publication.year)
        if VENUE not in values:
            continue
        edits = _venue_replaced(known, written, values) or _with_venue(known, written, values)
        if edits:
            evidence = (*finding.evidence, _published_by(publication))
            yield Change(
                code="published-version",
                line=finding.line,
                message=finding.message,
                evidence=tuple(dict.fromkeys(evidence)),
                edits=edits,
            )


def _venue_replaced(known: KnownList, written: WrittenEntry, values: Mapping[str, str]) -> tuple[Edit, ...]:
    """Returns the edits that replace "arXiv 2017": its venue, and the year beside it."""
    spans, mention = written.spans, written.mention
    if spans.venue is None or kind_of(mention.venue) is not Kind.PREPRINT or len(spans.years) > 1:
        return ()
    text = known.written.source.text
    behind = text[spans.venue[1] : spans.venue[1] + 2]
    if behind[:1] in (":", ".", "/") and behind[1:].strip():
        return ()  # it is part of an identifier, as in arXiv:1706.03762
    edits = [_replaced(spans.venue, written_words(values[VENUE], known.written.language_of(written)))]
    if mention.year is not None:
        if spans.year is None or YEAR not in values:
            return ()
        short = spans.year[1] - spans.year[0] == 2
        edits.append(_replaced(spans.year, values[SHORT_YEAR if short else YEAR]))
    return tuple(edits)


def _replaced(stretch: Stretch, replacement: str) -> Edit:
    return Edit(start=stretch[0], end=stretch[1], replacement=replacement)


def _certain_publication(paper: PaperFacts | None) -> Publication | None:
    """Returns the one published version of a paper; None where there is none with venue and year, or they disagree."""
    published = [item for item in paper.publications if item.venue and item.year] if paper else []
    if not published:
        return None
    first = published[0]
    agree = all(item.year == first.year and same_venue(item.venue, first.venue) for item in published)
    return first if agree else None


def _published_by(publication: Publication) -> str:
    teller = SERVICE_NAMES.get(publication.source, publication.source)
    doi = f", https://doi.org/{publication.doi}" if publication.doi else ""
    return f"{teller} has it in {publication.venue} {publication.year}{doi}"


def year_changes(known: KnownList) -> Iterator[Change]:
    """Fills in the year where nearly all neighbours have one and all versions of the paper are of one year."""
    for written, entry in known.pairs():
        if entry.paper is None or written.mention.year is not None or entry.paper.year is None:
            continue
        years = {entry.paper.year, *(item.year for item in entry.paper.publications if item.year)}
        if len(years) == 1 and _have(known, written, "year"):
            values = known.written.values(entry.paper, venue=None, year=entry.paper.year)
            edits = _filled_in(known, written, values, (YEAR, SHORT_YEAR))
            message = f"the year is missing: {entry.paper.year}"
            yield from _change("missing-year", written, message, entry.paper, edits)


def venue_changes(known: KnownList) -> Iterator[Change]:
    """Fills in the venue where nearly all neighbours have one and all who know of a publication agree on it."""
    for written, entry in known.pairs():
        publication = _certain_publication(entry.paper)
        if entry.paper is None or publication is None or written.mention.venue is not None:
            continue
        if written.mention.year not in (None, publication.year):
            continue
        if _have(known, written, "venue"):
            values = known.written.values(entry.paper, venue=publication.venue, year=publication.year)
            edits = _with_venue(known, written, values)
            message = f"the venue is missing: {publication.venue} {publication.year}"
            yield from _change("missing-venue", written, message, entry.paper, edits, _published_by(publication))


def missing_link_changes(known: KnownList) -> Iterator[Change]:
    """Puts the paper's address where the neighbours have theirs, with year and venue where only both go together."""
    for _, written, entry in known.found("missing-link"):
        if entry.paper is None or written.form is None or written.mention.url or _leads_to_paper(written):
            continue
        publication = _certain_publication(entry.paper)
        venue, year = (publication.venue, publication.year) if publication else (None, None)
        values = known.written.values(entry.paper, venue=venue, year=year)
        edits = _filled_in(known, written, values, (ADDRESS,))
        if publication is not None and not edits and written.mention.venue is None:
            edits = _filled_in(known, written, values, (ADDRESS, VENUE, *_lacking_years(written)))
        message = f"the link is missing: {values.get(ADDRESS)}"
        yield from _change("missing-link", written, message, entry.paper, edits)


def _leads_to_paper(written: WrittenEntry) -> bool:
    return any(kind_of_address(split_address(span.url)) in ("paper", "pdf") for span in written.spans.addresses)


def _have(known: KnownList, written: WrittenEntry, field: Literal["year", "venue"]) -> bool:
    """Returns whether nearly all other entries of the section have a field that this one lacks."""
    others, share = known.written.siblings(written.mention.section).share_beside(written, field)
    return others >= _FEWEST and share >= _SHARE


def _change(
    code: str, written: WrittenEntry, message: str, paper: PaperFacts, edits: tuple[Edit, ...], *evidence: str
) -> Iterator[Change]:
    if edits:
        proof = (*evidence, known_by(paper))
        yield Change(code=code, line=written.mention.line, message=message, evidence=proof, edits=edits)


def _filled_in(
    known: KnownList, written: WrittenEntry, values: Mapping[str, str], wanted: Sequence[str]
) -> tuple[Edit, ...]:
    """Returns the edits that add `wanted` fields to an entry as its neighbours in the section have them; () if none."""
    if written.form is None:
        return ()
    for model, count in known.written.siblings(written.mention.section).usual_forms_beside(written):
        found = filling(written.form, model, "".join(wanted)) if count >= _FEWEST - 1 else None
        if found and (edits := _inserted(known.written, written, found, values)):
            return edits
    return ()


def _with_venue(known: KnownList, written: WrittenEntry, values: Mapping[str, str]) -> tuple[Edit, ...]:
    """Returns the edits that add the venue to an entry without one, and the year beside it where it has none."""
    if written.mention.venue is not None:
        return ()
    return _filled_in(known, written, values, (VENUE, *_lacking_years(written)))


def _lacking_years(written: WrittenEntry) -> tuple[str, ...]:
    return () if written.mention.year is not None else (YEAR, SHORT_YEAR)


def _inserted(whole: WrittenList, written: WrittenEntry, found: Filling, values: Mapping[str, str]) -> tuple[Edit, ...]:
    edits = []
    for at, piece in found.insertions:
        words = filled(piece, values, whole.language_of(written))
        if words is None or "\n" in words:
            return ()
        edits.append(_in_cell(whole.source.text, at, words))
    return tuple(edits)


def _in_cell(text: str, at: int, words: str) -> Edit:
    """Returns the edit that puts `words` in; an empty cell of a table keeps its width."""
    start = at
    while start and text[start - 1] in " \t":
        start -= 1
    if start == at or text[start - 1 : start] != "|" or text[at : at + 1] != "|":
        return Edit(start=at, end=at, replacement=words)
    return Edit(start=start, end=at, replacement=f" {words} ".ljust(at - start))
