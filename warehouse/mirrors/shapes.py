"""What tells one kind of dump from another: where its rows keep identifier and title, and who reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sources.arxiv.dump import mended_dump_line
from sources.bibliography.identifiers import SCHEMES, Scheme
from sources.bounds import FIRST_YEAR, MOST_COUNTED
from sources.dump_lines import Mended
from sources.semantic_scholar.dump import mended_papers_line
from warehouse.tables.schema import literal

_DIGITS = 18
"""Of a whole number that fits into 64 bits whatever its digits."""
_EXTERNAL = {
    f"externalids.{rule.s2_key}": scheme
    for scheme, rule in SCHEMES.items()
    if rule.s2_key != "CorpusId" and rule.s2_key
}
"""Field of a row of Semantic Scholar's papers -> the scheme of its value; the corpus id is a field of its own."""
_NORMAL = {"doi": "lower({})", "pmcid": "regexp_replace(upper({}), '^PMC', '')"}
"""Scheme -> SQL for the normal form of a value, where that is not the value itself."""
_MARK_AT_END = r"[.,;:'\"!?>)\]}]$"
"""Of a DOI: whether that is part of it or of a sentence is not for SQL to tell."""

_IS_TEXT = (
    r"NOT regexp_full_match(title, '\s*|[-+0-9.eE]+|true|false')"
    r" AND NOT (regexp_matches(title, '^\s*[\[{]') AND json_valid(title))"
)
"""Whether what was read as a title was a text with something in it, not a number or a list written as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A kind of dump.

    Attributes:
        name: As `paperlake mirror import` calls it.
        structure: The fields that are kept, as DuckDB's `json_transform` takes them.
        numbers: Those of them that are whole numbers. They are read as text: what is no plain number up to
            `_DIGITS` digits becomes -1, which is not sound; DuckDB's own reading rounds fractions and takes true for 1.
        key: SQL for the identifier that a row is replaced by, as text.
        sound: SQL for rows that need no second look; what is not sound is read again, strictly, by `mend`.
        identifiers: SQL for all identifiers of a row, as list of `scheme:value`.
        mend: Reads one line strictly and returns it as a sound row in JSON; raises `PayloadError` where it is no paper.
        told_on: SQL for the day on which the source last changed a sound row; NULL where it does not tell.
    """

    name: str
    structure: str
    numbers: tuple[str, ...]
    key: str
    sound: str
    identifiers: str
    mend: Callable[[bytes], Mended]
    told_on: str

    def numbers_read(self) -> str:
        """Returns SQL that puts numbers into the place of their texts, for a SELECT of all fields."""
        return ", ".join(
            f"CASE WHEN regexp_full_match({name}, '[0-9]{{1,{_DIGITS}}}') THEN CAST({name} AS BIGINT)"
            f" WHEN {name} IS NOT NULL THEN -1 END AS {name}"
            for name in self.numbers
        )


def _within(number: str, first: int, last: str) -> str:
    """Returns SQL for whether a number is within bounds, or not told."""
    return f"({number} IS NULL OR {number} BETWEEN {first} AND {last})"


def _past(moment: str) -> str:
    """Returns SQL for what `sources.bounds.is_past` says of a date or time, NULL where there is none."""
    return f"({moment} >= DATE '{FIRST_YEAR}-01-01' AND {moment} < current_date + 2)"


def _has_form(scheme: Scheme, value: str) -> str:
    """Returns SQL for whether a value is in its scheme's normal form, or not told."""
    form = f"regexp_full_match({_normal(scheme, value)}, {literal(SCHEMES[scheme].form)})"
    if scheme == "doi":
        form += f" AND NOT regexp_matches({value}, {literal(_MARK_AT_END)})"
    return f"(coalesce({value}, '') = '' OR ({form}))"


def _identifier(scheme: Scheme, value: str) -> str:
    return f"CASE WHEN {value} <> '' THEN '{scheme}:' || {_normal(scheme, value)} END"


