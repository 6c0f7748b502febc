"""Every table of the lake, declared once. The names are a contract: other people's queries use them.

Where several sources tell of a paper, each row names its source; sources are never merged.
"""

from __future__ import annotations

from sources.services.registry import SOURCES
from warehouse.tables.schema import BYTES, COUNT, DAY, FLAG, INSTANT, REAL, TEXT, TEXTS, Column, Table

READING_LISTS = Table(
    "reading_lists",
    "One row a reading list that was ever read.",
    ("list_id",),
    (
        Column("list_id", TEXT, "Opaque and stable: made from the location.", required=True),
        Column(
            "location",
            TEXT,
            "Where the list was read: a path, an https address, or github:owner/name/path.",
            required=True,
        ),
        Column("title", TEXT, "The list's own title, as its first heading gives it."),
        Column("revision", TEXT, "SHA-256 of the list's bytes as last read.", required=True),
        Column("first_seen_at", INSTANT, "When the list was first read.", "UTC", required=True),
        Column("parsed_at", INSTANT, "When this revision was first parsed.", "UTC", required=True),
        Column("fault", TEXT, "Why the last refresh that named it could not read it; NULL where it could."),
        Column(
            "lines_not_read",
            COUNT,
            "Lines of it that look like entries and are no mention: `paperlake parse LIST --skipped` names them.",
            "lines",
        ),
    ),
)

MENTIONS = Table(
    "mentions",
    "One row an occurrence of a paper in a list, kept also after it has left the list.",
    ("mention_id",),
    (
        Column("mention_id", TEXT, "Opaque and stable: survives moved lines and mended typing errors.", required=True),
        Column("list_id", TEXT, "The list it stands in.", required=True),
        Column(
            "line", COUNT, "Line of the title, or of the link where there is no title.", "1-based line", required=True
        ),
        Column("section", TEXTS, "Headings above it, outermost first.", required=True),
        Column("text", TEXT, "The entry as written.", required=True),
        Column("title", TEXT, "The title as the list writes it."),
        Column("authors", TEXTS, "Names as the list writes them; empty where it names nobody.", required=True),
        Column("year", COUNT, "The year the list states.", "year"),
        Column("venue", TEXT, "The venue the list states."),
        Column("url", TEXT, "The link to the paper itself, as written."),
        Column("arxiv_id", TEXT, "arXiv identifier that stands in the text, without version."),
        Column("doi", TEXT, "DOI that stands in the text, in lower case."),
        Column("struck", FLAG, "Whether the list strikes it out.", required=True),
        Column("notes_urls", TEXTS, "Links to the list owner's own notes on it.", required=True),
        Column("first_seen_at", INSTANT, "When it was first seen.", "UTC", required=True),
        Column(
            "last_seen_at",
            INSTANT,
            "When the newest revision of the list that holds it was first read.",
            "UTC",
            required=True,
        ),
        Column("removed_at", INSTANT, "When it was first missed from its list; NULL while it stands there.", "UTC"),
        Column(
            "status",
            TEXT,
            "resolved, ambiguous, not_found (every source answered) or failed (one could not be asked).",
            required=True,
        ),
        Column("paper_id", TEXT, "The paper behind it; NULL unless resolved."),
        Column(
            "method",
            TEXT,
            "By identifier, known, mirror, title-search, piece-search, best-match, possible-title or review; "
            "NULL unless resolved.",
        ),
        Column("score", REAL, "Strength of the evidence for the paper.", "0 to 1"),
        Column("reason", TEXT, "Why it is not resolved, or what spoke for the paper."),
        Column("asked_at", INSTANT, "When the sources were last asked for it.", "UTC"),
        Column("tries", COUNT, "How often the sources were asked for it without a result.", "count", required=True),
        Column("decision", TEXT, "A person's decision in force: `paper ID`, `no paper` or `not ID, ID`; else NULL."),
        Column("confidence", REAL, "How sure the parser is that it is a mention of a paper.", "0 to 1"),
    ),
)

