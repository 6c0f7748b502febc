"""The forms in which a list writes papers like a given one. Pure.

A list may write a venue behind what has come out alone, and have links to some of its papers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sources.bibliography.venues import Kind, kind_of
from sources.list_edits.form import (
    ADDRESS,
    ARXIV_ID,
    AUTHORS,
    MONTHS,
    NAME,
    SHORT_YEAR,
    VENUE,
    YEAR,
    is_plain,
    is_row,
    without_notes,
    without_other_links,
    without_ratings,
)
from sources.list_edits.siblings import WrittenEntry, usual_forms

LINKED_SHARE = 0.5
"""Share of a section's entries with a link from which a new one has a link as well, where its paper has an address."""
_FEWEST_ALIKE = 4
"""Entries alike in what they say from which their form is a habit."""
_FIELD_NAMES = {
    AUTHORS: "authors",
    YEAR: "a year",
    SHORT_YEAR: "a year",
    VENUE: "a venue",
    ADDRESS: "an address",
    NAME: "the name of a system",
    ARXIV_ID: "an arXiv identifier",
    **dict.fromkeys(MONTHS.values(), "a month"),
}
"""The signs of fields that a paper may lack -> what they are called in messages."""


def usual_forms_for(siblings: Sequence[WrittenEntry], values: Mapping[str, str]) -> list[str]:
    """Returns the forms that several of `siblings` have, those of the ones most like a paper with `values` first."""
    groups = [alike for alike in _most_alike(siblings, values) if len(alike) >= _FEWEST_ALIKE]
    return [form for alike in (*groups, siblings) for form in _usual(alike)]


def _most_alike(siblings: Sequence[WrittenEntry], values: Mapping[str, str]) -> Iterator[list[WrittenEntry]]:
    """Yields the siblings that are published or not as the paper is, and link to the same host; then more of them."""
    published = [entry for entry in siblings if _is_published(entry) == (VENUE in values and not _is_preprint(values))]
    linked = [entry for entry in siblings if entry.form and ADDRESS in entry.form.text]
    if not values.get(ADDRESS) or len(linked) < LINKED_SHARE * len(siblings):
        linked = list(siblings)
    on_arxiv = [
        entry
        for entry in linked
        if ("arxiv.org" in (entry.mention.url or "")) == ("arxiv.org" in values.get(ADDRESS, ""))
    ]
    yield [entry for entry in published if entry in on_arxiv]
    yield [entry for entry in published if entry in linked]
    yield linked


def _is_published(entry: WrittenEntry) -> bool:
    return entry.mention.venue is not None and kind_of(entry.mention.venue) is not Kind.PREPRINT


def _is_preprint(values: Mapping[str, str]) -> bool:
    return kind_of(values.get(VENUE)) is Kind.PREPRINT


def _usual(entries: Sequence[WrittenEntry]) -> list[str]:
    """Returns the forms that several entries have, that of the most first; then those without notes, and ratings.

    Words and pictures that most entries have at the same place are the list's own, and not about one paper.
    """
    whole = usual_forms(entries)
    for form, count in Counter(without_other_links(entry.form.text) for entry in entries if entry.form).items():
        if count >= max(_FEWEST_ALIKE, len(entries) // 2 + 1) and not any(map(str.isdigit, form)):
            whole[form] = count
    own = [without_other_links(entry.form.text) for entry in entries if entry.form and not is_row(entry.form.text)]
    short, unrated = (
        Counter(form for form in forms if form and is_plain(form))
        for forms in (map(without_notes, own), (without_notes(without_ratings(form)) for form in own))
    )
    return [form for forms in (whole, short, unrated) for form, count in forms.most_common() if count > 1]


def obstacle_in(siblings: Sequence[WrittenEntry], values: Mapping[str, str]) -> str:
    """Returns why no form of `siblings` can be filled in: a field that is not known, or words about one paper alone."""
    lacking = [(set(form) & _FIELD_NAMES.keys()) - values.keys() for form in usual_forms(siblings)]
    if not lacking:
        return "each has words of its own beside the fields"
    names = [name for sign, name in _FIELD_NAMES.items() if sign in min(lacking, key=len)]
    return f"they have {' and '.join(names)}, which nobody tells" if names else "their links are named for other places"
