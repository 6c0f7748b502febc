"""The entries of a list with their places and forms, and what they have in common. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

from sources.bibliography.identifiers import ArxivId
from sources.bibliography.venues import Kind, kind_of
from sources.list_checks.findings import Edit, Entry, ListFinding, PaperFacts
from sources.list_checks.list_text import ListText
from sources.list_edits.definitions import Definition, definitions_of
from sources.list_edits.form import (
    ADDRESS,
    ARXIV_ID,
    AUTHORS,
    MONTHS,
    NAME,
    SHORT_YEAR,
    SLOTS,
    TITLE,
    VENUE,
    YEAR,
    Form,
    form_of,
    is_plain,
    label_fits,
    label_of,
    without_other_links,
)
from sources.list_edits.spans import FieldSpans, first_line_of, spans_of
from sources.list_edits.wording import AddressForm, PeopleForm, address_form, people_form, venue_word
from sources.list_edits.writing import Language, address_for, markdown_address, written_words
from sources.reading_list.markdown.marked_text import markdown
from sources.records import SERVICE_NAMES, Mention


@dataclass(frozen=True, eq=False)
class WrittenEntry:
    """An entry of a list with its place in the text and its form.

    Attributes:
        mention: The mention as parsed.
        spans: Where its fields stand.
        form: The form it is written in; None where its title was not found in its lines.
    """

    mention: Mention
    spans: FieldSpans
    form: Form | None


@dataclass(frozen=True, eq=False)
class Siblings:
    """The entries of a section that have a form, and what they have in common, counted once for all of them."""

    entries: Sequence[WrittenEntry]

    @cached_property
    def _forms(self) -> Counter[str]:
        return Counter({form: count for form, count in usual_forms(self.entries).items() if count > 1})

    @cached_property
    def _with_field(self) -> Counter[str]:
        mentions = [entry.mention for entry in self.entries]
        return Counter(name for each in mentions for name in ("year", "venue") if getattr(each, name) is not None)

    def usual_forms_beside(self, entry: WrittenEntry) -> list[tuple[str, int]]:
        """Returns the forms that can be copied of the others than `entry`, with their number, that of the most first.

        Forms that only one entry has are not among them.
        """
        others = self._forms.copy()
        others.subtract(form for form in _copied_forms(entry) if form in others)
        return others.most_common()

    def share_beside(self, entry: WrittenEntry, field: Literal["year", "venue"]) -> tuple[int, float]:
        """Returns the number of others than `entry`, which lacks a field, and the share of them that have it."""
        count = len(self.entries) - (entry.form is not None)
        return count, self._with_field[field] / count if count else 0.0


class WrittenList:
    """A list with its entries as written."""

    def __init__(self, text: str, mentions: Sequence[Mention]) -> None:
        self.source = ListText(text)
        sharing = Counter(map(_lines_of, mentions))
        self.entries = [self._written(mention, sharing[_lines_of(mention)]) for mention in mentions]
        self._venue_word = cache(lambda true: venue_word(self.venues, true))

    def _written(self, mention: Mention, sharing: int) -> WrittenEntry:
        spans = spans_of(self.source, mention, sharing=sharing)
        return WrittenEntry(mention, spans, form_of(self.source, mention, spans))

    @cached_property
    def venues(self) -> Counter[str]:
        """Returns how often each venue is written."""
        return Counter(entry.mention.venue for entry in self.entries if entry.mention.venue)

    @cached_property
    def people(self) -> PeopleForm | None:
        """Returns how the list writes authors."""
        return people_form((self.source, entry.mention, entry.spans) for entry in self.entries)

    @cached_property
    def addresses(self) -> AddressForm:
        """Returns how the list writes addresses of papers."""
        return address_form(entry.mention for entry in self.entries)

    @cached_property
    def definitions(self) -> list[Definition]:
        """Returns the link definitions that entries use."""
        return definitions_of(self.source, [entry.mention for entry in self.entries])

    @cached_property
    def _users(self) -> Mapping[int, frozenset[int]]:
        return {self.source.line_of(each.address.start): each.lines for each in self.definitions}

    def lines_of(self, edit: Edit) -> set[int]:
        """Returns the line of an edit and, of one in a link definition, those of the entries that use it."""
        line = self.source.line_of(edit.start)
        return {line, *self._users.get(line, ())}

    @cached_property
    def _sections(self) -> Mapping[tuple[str, ...], Siblings]:
        sections: defaultdict[tuple[str, ...], list[WrittenEntry]] = defaultdict(list)
        for entry in self.entries:
            if entry.form is not None:
                sections[entry.mention.section].append(entry)
        return {section: Siblings(entries) for section, entries in sections.items()}

    def siblings(self, section: tuple[str, ...]) -> Siblings:
        """Returns the entries of a section that have a form."""
        return self._sections.get(section, Siblings(()))

    @cached_property
    def _html_lines(self) -> frozenset[int]:
        tokens = markdown().parse(self.source.text) if "<" in self.source.text else ()
        ranges = [token.map for token in tokens if token.type == "html_block" and token.map]
        return frozenset(line for first, last in ranges for line in range(first + 1, last + 1))

    def language_of(self, *entries: WrittenEntry) -> Language:
        """Returns what one of `entries` is written in, HTML if one of them is: its references hold in Markdown too."""
        return "html" if any(entry.mention.line in self._html_lines for entry in entries) else "markdown"

    def preprint_values(self) -> dict[str, str]:
        """Returns the venue of a preprint as the list words it, {} where it does not name one."""
        preprints = [(count, word) for word, count in self.venues.items() if kind_of(word) is Kind.PREPRINT]
        return {VENUE: max(preprints)[1]} if preprints else {}

    def values(self, paper: PaperFacts, *, venue: str | None, year: int | None) -> dict[str, str]:
        """Returns the fields of `paper` as this list words them, without those that it does not know how to word."""
        word = self._venue_word(venue) if venue else None
        address = self.addresses.address(paper)
        fields = {
            TITLE: paper.title,
            AUTHORS: self.people.written(paper.authors) if self.people and paper.authors else None,
            YEAR: str(year) if year else None,
            SHORT_YEAR: f"{year % 100:02}" if year else None,
            VENUE: word,
            ADDRESS: markdown_address(address) if address else None,
            NAME: _name_in(paper.title),
            ARXIV_ID: paper.arxiv_id,
            **_months(paper.arxiv_id),
        }
        return {slot: value for slot, value in fields.items() if value}


def _lines_of(mention: Mention) -> tuple[int, int]:
    return first_line_of(mention), mention.last_line


def _months(arxiv_id: str | None) -> dict[str, str]:
    """Returns the year and month in which a paper was brought to arXiv, with each of the marks between them."""
    if not arxiv_id:
        return {}
    month = arxiv_id.rpartition("/")[2][2:4]
    return {sign: f"{ArxivId.parse(arxiv_id).year}{mark}{month}" for mark, sign in MONTHS.items()}


def _name_in(title: str) -> str | None:
    """Returns the system's name that a title begins with: one word before a colon."""
    name, colon, _ = title.partition(":")
    return name if colon and " " not in name else None