CANDIDATES = Table(
    "candidates",
    "One row a paper that was weighed for a mention, best first: why a verdict was reached.",
    ("mention_id", "rank"),
    (
        Column("mention_id", TEXT, "The mention.", required=True),
        Column("rank", COUNT, "1 is the best.", "1-based rank", required=True),
        Column("source", TEXT, "Who offered it: lake, mirror, arxiv or s2.", required=True),
        Column("title", TEXT, "Its title.", required=True),
        Column("year", COUNT, "Its year.", "year"),
        Column("arxiv_id", TEXT, "Its arXiv identifier."),
        Column("doi", TEXT, "Its DOI."),
        Column("s2_paper_id", TEXT, "Its Semantic Scholar identifier."),
        Column("score", REAL, "Strength of the evidence.", "0 to 1", required=True),
        Column("reasons", TEXTS, "What spoke for and against it.", required=True),
        Column("authors", TEXTS, "Its authors in order; NULL where not told."),
    ),
)

FINDINGS = Table(
    "findings",
    "One row a thing in a list that its owner would want to know: broken identifiers, links at odds with titles, "
    "retracted papers.",
    ("mention_id", "ordinal"),
    (
        Column("mention_id", TEXT, "The mention.", required=True),
        Column("ordinal", COUNT, "Counts the findings of a mention.", "0-based", required=True),
        Column("code", TEXT, "A fixed word for the kind.", required=True),
        Column("message", TEXT, "One sentence for the owner.", required=True),
        Column("value", TEXT, "The text at fault, as written."),
    ),
)

# The sources that tell a paper's DOI and venue, the one that is believed first.
TELLERS = {"s2": "Semantic Scholar", "arxiv": "arXiv", "dblp": "DBLP", "openalex": "OpenAlex"}

PAPERS = Table(
    "papers",
    "One row a paper, as the sources describe it, with the latest counts.",
    ("paper_id",),
    (
        Column("paper_id", TEXT, "Opaque and stable for life; gaining an identifier changes nothing.", required=True),
        Column("title", TEXT, "Title: arXiv's where it has the paper, else Semantic Scholar's.", required=True),
        Column(
            "title_keys", TEXTS, "The title in the normal forms that look-ups use, the whole one first.", required=True
        ),
        Column("abstract", TEXT, "Abstract."),
        Column("authors", TEXTS, "Authors in order; empty where no source tells.", required=True),
        Column("year", COUNT, "Year of first publication, preprint or venue.", "year"),
        Column("published_on", DAY, "Day of first publication.", "UTC day"),
        Column("venue", TEXT, "Venue: Semantic Scholar's, else arXiv's journal reference, DBLP's, or OpenAlex's."),
        Column("arxiv_id", TEXT, "arXiv identifier, without version."),
        Column("arxiv_version", COUNT, "Newest arXiv version seen.", "version number"),
        Column("doi", TEXT, "Publisher's DOI, in lower case, by the first of the same sources that tells one."),
        Column("s2_paper_id", TEXT, "Semantic Scholar's 40-digit identifier; may change when it merges records."),
        Column("s2_corpus_id", COUNT, "Semantic Scholar's integer identifier; may change likewise."),
        Column("primary_category", TEXT, "arXiv's primary category."),
        Column("categories", TEXTS, "arXiv's categories; empty where arXiv does not have the paper.", required=True),
        Column("fields_of_study", TEXTS, "Semantic Scholar's fields of study; empty where not told.", required=True),
        Column("open_access_pdf_url", TEXT, "An open PDF that Semantic Scholar knows."),
        Column("withdrawn", FLAG, "Whether arXiv says it was withdrawn; NULL where arXiv was not asked."),
        Column(
            "citation_count", COUNT, "Inbound citations as last counted by Semantic Scholar; NULL is not told.", "count"
        ),
        Column(
            "influential_citation_count", COUNT, "The subset Semantic Scholar's model marks as influential.", "count"
        ),
        Column("reference_count", COUNT, "Outbound references; NULL also where the publisher withholds them.", "count"),
        Column("counted_at", INSTANT, "When the counts were observed.", "UTC"),
        Column("first_seen_at", INSTANT, "When the paper entered the lake.", "UTC", required=True),
        Column("refreshed_at", INSTANT, "When its metadata was last received.", "UTC", required=True),
        Column("merged_into", TEXT, "The paper that this row turned out to be; NULL for a paper in its own right."),
        Column("citation_key", TEXT, "Its name in a bibliography, as in vaswani2017attention: given once, and kept."),
        Column("retracted", FLAG, "Whether it was retracted, see `retractions`; NULL where no source says so."),
        Column("pages", TEXT, "Pages in its venue, by DBLP."),
        Column(
            "publication_type",
            TEXT,
            "By DBLP: article, inproceedings, incollection, book, phdthesis, mastersthesis or preprint.",
        ),
        *(
            Column(f"{source}_{name}", TEXT, f"What {told_by} told of `{name}` last; NULL is nothing.")
            for source, told_by in TELLERS.items()
            for name in ("doi", "venue")
        ),
    ),
)

