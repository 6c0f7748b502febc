"""The kinds of dumps: where their rows have identifier and title, and which parser reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sources.bibliography.identifiers import SCHEMES, Scheme
from sources.bounds import FIRST_YEAR, LONGEST_TITLE, MOST_COUNTED
from sources.services.arxiv.dump import deleted_arxiv_id, mended_arxiv_line
from sources.services.dblp.release import WHERE_TO_GET_IT, lines_of_release
from sources.services.dblp.works import SCHEMES as DBLP_SCHEMES
from sources.services.dblp.works import mended_dblp_line
from sources.services.dumps import Mended
from sources.services.openalex.snapshot import mended_work_line, merged_work_id
from sources.services.retraction_watch import WHERE_TO_GET_IT as WHERE_TO_GET_NOTICES
from sources.services.retraction_watch import lines_of_notices, mended_notice_line
from sources.services.semantic_scholar.dump import deleted_corpus_id, mended_s2_line
from warehouse.mirrors.blocks import BLOCK_BYTES, Lines
from warehouse.tables.schema import literal

# Field of a row of Semantic Scholar's papers -> the scheme of its value; the corpus id is a field of its own.
_EXTERNAL = {
    f"externalids.{rule.s2_key}": scheme
    for scheme, rule in SCHEMES.items()
    if rule.s2_key != "CorpusId" and rule.s2_key
}
# Scheme -> SQL for the normal form of a value, where that is not the value itself.
_NORMAL = {"doi": "lower({})", "pmcid": "regexp_replace(upper({}), '^PMC', '')"}
_MARK_AT_END = r"[.,;:'\"!?>)\]}]$"  # of a DOI: part of it or of a sentence, which SQL cannot know

_DAY_FORM = "'[0-9]{4}-[0-9]{2}-[0-9]{2}'"
# Whether what was read as a title was a text with something in it, not a number or a list written as one.
_IS_TEXT = (
    r"NOT regexp_full_match(title, '\s*|[-+0-9.eE]+|true|false')"
    r" AND NOT (regexp_matches(title, '^\s*[\[{]') AND json_valid(title))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A kind of dump."""

    name: str  # as `paperlake mirror import` calls it
    publisher: str  # who publishes its files
    structure: str  # the fields to store, as DuckDB's `json_transform` takes them
    # those of them that are whole numbers. They are read as text: what is no plain number of 64 bits
    # becomes -1, which is not sound; DuckDB's own reading rounds fractions and takes true for 1.
    numbers: tuple[str, ...]
    needed: tuple[str, ...] = ("title",)  # columns that a file of Parquet must have
    key: str  # SQL for the identifier that a row is replaced by, as text
    sound: str  # SQL for rows that need no second look; what is not sound is read again, strictly, by `mend`
    identifiers: str  # SQL for all identifiers of a row, as list of `scheme:value`
    # reads one line strictly and returns it as a sound row in JSON; raises `PayloadError` where it is no paper
    mend: Callable[[bytes], Mended]
    changed_on: str  # SQL for the day on which the source last changed a sound row; NULL where it does not say
    meant: str  # what its files are, for who gave another one
    # returns the key that a line of a file with deletions names, None of a head line; raises `PayloadError` where it
    # names none. None where the source publishes whole files, and no changes.
    deleted: Callable[[bytes], str | None] | None = None
    lines: Lines | None = None  # reads a file of another form as lines of JSON; None where the files are such lines
    block_bytes: int = BLOCK_BYTES  # bytes of a block; more rows in it take more memory
    fewest: int = 0  # a file with fewer papers is not all that the source has, and is refused
    usual: int = 0  # a snapshot with fewer rows is a part, unless the user says that it is all
    where: str = ""  # where to get one that is
    noun: str = "paper"  # what a row is


def _within(number: str, first: int, last: str) -> str:
    return f"({number} IS NULL OR {number} BETWEEN {first} AND {last})"


def _past(moment: str) -> str:
    """Returns SQL for what `sources.bounds.is_past` says of a date or time, NULL where there is none."""
    return f"({moment} >= DATE '{FIRST_YEAR}-01-01' AND {moment} < current_date + 2)"


def _is_past_day(name: str) -> str:
    """Returns SQL for whether a text is a day that has come, or NULL."""
    past = _past(_day(name))
    return f"({name} IS NULL OR (regexp_full_match({name}, {_DAY_FORM}) AND coalesce({past}, false)))"


def _day(name: str) -> str:
    return f"TRY_CAST({name} AS DATE)"


def _has_form(scheme: Scheme, value: str) -> str:
    """Returns SQL for whether a value is in its scheme's normal form, or NULL."""
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


_IS_YEAR = _within("year", FIRST_YEAR, "year(current_date) + 1")
_CREATED = "try_strptime(version.created, '%a, %d %b %Y %H:%M:%S GMT')"

