"""The BibTeX entries of the page, as differences from its other columns: written out, they would be half of the page.

`script/entries.js` puts them together again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from warehouse.dashboard.columns import coded
from warehouse.papers.citation_keys import key_of
from warehouse.query.bibliography import UNBRACED, bibtex_fields
from warehouse.tables.declarations import PaperRow

_COLUMNS = ("year", "venue", "doi", "arxiv_id", "primary_category", "s2_paper_id")
# Columns that a field may repeat, and the control character that a form has in place of their value.
_SIGNS = [(column, chr(number)) for number, column in enumerate(_COLUMNS, 1)][::-1]
_ADDRESSES = ("https://doi.org/", "https://arxiv.org/abs/", "https://www.semanticscholar.org/paper/")
_NO_LETTER = re.compile("[^a-z]")
_WORD = re.compile("[a-z0-9]+")


def entry_columns(rows: Iterable[PaperRow], authors: Iterable[str]) -> dict[str, Any]:
    """Returns the entries of `rows`, in their order, as columns; `authors` are theirs as the page has them.

    `forms` are entries without key, title and authors; `keys` a word of the title by its number and what comes after
    author, year and word, or the key behind "="; `titles` and `authors` the parts that differ from the plain ones, each
    behind its number, or the whole text.
    """
    forms, keys, titles, people = [], [], [], []
    for row, text in zip(rows, authors, strict=True):
        kind, fields = bibtex_fields(row)
        names = text.split("; ") if text else []
        keys.append(_key(key_of(row), row, names))
        titles.append(_difference(row["title"].split(" "), fields.pop("title", ""), " "))
        inverted = []
        for name in names:  # the last word first: the plain way to invert a name, which is right for most
            given, blank, family = name.rpartition(" ")
            inverted.append(f"{family}, {given}" if blank else name)
        people.append(_difference(inverted, fields.pop("author", ""), " and "))
        forms.append(_form(kind, fields, row))
    return {"forms": coded(forms), "keys": keys, "titles": titles, "authors": people}


def _form(kind: str, fields: dict[str, str], row: PaperRow) -> str:
    signs = {str(row[column]): sign for column, sign in _SIGNS if row[column] is not None}  # type: ignore[literal-required]
    return ",\n\t".join(
        [kind, *[f"{name} = {_written(name, _with_sign(value, signs))}" for name, value in fields.items()]]
    )


def _written(name: str, value: str) -> str:
    return value if name in UNBRACED else f"{{{value}}}"


def _with_sign(value: str, signs: dict[str, str]) -> str:
    """Returns `value` with the sign of the column that it repeats, also where it is that column's address."""
    if value in signs:
        return signs[value]
    for base in _ADDRESSES:
        if value.startswith(base) and value[len(base) :] in signs:
            return base + signs[value[len(base) :]]
    return value


def _key(key: str, row: PaperRow, names: Sequence[str]) -> str:
    author = _NO_LETTER.sub("", names[0].rpartition(" ")[2].lower()) if names else "anon"
    begins = f"{author}{row['year'] or ''}"
    for number, word in enumerate(_WORD.findall(row["title"].lower())[:10]):
        if key.startswith(begins + word):
            return f"{number}{key[len(begins + word) :]}"
    return f"={key}"


def _difference(plain: Sequence[str], text: str, between: str) -> Any:
    """Returns 0 where `text` is the parts of `plain`, else numbers and parts in turn, or `text` where it has others."""
    if text == between.join(plain):
        return 0
    parts = text.split(between)
    if len(parts) != len(plain):
        return text
    differences = [(number, other) for number, other in enumerate(parts) if other != plain[number]]
    return [value for difference in differences for value in difference]