PAPER_IDENTIFIERS = Table(
    "paper_identifiers",
    "One row an identifier of a paper, old ones and those of merged records among them. A DOI that only arXiv tells is "
    "none, as authors type it.",
    ("scheme", "value"),
    (
        Column("paper_id", TEXT, "The paper.", required=True),
        Column(
            "scheme", TEXT, "arxiv, doi, s2, corpus, openreview, acl, pmid, pmcid, mag, dblp, openalex.", required=True
        ),
        Column("value", TEXT, "The identifier in the scheme's normal form.", required=True),
    ),
)

CITATION_COUNTS = Table(
    "citation_counts",
    "One row an observation of a paper's counts. Append-only.",
    ("paper_id", "source", "observed_at"),
    (
        Column("paper_id", TEXT, "The paper.", required=True),
        Column(
            "source",
            TEXT,
            "Who counted: s2 or openalex. Their counts differ, and are never added or compared.",
            required=True,
        ),
        Column("observed_at", INSTANT, "When the reply came.", "UTC", required=True),
        Column("citation_count", COUNT, "Inbound citations.", "count"),
        Column("influential_citation_count", COUNT, "Influential inbound citations.", "count"),
        Column("reference_count", COUNT, "Outbound references.", "count"),
        Column("reply_sha256", TEXT, "The reply that told it, in `replies`; NULL where the lake has none."),
    ),
)

HARVESTS = Table(
    "harvests",
    "One row a paper and source: when the source was last asked for it and what came of it.",
    ("paper_id", "source"),
    (
        Column("paper_id", TEXT, "The paper.", required=True),
        Column("source", TEXT, "arxiv, s2, openalex or dblp.", required=True),
        Column("asked_at", INSTANT, "When it was last asked.", "UTC", required=True),
        Column("status", TEXT, "found, not_found or failed.", required=True),
        Column("tries", COUNT, "How often in a row it was asked without a result.", "count", required=True),
        Column(
            "error",
            TEXT,
            "Why nothing could be had of it; beside `found`, a fault that was believed as it was told in two runs.",
        ),
        Column("reply_sha256", TEXT, "The reply that told of the paper, in `replies`; NULL where the lake has none."),
    ),
)

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

PAPER_CITATIONS = Table(
    "paper_citations",
    "One row a work that cites a paper, as far as OpenAlex was asked: no row does not mean that it does not.",
    ("paper_id", "source", "citing_openalex_id"),
    (
        Column("paper_id", TEXT, "The paper that is cited.", required=True),
        Column("source", TEXT, "Who told: openalex.", required=True),
        Column("citing_openalex_id", TEXT, "OpenAlex's identifier of the work that cites it.", required=True),
        Column("citing_paper_id", TEXT, "The paper of this lake that it is; NULL where the lake does not have it."),
        _OBSERVED_AT,
    ),
)

CITING_HARVESTS = Table(
    "citing_harvests",
    "One row a paper whose citing works a source was asked for: those of a paper with `found` are all in "
    "`paper_citations`.",
    ("paper_id", "source"),
    (
        _PAPER_ID,
        Column("source", TEXT, "Who was asked: openalex.", required=True),
        Column("asked_at", INSTANT, "When it was last asked.", "UTC", required=True),
        Column("status", TEXT, "found, or failed where not all citing works came.", required=True),
        Column("citation_count", COUNT, "Inbound citations as the source counted them then.", "count", required=True),
        Column("citing_count", COUNT, "Citing works that are known; NULL where nothing came yet.", "count"),
        Column("found_at", INSTANT, "When all of them last came; NULL where they never did.", "UTC"),
        Column("tries", COUNT, "How often in a row it was asked without a result.", "count", required=True),
        Column("error", TEXT, "Why they did not come."),
    ),
)