def usual_forms(entries: Iterable[WrittenEntry]) -> Counter[str]:
    """Returns how often entries have each form that can be copied for another paper, with and without links to code."""
    return Counter(form for entry in entries for form in _copied_forms(entry))


def _copied_forms(entry: WrittenEntry) -> list[str]:
    """Returns the form of an entry, and that without links to code, as far as they can be copied."""
    if entry.form is None:
        return []
    both = (entry.form.text, without_other_links(entry.form.text))
    return [form for form in dict.fromkeys(both) if is_plain(form)]


_PDF = re.compile(r"\bpdf\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"=\s*[\"']\Z")


def pdf_of(address: str) -> str:
    """Returns the address of the file where `address` is that of arXiv's page about it."""
    return address.replace("://arxiv.org/abs/", "://arxiv.org/pdf/")


def filled(form: str, values: Mapping[str, str], language: Language = "markdown") -> str | None:
    """Returns a form with its fields filled in; None where one is not known, or the link is named for another place.

    Args:
        form: The form of an entry, or a piece of one.
        values: What its fields are to say, not escaped.
        language: What the entry is written in.
    """
    if not label_fits(label_of(form), values.get(ADDRESS, "")):
        return None
    if _PDF.search(label_of(form)):
        values = {**values, ADDRESS: pdf_of(values.get(ADDRESS, ""))}
    parts: list[str] = []
    for at, sign in enumerate(form):
        words = _written(form, at, values.get(sign, ""), language) if sign in SLOTS else sign
        if not words:
            return None
        parts.append(words)
    return "".join(parts)


def _written(form: str, at: int, value: str, language: Language) -> str | None:
    """Returns what is put in the place `at` of a form; None where nothing can be escaped in it, and has to be."""
    if form[at] == ADDRESS:
        return address_for("html" if _ATTRIBUTE.search(form, 0, at) else language, value) if value else None
    words = written_words(value, language)
    if words.endswith("!") and form[at + 1 : at + 2] == "[":
        words = f"{words[:-1]}&#33;"
    return words if words == value or form.count("`", 0, at) % 2 == 0 else None


@dataclass(frozen=True, eq=False)
class KnownList:
    """A list, what is known of its papers, and what was found in it."""

    written: WrittenList
    entries: Sequence[Entry]
    findings: Sequence[ListFinding]

    def pairs(self) -> Iterator[tuple[WrittenEntry, Entry]]:
        """Yields each entry as written with what is known of its paper."""
        yield from zip(self.written.entries, self.entries, strict=True)

    def found(self, code: str) -> Iterator[tuple[ListFinding, WrittenEntry, Entry]]:
        """Yields the findings of a kind, each with the entry that it is about."""
        for finding in self.findings:
            if finding.code == code and finding.line in self._by_line:
                yield finding, *self._by_line[finding.line]

    @cached_property
    def _by_line(self) -> Mapping[int, tuple[WrittenEntry, Entry]]:
        """Returns the first entry of each line."""
        return {written.mention.line: (written, entry) for written, entry in reversed([*self.pairs()])}


def known_by(paper: PaperFacts) -> str:
    """Returns who knows the paper, and as what, as evidence for people."""
    names = [SERVICE_NAMES.get(source, source) for source in paper.sources]
    by = f", by {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))}" if names else ""
    return f"the paper is “{paper.title}”{f' ({paper.year})' if paper.year else ''}{by}"
