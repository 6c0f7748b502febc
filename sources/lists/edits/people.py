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
_FIELD_AFTER = re.compile(r"\.\s+(?:[A-Z]|ar[Xx]iv)")
_MARKS = re.compile(r"[\[\]<>*_`]")
# full: Alan M. Turing. initials: A. M. Turing. family first: Turing, Alan. family and initials: Turing A M.
NameForm = Literal["full", "initials", "family first", "family and initials", "family"]


def people_stretch(source: ListText, spans: FieldSpans) -> Stretch | None:
    """Returns where the authors stand, an "et al." behind them among them."""
    if not spans.authors:
        return None
    start, end = spans.authors[0][0], spans.authors[-1][1]
    more = ET_AL.match(source.text, end, spans.entry[1])
    # A full stop behind it may be that of the field, which stands behind names in full, too.
    return start, more.end() - (_FIELD_AFTER.match(source.text, more.end() - 1) is not None) if more else end


class PeopleForm:
    """How a list writes the authors of a paper, learnt from its entries; `usual` tells what they do not show."""

    def __init__(
        self, entries: Iterable[tuple[ListText, Mention, FieldSpans]], usual: PeopleForm | None = None
    ) -> None:
        names: Counter[NameForm] = Counter()
        between: Counter[str] = Counter()
        before_last: Counter[str] = Counter()
        others: Counter[tuple[int, str]] = Counter()
        dots, commas = Counter[bool](), Counter[bool]()
        self._named: Counter[int] = Counter()  # how many entries name so many people, and all of theirs
        for source, mention, spans in entries:
            stretch = people_stretch(source, spans)
            if stretch is None:
                continue
            for author in mention.authors:
                form = _name_form(author)
                names[form] += 1
                commas["," in author] += form in ("family first", "family and initials")
                dots["." in author] += form in ("initials", "family and initials")
            gaps = [source.text[before[1] : after[0]] for before, after in pairwise(spans.authors)]
            gaps = [gap for gap in gaps if not _MARKS.search(gap)]
            rest = source.text[spans.authors[-1][1] : stretch[1] + (source.text[stretch[1] : stretch[1] + 1] == ".")]
            if rest.strip("."):
                others[len(mention.authors), rest] += 1
            else:
                self._named[len(mention.authors)] += 1
                before_last.update(gaps[-1:])
            between.update(gaps if rest else gaps[:-1])
        self.name_form: NameForm | None = names.most_common(1)[0][0] if names else None
        self.is_agreed = bool(names) and 2 * max(names.values()) > names.total()  # whether most names have this form
        self.size = self._named.total() + others.total()  # how many entries name people
        self._is_dotted = dots[True] >= dots[False]  # whether initials have dots
        self._comma = "," if commas[True] >= commas[False] else ""  # what stands behind a family name in front
        self._between: str = between.most_common(1)[0][0] if between else usual._between if usual else ", "
        rest = usual._before_last if usual else self._between
        self._before_last: str = before_last.most_common(1)[0][0] if before_last else rest
        self._others = others

    def written(self, authors: Sequence[str]) -> str | None:
        """Returns `authors` as the list would write them; None where it does not show how."""
        if self.name_form is None or not authors:
            return None
        names = [self._name(author, self.name_form) for author in authors]
        in_full = sum(count for number, count in self._named.items() if number >= len(names))
        if self._others.total() > in_full:
            # How many names stand before an "et al.", with what stands before it; the others are several.
            (number, rest), _ = self._others.most_common(1)[0]
            if len(names) > number + 1:
                return self._between.join(names[:number]) + rest
        return self._before_last.join(filter(None, (self._between.join(names[:-1]), names[-1])))

    def _name(self, author: str, form: NameForm) -> str:
        parts = split_name(author)
        if parts.literal:
            return parts.literal
        family = " ".join(filter(None, (parts.particle, parts.family)))
        behind = f" {parts.suffix}" if parts.suffix else ""
        given = parts.given
        if form == "family":
            return family
        if form not in ("full", "family first"):
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