OUTSIDE_WORKS = Table(
    "outside_works",
    "One row a work that the lake does not have and that several listed papers cite, or that cites several of them.",
    ("openalex_id",),
    (
        Column("openalex_id", TEXT, "OpenAlex's identifier.", required=True),
        Column(
            "status",
            TEXT,
            "found; no_paper (a data set, an erratum and the like); not_found (OpenAlex has no such work any more); "
            "failed (its record could not be read).",
            required=True,
        ),
        Column("title", TEXT, "Its title; NULL where its record never came."),
        Column("title_key", TEXT, "The title in the normal form under which equal titles meet."),
        Column("authors", TEXTS, "Names in order, of long lists the first hundred.", required=True),
        Column("year", COUNT, "Year of publication.", "year"),
        Column("doi", TEXT, "Its DOI other than arXiv's own, in lower case."),
        Column("arxiv_id", TEXT, "Its arXiv identifier, without version."),
        Column("venue", TEXT, "The journal, conference or book; NULL where only a repository is known."),
        Column("type", TEXT, "article, preprint, book-chapter, dissertation and the like."),
        Column("citation_count", COUNT, "Inbound citations as last counted; NULL is not told.", "count"),
        Column("reference_count", COUNT, "Works that it cites; NULL is not told.", "count"),
        Column("retracted", FLAG, "Whether it is known to be retracted; NULL where not told."),
        Column(
            "version_of",
            TEXT,
            "The work that it is another version of, by title and authors or an identifier: a `paper_id`, or the "
            "`openalex_id` of another row; NULL for a work in its own right.",
        ),
        Column("refreshed_at", INSTANT, "When OpenAlex was last asked about it.", "UTC", required=True),
        Column("tries", COUNT, "How often in a row it was asked for without a result.", "count", required=True),
        Column("error", TEXT, "Why nothing could be had of it."),
    ),
)

MISSING_SINCE = Table(
    "missing_since",
    "One row a list and work that was once found missing there: since when.",
    ("list_id", "work"),
    (
        Column("list_id", TEXT, "The list; `all` for all lists together.", required=True),
        Column("work", TEXT, "The work: its `paper_id` where the lake has it, else its `openalex_id`.", required=True),
        Column("first_missing_at", INSTANT, "When a refresh first found it missing.", "UTC", required=True),
    ),
)

# What the citation graph needs beside `paper_references`.
GRAPH_TABLES = (PAPER_CITATIONS, CITING_HARVESTS, OUTSIDE_WORKS, MISSING_SINCE)

# What OpenAlex tells of a paper beside its counts; its data is CC0: https://help.openalex.org/access/pricing .
WORK_TABLES = (OPENALEX_WORKS, CITATIONS_BY_YEAR, PAPER_REFERENCES, PAPER_AUTHORS)

REPLIES = Table(
    "replies",
    "One row a reply of a service, as received, so that a later parser never asks again.",
    ("source", "request_key", "fetched_at"),
    (
        Column("source", TEXT, "arxiv, s2 or openalex.", required=True),
        Column("request_key", TEXT, "The question in canonical JSON; holds no secret.", required=True),
        Column("fetched_at", INSTANT, "When it came.", "UTC", required=True),
        Column("status", COUNT, "HTTP status.", "HTTP status code", required=True),
        Column("body", BYTES, "The body, byte for byte.", required=True),
        Column("sha256", TEXT, "SHA-256 of the body.", required=True),
        Column("parser_version", COUNT, "Version of the parser that read it first.", "version number", required=True),
    ),
)

_NOT_ASKED = "; NULL where it was not to be asked"

