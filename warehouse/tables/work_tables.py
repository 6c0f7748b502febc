"""The tables of what OpenAlex tells of a paper beside its counts, declared once; `declarations` lists them too.

Its data is CC0 (https://help.openalex.org/access/pricing), so that all of it may be shown to others.
"""

from __future__ import annotations

from warehouse.tables.schema import COUNT, DAY, FLAG, INSTANT, TEXT, TEXTS, Column, Table

_PAPER_ID = Column("paper_id", TEXT, "The paper.", required=True)
_OBSERVED_AT = Column("observed_at", INSTANT, "When this was first told as it stands here.", "UTC", required=True)

OPENALEX_WORKS = Table(
    "openalex_works",
    "One row a paper that OpenAlex has: its record of it, as last told.",
    ("paper_id",),
    (
        _PAPER_ID,
        Column("openalex_id", TEXT, "OpenAlex's identifier, such as W2741809807; may change likewise.", required=True),
        Column("title", TEXT, "Title as OpenAlex has it.", required=True),
        Column("doi", TEXT, "The DOI of the published version where it knows one, else arXiv's own; in lower case."),
        Column("type", TEXT, "article, preprint, book-chapter, dissertation and the like."),
        Column("year", COUNT, "Year of publication of the version at `venue`.", "year"),
        Column("published_on", DAY, "Day of publication of the version at `venue`.", "UTC day"),
        Column("venue", TEXT, "Where the copy nearest to the version of record is: a journal or a repository."),
        Column("version", TEXT, "Which version that is: publishedVersion, acceptedVersion or submittedVersion."),
        Column("retracted", FLAG, "Whether it is known to be retracted; NULL where not told."),
        Column("topics", TEXTS, "OpenAlex's topics, the likeliest first; empty where not told.", required=True),
        Column("open_access", TEXT, "diamond, gold, green, hybrid, bronze or closed."),
        Column("open_access_url", TEXT, "Where it can be read for nothing."),
        Column(
            "location_urls", TEXTS, "Pages of all versions known, the first that nearest to the record.", required=True
        ),
        Column(
            "location_versions", TEXTS, "Of each of those pages, which version is there; else empty.", required=True
        ),
        Column("citation_count", COUNT, "Inbound citations as last counted; NULL is not told.", "count"),
        Column("refreshed_at", INSTANT, "When the record was last received.", "UTC", required=True),
        Column("reply_sha256", TEXT, "The reply that told it, in `replies`; NULL where the lake has none."),
    ),
)

CITATIONS_BY_YEAR = Table(
    "citations_by_year",
    "One row a paper, source and year: citations of the paper in that year, of the ten years before it was told.",
    ("paper_id", "source", "year"),
    (
        _PAPER_ID,
        Column("source", TEXT, "Who counted: openalex.", required=True),
        Column("year", COUNT, "The year in which the citing works came out.", "year", required=True),
        Column(
            "citation_count", COUNT, "Citations in that year; a year without any has no row.", "count", required=True
        ),
        _OBSERVED_AT,
    ),
)

PAPER_REFERENCES = Table(
    "paper_references",
    "One row a work that a paper cites.",
    ("paper_id", "source", "cited_openalex_id"),
    (
        Column("paper_id", TEXT, "The paper that cites.", required=True),
        Column("source", TEXT, "Who told: openalex.", required=True),
        Column("cited_openalex_id", TEXT, "OpenAlex's identifier of the work that is cited.", required=True),
        Column("cited_paper_id", TEXT, "The paper of this lake that it is; NULL where the lake does not have it."),
        _OBSERVED_AT,
    ),
)

PAPER_AUTHORS = Table(
    "paper_authors",
    "One row an author of a paper; of long lists OpenAlex tells the first hundred.",
    ("paper_id", "source", "position"),
    (
        _PAPER_ID,
        Column("position", COUNT, "Place in the list of authors.", "1-based rank", required=True),
        Column("name", TEXT, "Name as the paper prints it.", required=True),
        Column("source", TEXT, "Who told: openalex.", required=True),
        Column("author_id", TEXT, "The source's identifier of the person, such as A5023888391."),
        Column("orcid", TEXT, "The person's ORCID."),
        Column("institutions", TEXTS, "Institutions that the paper gives for this author.", required=True),
        _OBSERVED_AT,
    ),
)

WORK_TABLES = (OPENALEX_WORKS, CITATIONS_BY_YEAR, PAPER_REFERENCES, PAPER_AUTHORS)
