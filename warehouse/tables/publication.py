"""The tables of what became of papers: retractions, and published versions of preprints.

Each row names its source; sources are never merged.
"""

from __future__ import annotations

from warehouse.tables.schema import COUNT, DAY, FLAG, INSTANT, TEXT, TEXTS, Column, Table

RETRACTIONS = Table(
    "retractions",
    "One row a paper and source that says, or once said, that the paper was retracted.",
    ("paper_id", "source"),
    (
        Column("paper_id", TEXT, "The paper.", required=True),
        Column(
            "source",
            TEXT,
            "Who says so: retraction-watch or openalex; where both tell, the former decides.",
            required=True,
        ),
        Column(
            "retracted",
            FLAG,
            "Whether it is; false where it was reinstated, or the source no longer says so.",
            required=True,
        ),
        Column("retracted_on", DAY, "Day of the notice; NULL where it is not told.", "UTC day"),
        Column("reasons", TEXTS, "The reasons, in the source's words.", required=True),
        Column("notice_doi", TEXT, "DOI of the notice, which may be the paper's own."),
        Column("record", TEXT, "The source's own number: of the notice, or of the work."),
        Column(
            "matched_by", TEXT, "How the paper was recognised: doi, title and authors, or its record.", required=True
        ),
        Column("first_seen_at", INSTANT, "When the lake first had it.", "UTC", required=True),
    ),
)

PUBLISHED_VERSIONS = Table(
    "published_versions",
    "One row a publication of a paper on arXiv and a source that tells of it; a conference's and a journal's are two.",
    ("paper_id", "source", "record"),
    (
        Column("paper_id", TEXT, "The paper.", required=True),
        Column("source", TEXT, "Who tells of it: arxiv (its authors) or dblp.", required=True),
        Column("record", TEXT, "The source's record that says so: the arXiv identifier, or DBLP's key.", required=True),
        Column("kind", TEXT, "conference, journal or collection; NULL where that is not clear."),
        Column(
            "venue", TEXT, "In DBLP's form, or the authors' reference with volume and pages; NULL beside a DOI alone."
        ),
        Column("year", COUNT, "Year of publication; NULL where it is not told.", "year"),
        Column("doi", TEXT, "DOI of this version, in lower case."),
        Column("first_seen_at", INSTANT, "When the lake first had it.", "UTC", required=True),
        Column("gone_at", INSTANT, "When the source was first heard without it; NULL while it tells of it.", "UTC"),
    ),
)
