"""How a list words the fields of its entries: names of authors, venues, addresses. Learnt from its entries. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from sources.bibliography.identifiers import Identifier
from sources.bibliography.names import is_initials, split_name
from sources.bibliography.venues import Kind, kind_of, same_venue
from sources.list_checks.findings import PaperFacts
from sources.list_checks.list_text import ListText
from sources.list_edits.form import people_stretch
from sources.list_edits.spans import FieldSpans
from sources.list_edits.writing import doi_address
from sources.records import Mention

NameForm = Literal["full", "initials", "family first", "family and initials", "family"]
"""full: Alan M. Turing. initials: A. M. Turing. family first: Turing, Alan. family and initials: Turing A M."""

_ARXIV = re.compile(
    r"https?://(?:www\.|export\.)?arxiv\.org/(abs|pdf|html)/[^\s?#]*?(?:v\d+)?(\.pdf)?/?$", re.IGNORECASE
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_FEWEST = 3
"""Entries from which something is a habit of a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleForm:
    """How a list writes the authors of a paper.

    Attributes:
        name: The form of a name.
        dotted: Whether initials have dots.
        comma: Whether a comma stands behind a family name that stands first.
        between: What stands between two names.
        before_last: What stands before the last name.
        named: How many names stand before an "et al."; None where the list names everybody.
        longest: The most names that stand without one.
        others: The "et al." with what stands before it.
    """

    name: NameForm
    dotted: bool = True
    comma: bool = True
    between: str = ", "
    before_last: str = ", "
    named: int | None = None
    longest: int = 0
    others: str = ""

    def written(self, authors: Sequence[str]) -> str:
        """Returns `authors` as the list would write them."""
        names = [self._name(author) for author in authors]
        if self.named is not None and len(names) > max(self.named, self.longest):
            return self.between.join(names[: self.named]) + self.others
        if len(names) < 2:
            return "".join(names)
        return self.between.join(names[:-1]) + self.before_last + names[-1]

    def _name(self, author: str) -> str:
        parts = split_name(author)
        if parts.literal:
            return parts.literal
        family = " ".join(filter(None, (parts.particle, parts.family)))
        behind = f" {parts.suffix}" if parts.suffix else ""
        if self.name == "family":
            return family
        given = parts.given if self.name in ("full", "family first") else self._initials(parts.given)
        if self.name in ("full", "initials"):
            return " ".join(filter(None, (given, family))) + behind
        return f"{family}{behind}{',' if self.comma else ''} {given}".rstrip(" ,")

    def _initials(self, given: str) -> str:
        end = "." if self.dotted else ""
        letters = [
            "-".join(f"{part[0].upper()}{end}" for part in word.split("-") if part)
            for word in given.replace(".", " ").split()
        ]
        return " ".join(letters)


def people_form(entries: Iterable[tuple[ListText, Mention, FieldSpans]]) -> PeopleForm | None:
    """Returns how a list writes authors; None where no entry shows it, or they do not agree in the form of names."""
    names: Counter[NameForm] = Counter()
    between: Counter[str] = Counter()
    before_last: Counter[str] = Counter()
    others: Counter[tuple[int, str]] = Counter()
    longest, dots, commas = 0, Counter[bool](), Counter[bool]()
    for source, mention, spans in entries:
        stretch = people_stretch(source, spans)
        if stretch is None:
            continue
        for author in mention.authors:
            names[_name_form(author)] += 1
            commas["," in author] += _name_form(author) in ("family first", "family and initials")
            dots["." in author] += _name_form(author) in ("initials", "family and initials")
        pairs = pairwise(spans.authors)
        gaps = [source.text[before[1] : after[0]] for before, after in pairs]
        rest = source.text[spans.authors[-1][1] : stretch[1]]
        if rest:
            others[len(mention.authors), rest] += 1
            between.update(gaps)
        else:
            longest = max(longest, len(mention.authors))
            between.update(gaps[:-1])
            before_last.update(gaps[-1:])
    if not names or names.most_common(1)[0][1] < 0.8 * names.total():
        return None
    named = others.most_common(1)[0][0] if others else (None, "")
    joint = _first(between, ", ")
    return PeopleForm(
        name=names.most_common(1)[0][0],
        dotted=dots[True] >= dots[False],
        comma=commas[True] >= commas[False],
        between=joint,
        before_last=_first(before_last, joint),
        named=named[0],
        longest=longest,
        others=named[1],
    )


