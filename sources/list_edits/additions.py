"""A new entry as the list would write it, and where it belongs. Pure.

The form is learnt from the section's other entries. What comes out is read again before it is offered: an entry that
does not read as the paper, or that changes how another entry reads, is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from sources.bibliography.titles import title_key
from sources.bibliography.venues import Kind, kind_of
from sources.errors import UsageError
from sources.list_checks.findings import Edit, PaperFacts
from sources.list_edits.alike import LINKED_SHARE, obstacle_in, usual_forms_for
from sources.list_edits.edits import Change, apply_edits
from sources.list_edits.form import (
    ADDRESS,
    ARXIV_ID,
    NUMBER,
    TITLE,
    is_plain,
    is_row,
    without_other_links,
    without_ratings,
)
from sources.list_edits.positions import Position, position_of, renumbering
from sources.list_edits.sections import section_named, shown_section
from sources.list_edits.siblings import WrittenEntry, WrittenList, filled, pdf_of, usual_forms
from sources.list_edits.tables import BAR, fitted
from sources.reading_list import parse_reading_list
from sources.records import Mention

_LINES_BEFORE = 2
"""Lines before the first entry of a section that belong to it, such as the head of a table."""
_INDENT = re.compile(r"[ \t>]*(?:[-*+]|\ue008[.)])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """A new entry as text, and where it is put."""

    words: str
    position: Position


def addition(text: str, paper: PaperFacts, *, section: str | None = None, url: str | None = None) -> Change:
    """Returns the change that adds `paper` to the list `text`, in the list's own form.

    Args:
        text: The list as decoded.
        paper: What is known of the paper.
        section: The heading under which it goes; None where the list has one section, or one for each year.
        url: The address that its entry is to lead to; None for the paper's own, in the form that the list uses.

    Raises:
        UsageError: The paper stands in the list already, the section is not clear, or no entry's form can be copied.
    """
    mentions = parse_reading_list(text).mentions
    written = WrittenList(text, mentions)
    _refuse_known(mentions, paper)
    place = section_named(mentions, section, paper.year)
    siblings = written.siblings(place).entries
    if not siblings:
        raise UsageError(f"no entry of {shown_section(place)} shows how the list writes one; write it there by hand")
    tried = None
    for tried in _fitting(written, siblings, paper, url=url):
        change = _change(written, siblings, tried, paper)
        if _reads_well(text, mentions, change, paper):
            return change
    why = f"{obstacle_in(siblings, _values(written, paper, url))} (see line {siblings[-1].mention.line})"
    if tried is not None:
        words = " ".join(tried.words.split())
        why = f"in their form it would not be read as this paper, or others would be read otherwise: {words[:120]}"
    raise UsageError(
        f"no entry of {shown_section(place)} can be copied for this paper: {why}; write it by hand, or name another"
        " section with --section"
    )


def shown_entries(text: str, papers: Iterable[tuple[PaperFacts, str | None]]) -> list[str | None]:
    """Returns the entry of each paper as the list would write it, None where no form can be copied; to be shown only.

    The list is read once. An entry is read again in its section only, and not, as by `addition`, in the whole list.

    Args:
        text: The list as decoded.
        papers: Papers that the list does not have, each with the heading under which it may go.
    """
    mentions = parse_reading_list(text).mentions
    written = WrittenList(text, mentions)
    return [_entry_of(written, mentions, paper, section) for paper, section in papers]


def _entry_of(written: WrittenList, mentions: Sequence[Mention], paper: PaperFacts, section: str | None) -> str | None:
    for name in dict.fromkeys((section, None)):
        with suppress(UsageError):
            siblings = written.siblings(section_named(mentions, name, paper.year)).entries
            for entry in _fitting(written, siblings, paper, url=None):
                if _reads_beside(written, siblings, _change(written, siblings, entry, paper), paper):
                    return entry.words
    return None


def _reads_beside(written: WrittenList, siblings: Sequence[WrittenEntry], change: Change, paper: PaperFacts) -> bool:
    """Returns whether the part of the list with these entries, with the change made, reads as `_reads_well` has it."""
    text = written.source.text
    first = min(siblings[0].spans.entry[0], *(edit.start for edit in change.edits))
    for _ in range(_LINES_BEFORE + 1):
        first = max(0, text.rfind("\n", 0, first))
    last = max(siblings[-1].spans.entry[1], *(edit.end for edit in change.edits))
    part = text[first:last]
    edits = tuple(replace(edit, start=edit.start - first, end=edit.end - first) for edit in change.edits)
    return _reads_well(part, parse_reading_list(part).mentions, replace(change, edits=edits), paper)


def _fitting(
    written: WrittenList, siblings: Sequence[WrittenEntry], paper: PaperFacts, *, url: str | None
) -> Iterable[_Written]:
    """Yields the possible entries of a paper, of which each has its address where most of the others have one."""
    values = _values(written, paper, url)
    has_links = sum(bool(entry.mention.url) for entry in siblings) > LINKED_SHARE * len(siblings)
    for entry in _possible(written, siblings, values, paper):
        if not has_links or _leads_to(entry.words, values):
            yield entry


def _leads_to(words: str, values: Mapping[str, str]) -> bool:
    """Returns whether an entry has the paper's address, or its arXiv identifier."""
    address = values.get(ADDRESS, "")
    return any(item in words for item in (address, pdf_of(address), values.get(ARXIV_ID) or address))


