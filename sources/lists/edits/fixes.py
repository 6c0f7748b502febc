"""Makes the smallest edits that mend each kind of fault, in the list's own style. Pure.

An edit is made only where its evidence is certain and its place in the text is: what is doubtful stays as it is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain

from sources.bibliography.venues import Kind, kind_of, same_venue
from sources.errors import UsageError
from sources.lists.checks.findings import CODES, CheckedEntry, Edit, ListFinding, PaperFacts, Publication
from sources.lists.checks.list_text import smallest_edit
from sources.lists.checks.titles import misspelt_words
from sources.lists.edits.edits import Change, without_conflicts
from sources.lists.edits.forms import ADDRESS, SHORT_YEAR, VENUE, YEAR, filled, filling, is_for_paper
from sources.lists.edits.sound import others_than, sound_changes
from sources.lists.edits.spans import AddressSpan, with_https, with_present_resolver
from sources.lists.edits.style import WrittenEntry, WrittenList
from sources.lists.edits.writing import written_words
from sources.lists.reading.addresses import kind_of as kind_of_address
from sources.lists.reading.addresses import split_address
from sources.records import SERVICE_NAMES


class KnownList:
    """A list, what is known of its papers, and what was found in it."""

    def __init__(self, text: str, entries: Sequence[CheckedEntry], findings: Sequence[ListFinding]) -> None:
        self.written = WrittenList(text, [entry.mention for entry in entries])
        self.pairs = list(zip(self.written.entries, entries, strict=True))
        # Code -> the findings of this kind, each with the first entry of its line.
        self.found: defaultdict[str, list[tuple[ListFinding, WrittenEntry, CheckedEntry]]] = defaultdict(list)
        by_line = {written.mention.line: (written, entry) for written, entry in reversed(self.pairs)}
        for finding in findings:
            if finding.line in by_line:
                self.found[finding.code].append((finding, *by_line[finding.line]))


def known_by(paper: PaperFacts) -> str:
    """Returns who knows the paper, and as what, as evidence for people."""
    names = [SERVICE_NAMES.get(source, source) for source in paper.sources]
    by = f", by {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))}" if names else ""
    return f"the paper is “{paper.title}”{f' ({paper.year})' if paper.year else ''}{by}"


def _present_changes(
    known: KnownList, *, code: str, present: Callable[[str], str | None], what: str, why: str
) -> Iterator[Change]:
    """Yields the present forms of addresses in the lines of entries, and in the definitions that these use."""
    by_lines = {entry.spans.entry: entry.spans.addresses for entry in known.written.entries}
    defined = [address for address, _ in known.written.definitions.values()]
    for span in {span.start: span for span in chain(defined, *by_lines.values())}.values():
        url = present(span.url)
        if url and not (span.place == "bare" and "://" not in span.url):
            as_written = present(known.written.source.text[span.start : span.end])  # with what the owner has escaped
            proof = why.format(split_address(span.url).host)
            yield _readdressed(known, code, span, as_written or span.written(url), f"{what}: {url}", proof)


def _readdressed(known: KnownList, code: str, span: AddressSpan, address: str, message: str, *evidence: str) -> Change:
    source = known.written.source
    edit = smallest_edit(span.start, source.text[span.start : span.end], address)
    return Change(code=code, line=source.line_of(span.start), message=message, evidence=evidence, edits=(edit,))


def empty_link_changes(known: KnownList) -> Iterator[Change]:
    """Fills the one empty link of an entry that is named for the paper, or is its title."""
    for written, entry in known.pairs:
        if entry.paper is None or entry.mention.url:
            continue
        empty = [span for span in written.spans.addresses if span.place == "link" and not span.url]
        named = [span for span in empty if is_for_paper(written.spans, span)]
        if len(named) != 1:
            continue
        if address := known.written.address_of(entry.paper, named[0].label):
            message = f"the address of the link: {address}"
            yield _readdressed(known, "empty-link", named[0], named[0].written(address), message, known_by(entry.paper))


def dead_link_changes(known: KnownList) -> Iterator[Change]:
    """Puts the paper's own address in the place of a dead one that is the entry's link to the paper."""
    for finding, written, entry in known.found["dead-link"]:
        span = written.spans.paper_address
        if finding.edits or span is None or entry.paper is None or entry.linked is not None:
            continue
        address = known.written.address_of(entry.paper, span.label) or entry.paper.free_copy
        dead = split_address(span.url)
        if span.url not in finding.message or not address or split_address(address).host == dead.host:
            continue
        with suppress(UsageError):  # it leads to no page: the link stays, and is found dead
            written_so = span.written(address)
            proof = (*finding.evidence, known_by(entry.paper))
            yield _readdressed(known, "dead-link", span, written_so, finding.message, *proof)


def title_changes(known: KnownList) -> Iterator[Change]:
    """Mends the words of titles that are mistyped, of papers that are known."""
    for finding, written, entry in known.found["title-misspelt"]:
        if finding.edits or written.spans.title is None or entry.paper is None:
            continue
        edits = []
        for wrong, true in misspelt_words(entry.mention.title or "", entry.paper.title):
            word = re.compile(rf"(?<!\w){re.escape(wrong)}(?!\w)")
            places = [match.start() for match in word.finditer(known.written.source.text, *written.spans.title)]
            edits += [smallest_edit(places[0], wrong, true)] if len(places) == 1 else []
        yield from _change("title-misspelt", written, finding.message, entry.paper, tuple(edits), *finding.evidence)


def publication_changes(known: KnownList) -> Iterator[Change]:
    """Puts the published version's venue and year in the place of a preprint's, or where the entry names none."""
    for finding, written, entry in known.found["published-version"]:
        publication = _undisputed_publication(entry.paper)
        if finding.edits or entry.paper is None or publication is None:
            continue
        values = known.written.values(entry.paper, venue=publication.venue, year=publication.year)
        if VENUE not in values:
            continue
        edits = _venue_replaced(known, written, values)
        if not edits and written.mention.venue is None:
            edits = _filled_in(known, written, values, _lacking(written))
        if edits:
            evidence = tuple(dict.fromkeys((*finding.evidence, _published_by(publication))))
            yield Change(code=finding.code, line=finding.line, message=finding.message, evidence=evidence, edits=edits)


def _venue_replaced(known: KnownList, written: WrittenEntry, values: Mapping[str, str]) -> tuple[Edit, ...]:
    """Returns the edits that replace "arXiv 2017": its venue, and the year beside it."""
    spans, mention, text = written.spans, written.mention, known.written.source.text
    if spans.venue is None or kind_of(mention.venue) is not Kind.PREPRINT or len(spans.years) > 1:
        return ()
    if re.compile(r"[:./]\S").match(text, spans.venue[1]):
        return ()  # it is part of an identifier, as in arXiv:1706.03762
    words = written_words(values[VENUE], known.written.language_of(written))
    venue = Edit(start=spans.venue[0], end=spans.venue[1], replacement=words)
    if mention.year is None:
        return (venue,)
    if not spans.years or YEAR not in values:
        return ()
    start, end = spans.years[0]
    return venue, Edit(start=start, end=end, replacement=values[SHORT_YEAR if end - start == 2 else YEAR])


def _undisputed_publication(paper: PaperFacts | None) -> Publication | None:
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
    for written, entry in known.pairs:
        if entry.paper is None or written.mention.year is not None or entry.paper.year is None:
            continue
        years = {entry.paper.year, *(item.year for item in entry.paper.publications if item.year)}
        if len(years) == 1 and known.written.siblings(written.mention.section).is_lacking(written, "year"):
            values = known.written.values(entry.paper, venue=None, year=entry.paper.year)
            edits = _filled_in(known, written, values, (YEAR, SHORT_YEAR))
            message = f"the year is missing: {entry.paper.year}"
            yield from _change("missing-year", written, message, entry.paper, edits)


def venue_changes(known: KnownList) -> Iterator[Change]:
    """Fills in the venue where nearly all neighbours have one and all who know of a publication agree on it."""
    for written, entry in known.pairs:
        publication = _undisputed_publication(entry.paper)
        if entry.paper is None or publication is None or written.mention.venue is not None:
            continue
        if written.mention.year not in (None, publication.year):
            continue
        if known.written.siblings(written.mention.section).is_lacking(written, "venue"):
            values = known.written.values(entry.paper, venue=publication.venue, year=publication.year)
            edits = _filled_in(known, written, values, _lacking(written))
            message = f"the venue is missing: {publication.venue} {publication.year}"
            yield from _change("missing-venue", written, message, entry.paper, edits, _published_by(publication))


def missing_link_changes(known: KnownList) -> Iterator[Change]:
    """Puts the paper's address where the neighbours have theirs, with year and venue where only both go together."""
    for _, written, entry in known.found["missing-link"]:
        kinds = {kind_of_address(split_address(span.url)) for span in written.spans.addresses}
        if entry.paper is None or written.form is None or written.mention.url or kinds & {"paper", "pdf"}:
            continue
        publication = _undisputed_publication(entry.paper)
        venue, year = (publication.venue, publication.year) if publication else (None, None)
        values = known.written.values(entry.paper, venue=venue, year=year)
        edits = _filled_in(known, written, values, (ADDRESS,))
        if publication is not None and not edits and written.mention.venue is None:
            edits = _filled_in(known, written, values, (ADDRESS, *_lacking(written)))
        message = f"the link is missing: {values.get(ADDRESS)}"
        yield from _change("missing-link", written, message, entry.paper, edits)


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
        found = filling(written.form, model, "".join(wanted)) if count > 1 else []
        words = [filled(piece, values, known.written.language_of(written)) for _, piece in found]
        if found and not any(each is None or "\n" in each for each in words):
            places = zip(found, words, strict=True)
            return tuple(_in_cell(known.written.source.text, at, each) for (at, _), each in places if each)
    return ()