def _normal(scheme: Scheme, value: str) -> str:
    return _NORMAL.get(scheme, "{}").format(value)


def _listed(*cases: str) -> str:
    return f"list_filter([{', '.join(cases)}], lambda one: one IS NOT NULL)"


_CREATED = "try_strptime(version.created, '%a, %d %b %Y %H:%M:%S GMT')"
_DAY_FORM = "'[0-9]{4}-[0-9]{2}-[0-9]{2}'"
_UPDATED = "TRY_CAST(update_date AS DATE)"

ARXIV = Shape(
    name="arxiv",
    structure=(
        '{"id": "VARCHAR", "title": "VARCHAR", "abstract": "VARCHAR", "comments": "VARCHAR", "journal-ref": "VARCHAR",'
        ' "doi": "VARCHAR", "categories": "VARCHAR", "update_date": "VARCHAR", "authors_parsed": [["VARCHAR"]],'
        ' "versions": [{"version": "VARCHAR", "created": "VARCHAR"}]}'
    ),
    numbers=(),
    key="id",
    sound=(
        f"regexp_full_match(id, {literal(SCHEMES['arxiv'].form)}) AND {_IS_TEXT} AND (update_date IS NULL OR"
        f" (regexp_full_match(update_date, {_DAY_FORM}) AND coalesce({_past(_UPDATED)}, false)))"
        " AND coalesce(list_bool_and(list_transform(versions,"
        f" lambda version: version.created IS NULL OR coalesce({_past(_CREATED)}, false))), true)"
    ),
    identifiers="['arxiv:' || id]",
    mend=mended_dump_line,
    told_on=_UPDATED,
)

S2_PAPERS = Shape(
    name="s2-papers",
    structure=(
        '{"corpusid": "VARCHAR", "externalids": {'
        + ", ".join(f'"{field.removeprefix("externalids.")}": "VARCHAR"' for field in _EXTERNAL)
        + '}, "url": "VARCHAR",'
        ' "title": "VARCHAR", "authors": [{"name": "VARCHAR"}], "venue": "VARCHAR", "year": "VARCHAR",'
        ' "publicationdate": "VARCHAR", "citationcount": "VARCHAR", "influentialcitationcount": "VARCHAR",'
        ' "referencecount": "VARCHAR", "s2fieldsofstudy": [{"category": "VARCHAR"}]}'
    ),
    numbers=("corpusid", "year", "citationcount", "influentialcitationcount", "referencecount"),
    key="corpusid::VARCHAR",
    sound=(
        f"corpusid >= 0 AND regexp_full_match(url, 'https://www[.]semanticscholar[.]org/paper/[0-9a-f]{{40}}') AND"
        f" {_IS_TEXT} AND {_within('year', FIRST_YEAR, 'year(current_date) + 1')}"
        f" AND {_within('citationcount', 0, str(MOST_COUNTED - 1))}"
        f" AND {_within('influentialcitationcount', 0, str(MOST_COUNTED - 1))}"
        f" AND {_within('referencecount', 0, str(MOST_COUNTED - 1))}"
        f" AND (coalesce(publicationdate, '') = '' OR (regexp_full_match(publicationdate, {_DAY_FORM})"
        f" AND coalesce({_past('TRY_CAST(publicationdate AS DATE)')}, false)))"
        + "".join(f" AND {_has_form(scheme, field)}" for field, scheme in _EXTERNAL.items())
    ),
    identifiers=_listed(
        "'corpus:' || corpusid",
        "'s2:' || right(url, 40)",
        *(_identifier(scheme, field) for field, scheme in _EXTERNAL.items()),
    ),
    mend=mended_papers_line,
    told_on="NULL::DATE",
)

SHAPES: Mapping[str, Shape] = {shape.name: shape for shape in (ARXIV, S2_PAPERS)}
Row = dict[str, Any]
