"""What tells one kind of dump from another: where its rows keep identifier and title, and who reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sources.arxiv.dump import mended_dump_line
from sources.identifiers import OLD_ARCHIVES
from sources.semantic_scholar.dump import mended_papers_line
from warehouse.schema import literal

_NEW_ID = r"(0[7-9]|1[0-4])(0[1-9]|1[0-2])\.[0-9]{4}|(1[5-9]|[2-9][0-9])(0[1-9]|1[0-2])\.[0-9]{5}"
_OLD_ID = rf"({'|'.join(sorted(OLD_ARCHIVES))})/[0-9]{{2}}(0[1-9]|1[0-2])[0-9]{{3}}"
_PLAIN_ARXIV_ID = f"({_NEW_ID}|{_OLD_ID})"

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
        key: SQL for the identifier that a row is replaced by, as text.
        sound: SQL for rows that need no second look; what is not sound is read again, strictly, by `mend`.
        identifiers: SQL for all identifiers of a row, as list of `scheme:value`.
        mend: Reads one line strictly and returns it as a sound row in JSON; raises `PayloadError` where it is no paper.
        newest: SQL, over many rows, for the newest date that a dump itself tells; NULL where it tells none.
    """

    name: str
    structure: str
    key: str
    sound: str
    identifiers: str
    mend: Callable[[bytes], str]
    newest: str


def _scheme(scheme: str, value: str, condition: str) -> str:
    return f"CASE WHEN {condition} THEN '{scheme}:' || {value} END"


def _listed(*cases: str) -> str:
    return f"list_filter([{', '.join(cases)}], lambda one: one IS NOT NULL)"


ARXIV = Shape(
    name="arxiv",
    structure=(
        '{"id": "VARCHAR", "title": "VARCHAR", "abstract": "VARCHAR", "comments": "VARCHAR", "journal-ref": "VARCHAR",'
        ' "doi": "VARCHAR", "categories": "VARCHAR", "update_date": "VARCHAR", "authors_parsed": [["VARCHAR"]],'
        ' "versions": [{"version": "VARCHAR", "created": "VARCHAR"}]}'
    ),
    key="id",
    sound=f"regexp_full_match(id, {literal(_PLAIN_ARXIV_ID)}) AND {_IS_TEXT}",
    identifiers="['arxiv:' || id]",
    mend=mended_dump_line,
    newest="max(TRY_CAST(update_date AS DATE))",
)

_DOI = "regexp_full_match(externalids.DOI, '10[.][0-9]{4,9}([.][0-9]+)*/[!-~]+')"
_NUMBER = "regexp_full_match(externalids.{name}, '[0-9]{{1,18}}')"

S2_PAPERS = Shape(
    name="s2-papers",
    structure=(
        '{"corpusid": "BIGINT", "externalids": {"ArXiv": "VARCHAR", "DOI": "VARCHAR", "ACL": "VARCHAR",'
        ' "PubMed": "VARCHAR", "PubMedCentral": "VARCHAR", "MAG": "VARCHAR", "DBLP": "VARCHAR"}, "url": "VARCHAR",'
        ' "title": "VARCHAR", "authors": [{"name": "VARCHAR"}], "venue": "VARCHAR", "year": "BIGINT",'
        ' "publicationdate": "VARCHAR", "citationcount": "BIGINT", "influentialcitationcount": "BIGINT",'
        ' "referencecount": "BIGINT", "s2fieldsofstudy": [{"category": "VARCHAR"}]}'
    ),
    key="corpusid::VARCHAR",
    sound=(
        f"corpusid >= 0 AND regexp_full_match(url, 'https://www[.]semanticscholar[.]org/paper/[0-9a-f]{{40}}') AND"
        f" {_IS_TEXT} AND coalesce(citationcount, 0) >= 0 AND coalesce(influentialcitationcount, 0) >= 0"
        " AND coalesce(referencecount, 0) >= 0"
        " AND (coalesce(publicationdate, '') = '' OR regexp_full_match(publicationdate, '[0-9]{4}-[0-9]{2}-[0-9]{2}'))"
    ),
    identifiers=_listed(
        "'corpus:' || corpusid",
        "'s2:' || right(url, 40)",
        _scheme("arxiv", "externalids.ArXiv", f"regexp_full_match(externalids.ArXiv, {literal(_PLAIN_ARXIV_ID)})"),
        _scheme("doi", "lower(externalids.DOI)", _DOI),
        _scheme("acl", "externalids.ACL", "externalids.ACL <> ''"),
        _scheme("pmid", "externalids.PubMed", _NUMBER.format(name="PubMed")),
        _scheme("pmcid", "replace(upper(externalids.PubMedCentral), 'PMC', '')", "externalids.PubMedCentral <> ''"),
        _scheme("mag", "externalids.MAG", _NUMBER.format(name="MAG")),
        _scheme("dblp", "externalids.DBLP", "externalids.DBLP <> ''"),
    ),
    mend=mended_papers_line,
    newest="NULL::DATE",
)

SHAPES: Mapping[str, Shape] = {shape.name: shape for shape in (ARXIV, S2_PAPERS)}
Row = dict[str, Any]