def _lacking(written: WrittenEntry) -> tuple[str, ...]:
    """Returns the signs of the venue and, of an entry without a year, of that."""
    return (VENUE, YEAR, SHORT_YEAR) if written.mention.year is None else (VENUE,)


def _in_cell(text: str, at: int, words: str) -> Edit:
    """Returns the edit that puts `words` in; an empty cell of a table keeps its width."""
    start = at
    while start and text[start - 1] in " \t":
        start -= 1
    if start == at or text[start - 1 : start] != "|" or text[at : at + 1] != "|":
        return Edit(start=at, end=at, replacement=words)
    return Edit(start=start, end=at, replacement=f" {words} ".ljust(at - start))


# How what is wrong is mended, by code; the kinds with the first claim on a stretch of text first. None: by the edits of
# what a check finds, as all kinds of which `CODES` says what mending them may alter.
_MENDED: Mapping[str, Callable[[KnownList], Iterator[Change]] | None] = {
    "broken-markup": None,
    "empty-link": empty_link_changes,
    "dead-link": dead_link_changes,
    "moved-link": None,
    "dead-anchor": None,
    "missing-link": missing_link_changes,
    "title-misspelt": title_changes,
    "published-version": publication_changes,
    "missing-year": year_changes,
    "missing-venue": venue_changes,
    "doi-address": partial(
        _present_changes,
        code="doi-address",
        present=with_present_resolver,
        what="doi.org in the place of dx.doi.org",
        why="doi.org has taken the place of dx.doi.org",
    ),
    "http-address": partial(
        _present_changes,
        code="http-address",
        present=with_https,
        what="https in the place of http",
        why="{} serves its pages under https, too",
    ),
}
FIXES = {**_MENDED, **{code: None for code, kind in CODES.items() if kind.alters and code not in _MENDED}}