ARXIV = Shape(
    name="arxiv",
    publisher="arXiv",
    usual=2_500_000,  # https://info.arxiv.org/about/reports: that many papers by the middle of 2024
    structure=(
        '{"id": "VARCHAR", "title": "VARCHAR", "abstract": "VARCHAR", "comments": "VARCHAR", "journal-ref": "VARCHAR",'
        ' "doi": "VARCHAR", "categories": "VARCHAR", "update_date": "VARCHAR", "authors_parsed": [["VARCHAR"]],'
        ' "versions": [{"version": "VARCHAR", "created": "VARCHAR"}]}'
    ),
    numbers=(),
    key="id",
    sound=(
        f"regexp_full_match(id, {literal(SCHEMES['arxiv'].form)}) AND {_IS_TEXT} AND {_is_past_day('update_date')}"
        " AND coalesce(list_bool_and(list_transform(versions,"
        f" lambda version: version.created IS NULL OR coalesce({_past(_CREATED)}, false))), true)"
    ),
    identifiers="['arxiv:' || id]",
    mend=mended_arxiv_line,
    changed_on=_day("update_date"),
    meant="arXiv's dump is JSON lines with id and title",
    deleted=deleted_arxiv_id,
)

_COUNTS = ("citationcount", "influentialcitationcount", "referencecount")

S2_PAPERS = Shape(
    name="s2-papers",
    publisher="Semantic Scholar",
    usual=100_000_000,  # the data set "papers" has over 200 million
    structure=(
        '{"corpusid": "VARCHAR", "externalids": {'
        + ", ".join(f'"{field.removeprefix("externalids.")}": "VARCHAR"' for field in _EXTERNAL)
        + '}, "url": "VARCHAR",'
        ' "title": "VARCHAR", "authors": [{"name": "VARCHAR"}], "venue": "VARCHAR", "year": "VARCHAR",'
        ' "publicationdate": "VARCHAR", "citationcount": "VARCHAR", "influentialcitationcount": "VARCHAR",'
        ' "referencecount": "VARCHAR", "s2fieldsofstudy": [{"category": "VARCHAR"}]}'
    ),
    numbers=("corpusid", "year", *_COUNTS),
    key="corpusid::VARCHAR",
    sound=(
        f"corpusid >= 0 AND regexp_full_match(url, 'https://www[.]semanticscholar[.]org/paper/[0-9a-f]{{40}}') AND"
        f" {_IS_TEXT} AND {_IS_YEAR} AND "
        + " AND ".join(_within(name, 0, str(MOST_COUNTED - 1)) for name in _COUNTS)
        + f" AND (publicationdate = '' OR {_is_past_day('publicationdate')})"
        + "".join(f" AND {_has_form(scheme, field)}" for field, scheme in _EXTERNAL.items())
    ),
    identifiers=_listed(
        "'corpus:' || corpusid",
        "'s2:' || right(url, 40)",
        *(_identifier(scheme, field) for field, scheme in _EXTERNAL.items()),
    ),
    mend=mended_s2_line,
    changed_on="NULL::DATE",
    meant="the papers data set is JSON lines with corpusid, url and title",
    deleted=deleted_corpus_id,
)

DBLP = Shape(
    name="dblp",
    publisher="DBLP",
    structure=(
        '{"key": "VARCHAR", "kind": "VARCHAR", "title": "VARCHAR", "authors": ["VARCHAR"], "year": "VARCHAR",'
        ' "venue": "VARCHAR", "pages": "VARCHAR", "doi": "VARCHAR", "arxiv": "VARCHAR", "acl": "VARCHAR",'
        ' "openreview": "VARCHAR", "mdate": "VARCHAR"}'
    ),
    numbers=("year",),
    key="key",
    sound=(
        f"regexp_full_match(key, {literal(SCHEMES['dblp'].form)}) AND title <> '' AND {_IS_YEAR}"
        f" AND {_is_past_day('mdate')}" + "".join(f" AND {_has_form(scheme, scheme)}" for scheme in DBLP_SCHEMES)
    ),
    identifiers=_listed("'dblp:' || key", *(_identifier(scheme, scheme) for scheme in DBLP_SCHEMES)),
    mend=mended_dblp_line,
    changed_on=_day("mdate"),
    meant="DBLP's release is dblp.xml, or N-Triples, with the keys and titles of records",
    lines=lines_of_release,
    block_bytes=BLOCK_BYTES // 4,
    fewest=100_000,
    where=WHERE_TO_GET_IT,
)

RETRACTIONS = Shape(
    name="retractions",
    publisher="Retraction Watch",
    structure=(
        '{"record": "VARCHAR", "title": "VARCHAR", "authors": ["VARCHAR"], "doi": "VARCHAR", "original_on": "VARCHAR",'
        ' "notice_doi": "VARCHAR", "noticed_on": "VARCHAR", "nature": "VARCHAR", "reasons": ["VARCHAR"]}'
    ),
    numbers=(),
    key="record",
    sound="false",  # so few rows are all read by `mend`
    identifiers=_listed(_identifier("doi", "doi")),
    mend=mended_notice_line,
    changed_on=_day("noticed_on"),
    meant="Retraction Watch's file is a CSV of notices with their papers",
    lines=lines_of_notices,
    block_bytes=BLOCK_BYTES // 4,
    fewest=40_000,
    where=WHERE_TO_GET_NOTICES,
    noun="notice",
)