def _refuse_known(mentions: Iterable[Mention], paper: PaperFacts) -> None:
    own = {("arxiv", paper.arxiv_id), ("doi", paper.doi), *((item.scheme, item.value) for item in paper.identifiers)}
    key = title_key(paper.title)
    for mention in mentions:
        by_identifier = any((item.scheme, item.value) in own for item in mention.identifiers)
        if by_identifier or (key and title_key(mention.title or "") == key):
            how = "with the same identifier" if by_identifier else "under the same title"
            raise UsageError(f"line {mention.line} has this paper already, {how}: {mention.title or mention.url}")


def _values(written: WrittenList, paper: PaperFacts, url: str | None) -> dict[str, str]:
    publication = next((item for item in paper.publications if item.venue and item.year), None)
    venue = publication.venue if publication else paper.venue
    values = written.values(paper, venue=venue, year=publication.year if publication else paper.year)
    if publication is None and kind_of(venue) is Kind.PREPRINT and paper.arxiv_id:
        values |= written.preprint_values()
    return values | ({ADDRESS: url} if url else {})


def _possible(
    written: WrittenList, siblings: Sequence[WrittenEntry], values: Mapping[str, str], paper: PaperFacts
) -> Iterable[_Written]:
    """Yields the entry in the forms that siblings have, that of the most alike first, then that of the nearest."""
    text = written.source.text
    usual = usual_forms_for(siblings, values)
    nearest = [_without_blank_end(without_other_links(entry.form.text)) for entry in reversed(siblings) if entry.form]
    elsewhere = [form for form, count in usual_forms(written.entries).most_common() if count > 2]
    for form in dict.fromkeys([*usual, *filter(is_plain, nearest), *elsewhere]):
        run = [entry for entry in siblings if _is_alike(entry, form)]
        if not run or form.startswith("|"):
            continue
        position = position_of(written, run, paper)
        words = filled(form, {**values, NUMBER: position.number})
        if words is not None:
            yield _Written(words=words, position=position)
    rows = [entry for entry in siblings if is_row(text[slice(*entry.spans.entry)])]
    if rows:
        position = position_of(written, rows, paper)
        words = _row(text, rows, {**values, NUMBER: position.number})
        if words is not None:
            yield _Written(words=words, position=position)


def _without_blank_end(form: str) -> str:
    """Returns a form without the one blank at its end, which means nothing; two break the line."""
    return form[:-1] if form.endswith(" ") and not form.endswith("  ") else form


def _is_alike(entry: WrittenEntry, form: str) -> bool:
    """Returns whether an entry begins with the indentation and the bullet of a form."""
    own, other = (_INDENT.match(text) for text in (entry.form.text if entry.form else "", form))
    return own is not None and other is not None and own[0] == other[0]