def changes_of(
    text: str,
    entries: Sequence[CheckedEntry],
    findings: Sequence[ListFinding] = (),
    *,
    only: Sequence[str] = (),
    is_off: Callable[[str, int], bool] = lambda _code, _line: False,
) -> tuple[list[Change], list[Change]]:
    """Returns the changes that mend the list `text`, in order, and those that do not go with them or spoil a reading.

    Without findings, only what needs no service is mended. `only` has kinds of `FIXES`, all where empty; `is_off` says
    whether one is switched off on a line.
    """
    known = KnownList(text, entries, findings)
    changes: list[Change] = []
    for code, make in FIXES.items():
        if not only or code in only:
            changes += [  # which a check gives with what it found
                Change(code=code, line=item.line, message=item.message, evidence=item.evidence, edits=item.edits)
                for item in findings
                if item.code == code and item.edits
            ]
            changes += make(known) if make else ()
    markup = known.written.source.markup

    def is_shown(change: Change) -> bool:
        """Returns whether a change is not switched off, and not in code or a comment, which `markup` has blanks for."""
        lines = {change.line}.union(*map(known.written.lines_of, change.edits))
        around = [slice(max(edit.start - 1, 0), edit.end + 1) for edit in change.edits]
        is_in_code = any(text[part].strip() and not markup[part].strip() for part in around)
        return not is_in_code and not any(is_off(change.code, line) for line in lines)

    shown = list(filter(is_shown, changes))
    chosen, left_out = without_conflicts(text, shown)
    sound = sound_changes(text, known.written, chosen)
    return sound, [*left_out, *others_than(sound, chosen)]