RUNS = Table(
    "runs",
    "One row a finished refresh, with its summary.",
    ("run_id",),
    (
        Column("run_id", TEXT, "Opaque.", required=True),
        Column("started_at", INSTANT, "When it began.", "UTC", required=True),
        Column("finished_at", INSTANT, "When it was about to commit.", "UTC", required=True),
        Column(
            "status",
            TEXT,
            "completed; completed_with_failures where something could not be asked; reparsed by `lake reparse`.",
            required=True,
        ),
        Column("lists", COUNT, "Lists read.", "count", required=True),
        Column("mentions", COUNT, "Mentions standing in them.", "count", required=True),
        Column("resolved", COUNT, "Mentions with a paper.", "count", required=True),
        Column("ambiguous", COUNT, "Mentions with candidates but no paper chosen.", "count", required=True),
        Column("not_found", COUNT, "Mentions that no source has.", "count", required=True),
        Column("failed", COUNT, "Mentions for which a source could not be asked.", "count", required=True),
        Column("papers", COUNT, "Papers in the lake afterwards.", "count", required=True),
        Column("papers_new", COUNT, "Papers added.", "count", required=True),
        Column("counts_written", COUNT, "Citation counts observed.", "count", required=True),
        Column("seconds_total", REAL, "Duration before the commit.", "seconds", required=True),
        Column("problems", TEXTS, "What failed, a sentence each.", required=True),
        Column("offline", FLAG, "Whether it was told to ask no source.", required=True),
        *(
            Column(
                f"requests_{source.name}",
                COUNT,
                f"Requests sent to {source.label}{_NOT_ASKED * source.is_optional}.",
                "count",
                required=not source.is_optional,
            )
            for source in SOURCES.values()
        ),
    ),
)

RETRACTIONS = Table(
    "retractions",
    "One row a paper and source that says, or once said, that the paper was retracted.",
    ("paper_id", "source"),
    (
        Column("paper_id", TEXT, "The paper.", required=True),
        Column(
            "source",
            TEXT,
            "Who says so: retraction-watch or openalex; where both tell of it now, the former decides.",
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
        Column(
            "record", TEXT, "The source's own number: of the notice, or of the work; NULL where it tells of it no more."
        ),
        Column(
            "matched_by", TEXT, "How the paper was recognised: doi, title and authors, or its record.", required=True
        ),
        Column(
            "first_seen_at",
            INSTANT,
            "Since when the lake has it; one that holds again is a new one.",
            "UTC",
            required=True,
        ),
    ),
)

PUBLISHED_VERSIONS = Table(
    "published_versions",
    "One row a publication of a paper on arXiv and a source that tells of it; a conference's and a journal's are two.",
    ("paper_id", "source", "record"),
    (
        Column("paper_id", TEXT, "The paper.", required=True),
        Column("source", TEXT, "Who tells of it: arxiv (its authors), dblp or openalex.", required=True),
        Column(
            "record",
            TEXT,
            "The source's record that says so: the arXiv identifier, DBLP's key, or the DOI at OpenAlex.",
            required=True,
        ),
        Column("kind", TEXT, "conference, journal or collection; NULL where that is not clear."),
        Column(
            "venue",
            TEXT,
            "In the source's form, or the authors' reference with volume and pages; NULL beside a DOI alone.",
        ),
        Column("year", COUNT, "Year of publication; NULL where it is not told.", "year"),
        Column("doi", TEXT, "DOI of this version, in lower case."),
        Column("first_seen_at", INSTANT, "When the lake first had it.", "UTC", required=True),
        Column("gone_at", INSTANT, "When the source was first heard without it; NULL while it tells of it.", "UTC"),
    ),
)

SCHEMA_MIGRATIONS = Table(
    "schema_migrations",
    "One row a step that brought the lake to its present shape.",
    ("name",),
    (
        Column("name", TEXT, "The step.", required=True),
        Column("applied_at", INSTANT, "When it was taken.", "UTC", required=True),
    ),
)

# Every table, in the order in which they are made.
TABLES = (
    READING_LISTS,
    MENTIONS,
    CANDIDATES,
    FINDINGS,
    PAPERS,
    PAPER_IDENTIFIERS,
    CITATION_COUNTS,
    HARVESTS,
    *WORK_TABLES,
    REPLIES,
    RUNS,
    SCHEMA_MIGRATIONS,
    RETRACTIONS,
    PUBLISHED_VERSIONS,
    *GRAPH_TABLES,
)