_PLACE = (
    '{"landing_page_url": "VARCHAR", "version": "VARCHAR", "is_oa": "BOOLEAN",'
    ' "source": {"display_name": "VARCHAR", "type": "VARCHAR"}}'
)
_WORK = r"https://openalex[.]org/W[1-9]\d{0,17}"
_BARE_DOI = "replace(doi, 'https://doi.org/', '')"
_PAGE = "lower(coalesce(place.landing_page_url, ''))"
# The DOIs of a work's places: that which arXiv gives its paper, or that of the page.
_ARXIV_PAGE = literal(r"arxiv[.]org/(?:abs|pdf)/([^?#]+?)(?:v[0-9]+)?(?:[.]pdf)?$")
_PLACES = (
    f"list_transform(locations, lambda place: CASE WHEN regexp_matches({_PAGE}, {_ARXIV_PAGE})"
    f" THEN 'doi:10.48550/arxiv.' || regexp_extract({_PAGE}, {_ARXIV_PAGE}, 1)"
    f" WHEN contains({_PAGE}, 'doi.org/') THEN 'doi:' || split_part({_PAGE}, 'doi.org/', 2) END)"
)
_ALL_WORKS = f"list_bool_and(list_transform(referenced_works, lambda work: regexp_full_match(work, '{_WORK}')))"
_ALL_COUNTS = (
    "list_bool_and(list_transform(counts_by_year, lambda item: coalesce(regexp_full_match(item.year, '[12][0-9]{3}')"
    " AND regexp_full_match(item.cited_by_count, '[0-9]{1,8}'), false)))"
)
_CHANGED = "TRY_CAST(left(updated_date, 10) AS DATE)"

OPENALEX = Shape(
    name="openalex",
    publisher="OpenAlex",
    usual=200_000_000,  # https://help.openalex.org/access/snapshot: over 250 million works in 2024
    structure=(
        '{"id": "VARCHAR", "doi": "VARCHAR", "title": "VARCHAR", "publication_year": "VARCHAR",'
        ' "publication_date": "VARCHAR", "type": "VARCHAR", "cited_by_count": "VARCHAR",'
        ' "counts_by_year": [{"year": "VARCHAR", "cited_by_count": "VARCHAR"}], "referenced_works": ["VARCHAR"],'
        ' "referenced_works_count": "VARCHAR", "authorships": [{"author": {"id": "VARCHAR", "display_name": "VARCHAR",'
        ' "orcid": "VARCHAR"}, "raw_author_name": "VARCHAR", "institutions": [{"display_name": "VARCHAR"}]}],'
        ' "topics": [{"display_name": "VARCHAR"}], "is_retracted": "VARCHAR",'
        ' "open_access": {"oa_status": "VARCHAR", "oa_url": "VARCHAR"},'
        f' "primary_location": {_PLACE}, "locations": [{_PLACE}], "updated_date": "VARCHAR"}}'
    ),
    numbers=("publication_year", "cited_by_count", "referenced_works_count"),
    key="id",
    sound=(
        f"regexp_full_match(id, '{_WORK}') AND (title IS NULL OR length(title) <= {LONGEST_TITLE} AND {_IS_TEXT})"
        f" AND {_within('publication_year', FIRST_YEAR, 'year(current_date) + 1')}"
        f" AND {_within('cited_by_count', 0, str(MOST_COUNTED - 1))}"
        f" AND {_within('referenced_works_count', 0, str(MOST_COUNTED - 1))}"
        f" AND (publication_date IS NULL OR regexp_full_match(publication_date, {_DAY_FORM})"
        f" AND coalesce(year({_day('publication_date')}), 0) BETWEEN {FIRST_YEAR} AND year(current_date) + 1)"
        f" AND (doi IS NULL OR starts_with(doi, 'https://doi.org/') AND {_has_form('doi', _BARE_DOI)})"
        f" AND coalesce(is_retracted, 'true') IN ('true', 'false')"
        f" AND coalesce({_ALL_WORKS}, true) AND coalesce({_ALL_COUNTS}, true)"
        f" AND (updated_date IS NULL OR coalesce({_past(_CHANGED)}, false))"
    ),
    # A work has terms of what it cites, too: the works that cite one are found as the paper of an identifier is.
    identifiers=(
        f"list_distinct(list_concat(['openalex:' || right(id, -21)], [{_identifier('doi', _BARE_DOI)}], {_PLACES},"
        " list_transform(referenced_works, lambda work: 'cites:' || right(work, -21))))"
    ),
    mend=mended_work_line,
    changed_on=_CHANGED,
    meant="the snapshot's works are JSON lines, or Parquet, with id, title and referenced_works",
    deleted=merged_work_id,
    needed=("id", "title", "referenced_works", "authorships", "locations"),
    noun="work",
)

SHAPES: Mapping[str, Shape] = {shape.name: shape for shape in (ARXIV, S2_PAPERS, DBLP, RETRACTIONS, OPENALEX)}