def _first(counted: Counter[str], otherwise: str) -> str:
    return counted.most_common(1)[0][0] if counted else otherwise


def _name_form(author: str) -> NameForm:
    words = author.replace(",", " ").split()
    if len(words) < 2:
        return "family"
    if "," in author:
        return "family and initials" if all(map(is_initials, author.split(",", 1)[1].split())) else "family first"
    if is_initials(words[0]) or re.fullmatch(r"(?:[^\W\d_]\.-?)+", words[0]):
        return "initials"
    return "family and initials" if is_initials(words[-1]) else "full"


def venue_word(written: Counter[str], true: str) -> str | None:
    """Returns what a list calls the venue `true`; None where none of its entries shows it.

    Args:
        written: The venues of the list's entries, as written: acronyms, the same words before them or none.
        true: The venue as a record has it.
    """
    if not _is_only(_YEAR.sub("", true)):
        return next((word for word in written if word.casefold() == true.casefold()), None)
    same = [(count, word) for word, count in written.items() if same_venue(word, true) and _is_only(word)]
    if same:
        return max(same)[1]
    published = {word: count for word, count in written.items() if kind_of(word) is not Kind.PREPRINT}
    before: Counter[str] = Counter()
    for word, count in published.items():
        head, _, last = word.rpartition(" ")
        if _is_acronym(last):
            before[f"{head} " if head else ""] += count
    words, count = before.most_common(1)[0] if before else ("", 0)
    is_habit = count > 0.8 * sum(published.values()) and count >= _FEWEST and _is_only(words)
    return f"{words}{true}" if is_habit and _is_acronym(true) else None


def _is_acronym(word: str) -> bool:
    return " " not in word and len(word) <= 12 and sum(map(str.isupper, word)) >= 2


def _is_only(word: str) -> bool:
    """Returns whether a venue is nothing but its name: no workshop or track of it, no pages, no remark."""
    return (
        re.search(r"\d|workshop|demo|track|oral|spotlight|poster|best|findings|under review", word, re.IGNORECASE)
        is None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressForm:
    """How a list writes the addresses of papers: what stands before and behind an arXiv identifier."""

    before: str = "https://arxiv.org/abs/"
    behind: str = ""

    def address(self, paper: PaperFacts, label: str = "") -> str | None:
        """Returns the address of `paper`: its preprint's, else its DOI's or that of another identifier; None of others.

        Args:
            paper: What is known of it.
            label: The words of the link; one that says PDF leads to the file.
        """
        return next(self._addresses(paper, label), None)

    def _addresses(self, paper: PaperFacts, label: str) -> Iterator[str]:
        if paper.arxiv_id:
            is_file = re.search(r"\bpdf\b", label, re.IGNORECASE) and "/abs/" in self.before
            yield (
                f"https://arxiv.org/pdf/{paper.arxiv_id}" if is_file else f"{self.before}{paper.arxiv_id}{self.behind}"
            )
        if paper.doi:
            yield doi_address(paper.doi)
        for identifier in paper.identifiers:
            if address := _address_of(identifier):
                yield address


def _address_of(identifier: Identifier) -> str | None:
    places = {"acl": "https://aclanthology.org/", "openreview": "https://openreview.net/forum?id="}
    place = places.get(identifier.scheme)
    return f"{place}{identifier.value}" if place else None


def address_form(mentions: Iterable[Mention]) -> AddressForm:
    """Returns how a list writes addresses of arXiv, most often."""
    kinds: Counter[tuple[str, str]] = Counter()
    for mention in mentions:
        match = _ARXIV.match(mention.url or "")
        if match:
            kinds[match[1].lower(), match[2] or ""] += 1
    if not kinds:
        return AddressForm()
    (page, behind), _ = kinds.most_common(1)[0]
    return AddressForm(before=f"https://arxiv.org/{page}/", behind=behind)
