"""How a list writes the authors of a paper. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

from sources.bibliography.names import is_initials, split_name
from sources.lists.checks.list_text import ListText
from sources.lists.edits.spans import FieldSpans, Stretch
from sources.records import Mention

ET_AL = re.compile(r",?\s*([*_]*)(?:et\.?\s*al\.?|and others|等)\1", re.IGNORECASE)
_FIELD_AFTER = re.compile(r"\.\s+(?:[\"“«]?[*_]*[A-Z]|ar[Xx]iv)")
_MARKS = re.compile(r"[\[\]<>*_`]")
# full: Alan M. Turing. initials: A. M. Turing. family first: Turing, Alan. family and initials: Turing A M. The first
# alone may have its family name first, as MLA has it: "Turing, Alan, and Kurt Gödel", "Turing, Alan, et al."
NameForm = Literal["full", "initials", "family first", "family and initials", "family", "first reversed"]
_FEWEST = 5  # entries with one person from which a list names the first alone
_FEWEST_OTHERS = 3  # entries with an "et al." from which that is the way of a section
_MOST_IN_MLA = 3  # people who are all named; of more, the first


def people_stretch(source: ListText, spans: FieldSpans) -> Stretch | None:
    """Returns where the authors are, an "et al." behind them among them."""
    if not spans.authors:
        return None
    start, end = spans.authors[0][0], spans.authors[-1][1]
    more = ET_AL.match(source.text, end, spans.entry[1])
    # A full stop behind it may be that of the field, which is behind names in full, too.
    return start, more.end() - (_FIELD_AFTER.match(source.text, more.end() - 1) is not None) if more else end


class PeopleForm:
    """How a list writes the authors of a paper, learnt from its entries; `usual` has what they do not show."""

    def __init__(
        self, entries: Iterable[tuple[ListText, Mention, FieldSpans]], usual: PeopleForm | None = None
    ) -> None:
        names: Counter[NameForm] = Counter()
        between: Counter[str] = Counter()
        last_of_two, before_last = Counter[str](), Counter[str]()
        dots, commas, in_mla = Counter[bool](), Counter[bool](), Counter[bool | None]()
        self._others: Counter[tuple[int, str]] = Counter()  # how many people are before "et al.", and that
        self._named: Counter[int] = Counter()  # how many entries name so many people, and all of theirs
        for source, mention, spans in entries:
            stretch = people_stretch(source, spans)
            if stretch is None:
                continue
            forms = [_name_form(author) for author in mention.authors]
            names.update(forms)
            for author, form in zip(mention.authors, forms, strict=True):
                commas["," in author] += form in ("family first", "family and initials")
                dots["." in author] += form in ("initials", "family and initials")
            gaps = [source.text[before[1] : after[0]] for before, after in pairwise(spans.authors)]
            gaps = [gap for gap in gaps if not _MARKS.search(gap)]
            rest = source.text[spans.authors[-1][1] : stretch[1] + (source.text[stretch[1] : stretch[1] + 1] == ".")]
            has_others = bool(rest.strip("."))
            in_mla[_is_in_mla(forms, has_others=has_others)] += 1
            between.update(gaps if has_others else gaps[:-1])
            if has_others:
                self._others[len(forms), rest] += 1
            elif not ET_AL.search(source.text, stretch[1], spans.entry[1]):
                self._named[len(forms)] += 1
                (last_of_two if len(forms) == 2 else before_last).update(gaps[-1:])
        self.name_form: NameForm | None = names.most_common(1)[0][0] if names else None
        self.is_agreed = bool(names) and 2 * max(names.values()) > names.total()  # whether most names have this form
        self.has_others = self._others.total() >= _FEWEST_OTHERS  # whether several entries have an "et al."
        self.size = self._named.total() + self._others.total()  # how many entries name people
        if in_mla[True] > in_mla[False] or (not in_mla[False] and self.name_form == "family first"):
            self.name_form, self.is_agreed = "first reversed", True
        self._is_dotted = dots[True] >= dots[False]  # whether initials have dots
        self._comma = "," if commas[True] >= commas[False] else ""  # what is behind a family name in front
        self._between: str = _most(between) or (usual._between if usual else ", ")
        last: str = _most(before_last) or _most(last_of_two) or (usual._before_last if usual else self._between)
        self._before_last: str = last
        of_two = _most(last_of_two) or last
        has_commas = self.name_form in ("family first", "family and initials", "first reversed")  # within names
        self._last_of_two = of_two if has_commas else re.sub(r"^,(?=\s*\w)", "", of_two)

    def written(self, authors: Sequence[str]) -> str | None:
        """Returns `authors` as the list would write them; None where it does not show how."""
        form = self.name_form
        if form is None or not authors:
            return None
        if self._named[1] >= max(_FEWEST, 0.8 * self.size):
            authors = authors[:1]  # as the list names the first alone
        rest = "full" if form == "first reversed" else form
        names = [self._name(author, rest if at else form) for at, author in enumerate(authors)]
        in_full = sum(count for number, count in self._named.items() if number >= len(names))
        if self._others.total() > in_full:
            (number, others), _ = self._others.most_common(1)[0]
            number, most = (1, _MOST_IN_MLA) if form == "first reversed" else (number, number + 1)
            if len(names) > most:  # the others are several
                return self._between.join(names[:number]) + others
        last = self._last_of_two if len(names) == 2 else self._before_last
        return last.join(filter(None, (self._between.join(names[:-1]), names[-1])))

    def _name(self, author: str, form: NameForm) -> str:
        parts = split_name(author)
        if parts.literal:
            return parts.literal
        family = " ".join(filter(None, (parts.particle, parts.family)))
        behind = f" {parts.suffix}" if parts.suffix else ""
        given = parts.given
        if form == "family":
            return family
        if form not in ("full", "family first", "first reversed"):
            end = "." if self._is_dotted else ""
            words = [word.split("-") for word in given.replace(".", " ").split()]
            given = " ".join("-".join(f"{part[0].upper()}{end}" for part in word if part) for word in words)
        if form in ("full", "initials"):
            return " ".join(filter(None, (given, family))) + behind
        return f"{family}{behind}{self._comma} {given}".rstrip(" ,")


def _name_form(author: str) -> NameForm:
    words = author.replace(",", " ").split()
    if len(words) < 2:
        return "family"
    if "," in author:
        return "family and initials" if all(map(is_initials, author.split(",", 1)[1].split())) else "family first"
    if is_initials(words[0]) or re.fullmatch(r"(?:[^\W\d_]\.-?)+", words[0]):
        return "initials"
    return "family and initials" if is_initials(words[-1]) else "full"


def _is_in_mla(forms: Sequence[NameForm], *, has_others: bool) -> bool | None:
    """Returns whether names are written as MLA has them; None where that is not clear."""
    if forms[0] == "family first" and len(forms) > 1:
        return set(forms[1:]) <= {"full", "initials"}
    # "Turing, Alan, et al." is read as two people.
    return None if forms == ["family first"] or (has_others and forms == ["family", "family"]) else False


def _most(counts: Counter[str]) -> str:
    return counts.most_common(1)[0][0] if counts else ""