def _change(written: WrittenList, siblings: Sequence[WrittenEntry], entry: _Written, paper: PaperFacts) -> Change:
    source, position = written.source, entry.position
    end = source.line_end
    gap = position.between
    words = f"{entry.words}{gap}{end}" if position.before else f"{end}{gap}{entry.words}"
    edits = (Edit(start=position.at, end=position.at, replacement=words), *renumbering(written, siblings, position))
    return Change(
        code="addition",
        line=source.line_of(position.at) + (0 if position.before else 1),
        message=f"“{paper.title}” is added",
        evidence=(position.why,),
        edits=edits,
    )


def _reads_well(text: str, mentions: Sequence[Mention], change: Change, paper: PaperFacts) -> bool:
    """Returns whether the list, with the change made, reads as before but for one mention more, which is the paper."""
    after = parse_reading_list(apply_edits(text, change.edits)).mentions
    new = [at for at, mention in enumerate(after) if title_key(mention.title or "") == title_key(paper.title)]
    if len(new) != 1 or len(after) != len(mentions) + 1:
        return False
    others = [_reading(mention) for at, mention in enumerate(after) if at != new[0]]
    mention = after[new[0]]
    if mention.struck:  # as the entries of what was read are
        return False
    sound = not mention.authors or not paper.authors or len(mention.authors) <= len(paper.authors)
    return sound and others == [_reading(item) for item in mentions]


def _reading(mention: Mention) -> tuple[object, ...]:
    return (mention.title, mention.name, mention.authors, mention.year, mention.venue, mention.url, mention.identifiers)


def _row(text: str, rows: Sequence[WrittenEntry], values: Mapping[str, str]) -> str | None:
    """Returns a row with `values` in its cells; a cell whose value is not known is empty. None without a title.

    Every cell has the form that it has in most of `rows`, and the width that it has in all, else in the last two.
    """
    forms = [BAR.split(entry.form.text) for entry in rows if entry.form is not None]
    size = Counter(map(len, forms)).most_common(1)[0][0] if forms else 0
    forms = [cells for cells in forms if len(cells) == size]
    cells = [_cell([form[column] for form in forms], values) for column in range(size)]
    patterns = [BAR.split(text[slice(*row.spans.entry)]) for row in rows]
    has_title = any(TITLE in form[column] and cells[column] for form in forms for column in range(size))
    patterns = [pattern for pattern in patterns if len(pattern) == size]
    if not has_title or not patterns:
        return None
    columns = [[pattern[column] for pattern in patterns] for column in range(size)]
    above = patterns[-2] if len(patterns) > 1 else [""] * size
    pairs = zip(cells, columns, strict=True)
    aligned = [fitted(cell, column) if len(rows) > 1 else None for cell, column in pairs]
    return "|".join(
        fit if fit is not None else _padded(cell, like) if len(like) == len(other) else _beside(cell, like)
        for cell, fit, like, other in zip(cells, aligned, patterns[-1], above, strict=True)
    )


def _cell(forms: Sequence[str], values: Mapping[str, str]) -> str:
    usual = Counter(without_other_links(form) for form in forms)
    unrated = Counter(without_ratings(form) for form in usual.elements())
    for form, _ in (*usual.most_common(), *unrated.most_common()):
        words = filled(form, values) if is_plain(form) and _holds_field(form) else None
        if words is not None:
            return words
    first, count = usual.most_common(1)[0]
    is_mark = not any(map(str.isalnum, first)) and not _holds_field(first) and without_ratings(first) == first
    return first if is_mark and 2 * count > len(forms) else ""


def _holds_field(form: str) -> bool:
    return any("\ue000" <= sign <= "\uf8ff" for sign in form)


def _beside(cell: str, like: str) -> str:
    """Returns a cell with one blank at the most at each edge, where another one has blanks; an empty one as that."""
    if not cell and not like.strip():
        return like
    left, right = (" " if like[at : at + 1].isspace() else "" for at in (0, len(like) - 1))
    return f"{left}{cell}{right}" if cell else left or right


def _padded(cell: str, like: str) -> str:
    """Returns a cell with the blanks that another one has at its edges, and at least as wide where that is wide."""
    if not like.strip():
        return f" {cell} ".ljust(len(like)) if cell else like
    left = like[: len(like) - len(like.lstrip())]
    right = like[len(like.rstrip()) :]
    if not cell:
        return " " * len(like) if left or right else ""
    return (left[:1] + cell + right[:1]).ljust(len(like)) if len(right) > 1 else left[:1] + cell + right[:1]
