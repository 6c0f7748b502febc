"""Every table of the lake, declared once. The names are a contract: other people's queries use them.

Where several sources tell of a paper, each row names its source; sources are never merged.
"""

from datetime import date, datetime
from typing import Annotated, TypeAlias, TypedDict

from sources.services.registry import SOURCES
from warehouse.tables.schema import COUNT, Column, Table


class ReadingListRow(TypedDict):
    """One row a reading list that was ever read."""

    list_id: Annotated[str, "Opaque and stable: made from the location."]
    location: Annotated[str, "Where the list was read: a path, an https address, or github:owner/name/path."]
    title: Annotated[str | None, "The list's own title, as its first heading gives it."]
    revision: Annotated[str, "SHA-256 of the list's bytes as last read."]
    first_seen_at: Annotated[datetime, "When the list was first read.", "UTC"]
    parsed_at: Annotated[datetime, "When this revision was first parsed.", "UTC"]
    fault: Annotated[str | None, "Why the last refresh that named it could not read it; NULL where it could."]
    lines_not_read: Annotated[
        int | None,
        "Lines of it that look like entries and are no mention: `paperlake parse LIST --skipped` names them.",
        "lines",
    ]


READING_LISTS = Table.of("reading_lists", ReadingListRow, key=("list_id",))


class MentionRow(TypedDict, total=False):
    """One row an occurrence of a paper in a list, kept also after it has left the list."""

    mention_id: Annotated[str, "Opaque and stable: survives moved lines and mended typing errors."]
    list_id: Annotated[str, "The list it stands in."]
    line: Annotated[int, "Line of the title, or of the link where there is no title.", "1-based line"]
    section: Annotated[list[str], "Headings above it, outermost first."]
    text: Annotated[str, "The entry as written."]
    title: Annotated[str | None, "The title as the list writes it."]
    authors: Annotated[list[str], "Names as the list writes them; empty where it names nobody."]
    year: Annotated[int | None, "The year the list states.", "year"]
    venue: Annotated[str | None, "The venue the list states."]
    url: Annotated[str | None, "The link to the paper itself, as written."]
    arxiv_id: Annotated[str | None, "arXiv identifier that stands in the text, without version."]
    doi: Annotated[str | None, "DOI that stands in the text, in lower case."]
    struck: Annotated[bool, "Whether the list strikes it out."]
    notes_urls: Annotated[list[str], "Links to the list owner's own notes on it."]
    first_seen_at: Annotated[datetime, "When it was first seen.", "UTC"]
    last_seen_at: Annotated[datetime, "When the newest revision of the list that holds it was first read.", "UTC"]
    removed_at: Annotated[datetime | None, "When it was first missed from its list; NULL while it stands there.", "UTC"]
    status: Annotated[str, "resolved, ambiguous, not_found (every source answered) or failed (one could not be asked)."]
    paper_id: Annotated[str | None, "The paper behind it; NULL unless resolved."]
    method: Annotated[
        str | None,
        "By identifier, known, citations, mirror, title-search, piece-search, best-match, possible-title or review; "
        "NULL unless resolved.",
    ]
    score: Annotated[float | None, "Strength of the evidence for the paper.", "0 to 1"]
    reason: Annotated[str | None, "Why it is not resolved, or what spoke for the paper."]
    asked_at: Annotated[datetime | None, "When the sources were last asked for it.", "UTC"]
    tries: Annotated[int, "How often the sources were asked for it without a result.", "count"]
    decision: Annotated[str | None, "A person's decision in force: `paper ID`, `no paper` or `not ID, ID`; else NULL."]
    confidence: Annotated[float | None, "How sure the parser is that it is a mention of a paper.", "0 to 1"]


MentionColumns: TypeAlias = MentionRow  # some of its columns
MENTIONS = Table.of("mentions", MentionRow, key=("mention_id",))


class CandidateRow(TypedDict):
    """One row a paper that was weighed for a mention, best first: why a verdict was reached."""

    mention_id: Annotated[str, "The mention."]
    rank: Annotated[int, "1 is the best.", "1-based rank"]
    source: Annotated[str, "Who offered it: lake, mirror, arxiv or s2."]
    title: Annotated[str, "Its title."]
    year: Annotated[int | None, "Its year.", "year"]
    arxiv_id: Annotated[str | None, "Its arXiv identifier."]
    doi: Annotated[str | None, "Its DOI."]
    s2_paper_id: Annotated[str | None, "Its Semantic Scholar identifier."]
    score: Annotated[float, "Strength of the evidence.", "0 to 1"]
    reasons: Annotated[list[str], "What spoke for and against it."]
    authors: Annotated[list[str] | None, "Its authors in order; NULL where not told."]


CANDIDATES = Table.of("candidates", CandidateRow, key=("mention_id", "rank"))


class FindingRow(TypedDict):
    """One row a thing in a list that its owner would want to know.

    Broken identifiers, links at odds with titles, retracted papers.
    """

    mention_id: Annotated[str, "The mention."]
    ordinal: Annotated[int, "Counts the findings of a mention.", "0-based"]
    code: Annotated[str, "A fixed word for the kind."]
    message: Annotated[str, "One sentence for the owner."]
    value: Annotated[str | None, "The text at fault, as written."]


FINDINGS = Table.of("findings", FindingRow, key=("mention_id", "ordinal"))

# The sources that tell a paper's DOI and venue, the one that is believed first.
TELLERS = {"s2": "Semantic Scholar", "arxiv": "arXiv", "dblp": "DBLP", "openalex": "OpenAlex"}


class PaperRow(TypedDict, total=False):
    """One row a paper, as the sources describe it, with the latest counts."""

    paper_id: Annotated[str, "Opaque and stable for life; gaining an identifier changes nothing."]
    title: Annotated[str, "Title: arXiv's where it has the paper, else Semantic Scholar's."]
    title_keys: Annotated[list[str], "The title in the normal forms that look-ups use, the whole one first."]
    abstract: Annotated[str | None, "Abstract."]
    authors: Annotated[list[str], "Authors in order; empty where no source tells."]
    year: Annotated[int | None, "Year of first publication, preprint or venue.", "year"]
    published_on: Annotated[date | None, "Day of first publication.", "UTC day"]
    venue: Annotated[str | None, "Venue: Semantic Scholar's, else arXiv's journal reference, DBLP's, or OpenAlex's."]
    arxiv_id: Annotated[str | None, "arXiv identifier, without version."]
    arxiv_version: Annotated[int | None, "Newest arXiv version seen.", "version number"]
    doi: Annotated[str | None, "Publisher's DOI, in lower case, by the first of the same sources that tells one."]
    s2_paper_id: Annotated[str | None, "Semantic Scholar's 40-digit identifier; may change when it merges records."]
    s2_corpus_id: Annotated[int | None, "Semantic Scholar's integer identifier; may change likewise."]
    primary_category: Annotated[str | None, "arXiv's primary category."]
    categories: Annotated[list[str], "arXiv's categories; empty where arXiv does not have the paper."]
    fields_of_study: Annotated[list[str], "Semantic Scholar's fields of study; empty where not told."]
    open_access_pdf_url: Annotated[str | None, "An open PDF that Semantic Scholar knows."]
    withdrawn: Annotated[bool | None, "Whether arXiv says it was withdrawn; NULL where arXiv was not asked."]
    citation_count: Annotated[
        int | None, "Inbound citations as last counted by Semantic Scholar; NULL is not told.", "count"
    ]
    influential_citation_count: Annotated[
        int | None, "The subset Semantic Scholar's model marks as influential.", "count"
    ]
    reference_count: Annotated[
        int | None, "Outbound references; NULL also where the publisher withholds them.", "count"
    ]
    counted_at: Annotated[datetime | None, "When the counts were observed.", "UTC"]
    first_seen_at: Annotated[datetime, "When the paper entered the lake.", "UTC"]
    refreshed_at: Annotated[datetime, "When its metadata was last received.", "UTC"]
    merged_into: Annotated[str | None, "The paper that this row turned out to be; NULL for a paper in its own right."]
    citation_key: Annotated[str | None, "Its name in a bibliography, as in vaswani2017attention: given once, and kept."]
    retracted: Annotated[bool | None, "Whether it was retracted, see `retractions`; NULL where no source says so."]
    pages: Annotated[str | None, "Pages in its venue, by DBLP."]
    publication_type: Annotated[
        str | None, "By DBLP: article, inproceedings, incollection, book, phdthesis, mastersthesis or preprint."
    ]
    s2_doi: Annotated[str | None, "What Semantic Scholar told of `doi` last; NULL is nothing."]
    s2_venue: Annotated[str | None, "What Semantic Scholar told of `venue` last; NULL is nothing."]
    arxiv_doi: Annotated[str | None, "What arXiv told of `doi` last; NULL is nothing."]
    arxiv_venue: Annotated[str | None, "What arXiv told of `venue` last; NULL is nothing."]
    dblp_doi: Annotated[str | None, "What DBLP told of `doi` last; NULL is nothing."]
    dblp_venue: Annotated[str | None, "What DBLP told of `venue` last; NULL is nothing."]
    openalex_doi: Annotated[str | None, "What OpenAlex told of `doi` last; NULL is nothing."]
    openalex_venue: Annotated[str | None, "What OpenAlex told of `venue` last; NULL is nothing."]


PaperColumns: TypeAlias = PaperRow  # some of its columns
PAPERS = Table.of("papers", PaperRow, key=("paper_id",))


class PaperIdentifierRow(TypedDict):
    """One row an identifier of a paper, old ones and those of merged records among them.

    A DOI that only arXiv tells is none, as authors type it.
    """

    paper_id: Annotated[str, "The paper."]
    scheme: Annotated[str, "arxiv, doi, s2, corpus, openreview, acl, pmid, pmcid, mag, dblp, openalex."]
    value: Annotated[str, "The identifier in the scheme's normal form."]


PAPER_IDENTIFIERS = Table.of("paper_identifiers", PaperIdentifierRow, key=("scheme", "value"))


class CitationCountRow(TypedDict):
    """One row an observation of a paper's counts. Append-only."""

    paper_id: Annotated[str, "The paper."]
    source: Annotated[str, "Who counted: s2 or openalex. Their counts differ, and are never added or compared."]
    observed_at: Annotated[datetime, "When the reply came.", "UTC"]
    citation_count: Annotated[int | None, "Inbound citations.", "count"]
    influential_citation_count: Annotated[int | None, "Influential inbound citations.", "count"]
    reference_count: Annotated[int | None, "Outbound references.", "count"]
    reply_sha256: Annotated[str | None, "The reply that told it, in `replies`; NULL where the lake has none."]


CITATION_COUNTS = Table.of("citation_counts", CitationCountRow, key=("paper_id", "source", "observed_at"))


class HarvestRow(TypedDict):
    """One row a paper and source: when the source was last asked for it and what came of it."""

    paper_id: Annotated[str, "The paper."]
    source: Annotated[str, "arxiv, s2, openalex or dblp."]
    asked_at: Annotated[datetime, "When it was last asked.", "UTC"]
    status: Annotated[str, "found, not_found or failed."]
    tries: Annotated[int, "How often in a row it was asked without a result.", "count"]
    error: Annotated[
        str | None,
        "Why nothing could be had of it; beside `found`, a fault that was believed as it was told in two runs.",
    ]
    reply_sha256: Annotated[str | None, "The reply that told of the paper, in `replies`; NULL where the lake has none."]


HARVESTS = Table.of("harvests", HarvestRow, key=("paper_id", "source"))


class OpenalexWorkRow(TypedDict):
    """One row a paper that OpenAlex has: its record of it, as last told."""

    paper_id: Annotated[str, "The paper."]
    openalex_id: Annotated[str, "OpenAlex's identifier, such as W2741809807; may change likewise."]
    title: Annotated[str, "Title as OpenAlex has it."]
    doi: Annotated[str | None, "The DOI of the published version where it knows one, else arXiv's own; in lower case."]
    type: Annotated[str | None, "article, preprint, book-chapter, dissertation and the like."]
    year: Annotated[int | None, "Year of publication of the version at `venue`.", "year"]
    published_on: Annotated[date | None, "Day of publication of the version at `venue`.", "UTC day"]
    venue: Annotated[str | None, "Where the copy nearest to the version of record is: a journal or a repository."]
    version: Annotated[str | None, "Which version that is: publishedVersion, acceptedVersion or submittedVersion."]
    retracted: Annotated[bool | None, "Whether it is known to be retracted; NULL where not told."]
    topics: Annotated[list[str], "OpenAlex's topics, the likeliest first; empty where not told."]
    open_access: Annotated[str | None, "diamond, gold, green, hybrid, bronze or closed."]
    open_access_url: Annotated[str | None, "Where it can be read for nothing."]
    location_urls: Annotated[list[str], "Pages of all versions known, the first that nearest to the record."]
    location_versions: Annotated[list[str], "Of each of those pages, which version is there; else empty."]
    citation_count: Annotated[int | None, "Inbound citations as last counted; NULL is not told.", "count"]
    refreshed_at: Annotated[datetime, "When the record was last received.", "UTC"]
    reply_sha256: Annotated[str | None, "The reply that told it, in `replies`; NULL where the lake has none."]


OPENALEX_WORKS = Table.of("openalex_works", OpenalexWorkRow, key=("paper_id",))


class CitationsByYearRow(TypedDict):
    """One row a paper, source and year: citations of the paper in that year, of the ten years before it was told."""

    paper_id: Annotated[str, "The paper."]
    source: Annotated[str, "Who counted: openalex."]
    year: Annotated[int, "The year in which the citing works came out.", "year"]
    citation_count: Annotated[int, "Citations in that year; a year without any has no row.", "count"]
    observed_at: Annotated[datetime, "When this was first told as it stands here.", "UTC"]


CITATIONS_BY_YEAR = Table.of("citations_by_year", CitationsByYearRow, key=("paper_id", "source", "year"))


class PaperReferenceRow(TypedDict):
    """One row a work that a paper cites."""

    paper_id: Annotated[str, "The paper that cites."]
    source: Annotated[str, "Who told: openalex."]
    cited_openalex_id: Annotated[str, "OpenAlex's identifier of the work that is cited."]
    cited_paper_id: Annotated[str | None, "The paper of this lake that it is; NULL where the lake does not have it."]
    observed_at: Annotated[datetime, "When this was first told as it stands here.", "UTC"]


PAPER_REFERENCES = Table.of("paper_references", PaperReferenceRow, key=("paper_id", "source", "cited_openalex_id"))


class PaperAuthorRow(TypedDict):
    """One row an author of a paper; of long lists OpenAlex tells the first hundred."""

    paper_id: Annotated[str, "The paper."]
    position: Annotated[int, "Place in the list of authors.", "1-based rank"]
    name: Annotated[str, "Name as the paper prints it."]
    source: Annotated[str, "Who told: openalex."]
    author_id: Annotated[str | None, "The source's identifier of the person, such as A5023888391."]
    orcid: Annotated[str | None, "The person's ORCID."]
    institutions: Annotated[list[str], "Institutions that the paper gives for this author."]
    observed_at: Annotated[datetime, "When this was first told as it stands here.", "UTC"]


PAPER_AUTHORS = Table.of("paper_authors", PaperAuthorRow, key=("paper_id", "source", "position"))


class PaperCitationRow(TypedDict):
    """One row a work that cites a paper, as far as OpenAlex was asked: no row does not mean that it does not."""

    paper_id: Annotated[str, "The paper that is cited."]
    source: Annotated[str, "Who told: openalex."]
    citing_openalex_id: Annotated[str, "OpenAlex's identifier of the work that cites it."]
    citing_paper_id: Annotated[str | None, "The paper of this lake that it is; NULL where the lake does not have it."]
    observed_at: Annotated[datetime, "When this was first told as it stands here.", "UTC"]


PAPER_CITATIONS = Table.of("paper_citations", PaperCitationRow, key=("paper_id", "source", "citing_openalex_id"))


class CitingHarvestRow(TypedDict):
    """One row a paper whose citing works a source was asked for.

    Those of a paper with `found` are all in `paper_citations`.
    """

    paper_id: Annotated[str, "The paper."]
    source: Annotated[str, "Who was asked: openalex."]
    asked_at: Annotated[datetime, "When it was last asked.", "UTC"]
    status: Annotated[str, "found, or failed where not all citing works came."]
    citation_count: Annotated[int, "Inbound citations as the source counted them then.", "count"]
    citing_count: Annotated[int | None, "Citing works that are known; NULL where nothing came yet.", "count"]
    found_at: Annotated[datetime | None, "When all of them last came; NULL where they never did.", "UTC"]
    tries: Annotated[int, "How often in a row it was asked without a result.", "count"]
    error: Annotated[str | None, "Why they did not come."]


CITING_HARVESTS = Table.of("citing_harvests", CitingHarvestRow, key=("paper_id", "source"))


class OutsideWorkRow(TypedDict):
    """One row a work that the lake does not have and that several listed papers cite, or that cites several of them."""

    openalex_id: Annotated[str, "OpenAlex's identifier."]
    status: Annotated[
        str,
        "found; no_paper (a data set, an erratum and the like); not_found (OpenAlex has no such work any more); "
        "failed (its record could not be read).",
    ]
    title: Annotated[str | None, "Its title; NULL where its record never came."]
    title_key: Annotated[str | None, "The title in the normal form under which equal titles meet."]
    authors: Annotated[list[str], "Names in order, of long lists the first hundred."]
    year: Annotated[int | None, "Year of publication.", "year"]
    doi: Annotated[str | None, "Its DOI other than arXiv's own, in lower case."]
    arxiv_id: Annotated[str | None, "Its arXiv identifier, without version."]
    venue: Annotated[str | None, "The journal, conference or book; NULL where only a repository is known."]
    type: Annotated[str | None, "article, preprint, book-chapter, dissertation and the like."]
    citation_count: Annotated[int | None, "Inbound citations as last counted; NULL is not told.", "count"]
    reference_count: Annotated[int | None, "Works that it cites; NULL is not told.", "count"]
    retracted: Annotated[bool | None, "Whether it is known to be retracted; NULL where not told."]
    version_of: Annotated[
        str | None,
        "The work that it is another version of, by title and authors or an identifier: a `paper_id`, or the "
        "`openalex_id` of another row; NULL for a work in its own right.",
    ]
    refreshed_at: Annotated[datetime, "When OpenAlex was last asked about it.", "UTC"]
    tries: Annotated[int, "How often in a row it was asked for without a result.", "count"]
    error: Annotated[str | None, "Why nothing could be had of it."]


OUTSIDE_WORKS = Table.of("outside_works", OutsideWorkRow, key=("openalex_id",))


class MissingSinceRow(TypedDict):
    """One row a list and work that was once found missing there: since when."""

    list_id: Annotated[str, "The list; `all` for all lists together."]
    work: Annotated[str, "The work: its `paper_id` where the lake has it, else its `openalex_id`."]
    first_missing_at: Annotated[datetime, "When a refresh first found it missing.", "UTC"]


MISSING_SINCE = Table.of("missing_since", MissingSinceRow, key=("list_id", "work"))

# What the citation graph needs beside `paper_references`.
GRAPH_TABLES = (PAPER_CITATIONS, CITING_HARVESTS, OUTSIDE_WORKS, MISSING_SINCE)

# What OpenAlex tells of a paper beside its counts; its data is CC0: https://help.openalex.org/access/pricing .
WORK_TABLES = (OPENALEX_WORKS, CITATIONS_BY_YEAR, PAPER_REFERENCES, PAPER_AUTHORS)


class ReplyRow(TypedDict):
    """One row a reply of a service, as received, so that a later parser never asks again."""

    source: Annotated[str, "arxiv, s2 or openalex."]
    request_key: Annotated[str, "The question in canonical JSON; holds no secret."]
    fetched_at: Annotated[datetime, "When it came.", "UTC"]
    status: Annotated[int, "HTTP status.", "HTTP status code"]
    body: Annotated[bytes, "The body, byte for byte."]
    sha256: Annotated[str, "SHA-256 of the body."]
    parser_version: Annotated[int, "Version of the parser that read it first.", "version number"]


REPLIES = Table.of("replies", ReplyRow, key=("source", "request_key", "fetched_at"))

_NOT_ASKED = "; NULL where it was not to be asked"


# Of each source one column more.
_REQUESTS = tuple(
    Column(
        f"requests_{source.name}",
        COUNT,
        f"Requests sent to {source.label}{_NOT_ASKED * source.is_optional}.",
        "count",
        required=not source.is_optional,
    )
    for source in SOURCES.values()
)


class RunRow(TypedDict):
    """One row a finished refresh, with its summary."""

    run_id: Annotated[str, "Opaque."]
    started_at: Annotated[datetime, "When it began.", "UTC"]
    finished_at: Annotated[datetime, "When it was about to commit.", "UTC"]
    status: Annotated[
        str, "completed; completed_with_failures where something could not be asked; reparsed by `lake reparse`."
    ]
    lists: Annotated[int, "Lists read.", "count"]
    mentions: Annotated[int, "Mentions standing in them.", "count"]
    resolved: Annotated[int, "Mentions with a paper.", "count"]
    ambiguous: Annotated[int, "Mentions with candidates but no paper chosen.", "count"]
    not_found: Annotated[int, "Mentions that no source has.", "count"]
    failed: Annotated[int, "Mentions for which a source could not be asked.", "count"]
    papers: Annotated[int, "Papers in the lake afterwards.", "count"]
    papers_new: Annotated[int, "Papers added.", "count"]
    counts_written: Annotated[int, "Citation counts observed.", "count"]
    seconds_total: Annotated[float, "Duration before the commit.", "seconds"]
    problems: Annotated[list[str], "What failed, a sentence each."]
    offline: Annotated[bool, "Whether it was told to ask no source."]


RUNS = Table.of("runs", RunRow, key=("run_id",), more=_REQUESTS)


class RetractionRow(TypedDict):
    """One row a paper and source that says, or once said, that the paper was retracted."""

    paper_id: Annotated[str, "The paper."]
    source: Annotated[str, "Who says so: retraction-watch or openalex; where both tell of it now, the former decides."]
    retracted: Annotated[bool, "Whether it is; false where it was reinstated, or the source no longer says so."]
    retracted_on: Annotated[date | None, "Day of the notice; NULL where it is not told.", "UTC day"]
    reasons: Annotated[list[str], "The reasons, in the source's words."]
    notice_doi: Annotated[str | None, "DOI of the notice, which may be the paper's own."]
    record: Annotated[
        str | None, "The source's own number: of the notice, or of the work; NULL where it tells of it no more."
    ]
    matched_by: Annotated[str, "How the paper was recognised: doi, title and authors, or its record."]
    first_seen_at: Annotated[datetime, "Since when the lake has it; one that holds again is a new one.", "UTC"]


RETRACTIONS = Table.of("retractions", RetractionRow, key=("paper_id", "source"))


class PublishedVersionRow(TypedDict, total=False):
    """One row a publication of a paper on arXiv and a source that tells of it.

    A conference's and a journal's are two.
    """

    paper_id: Annotated[str, "The paper."]
    source: Annotated[str, "Who tells of it: arxiv (its authors), dblp or openalex."]
    record: Annotated[
        str, "The source's record that says so: the arXiv identifier, DBLP's key, or the DOI at OpenAlex."
    ]
    kind: Annotated[str | None, "conference, journal or collection; NULL where that is not clear."]
    venue: Annotated[
        str | None, "In the source's form, or the authors' reference with volume and pages; NULL beside a DOI alone."
    ]
    year: Annotated[int | None, "Year of publication; NULL where it is not told.", "year"]
    doi: Annotated[str | None, "DOI of this version, in lower case."]
    first_seen_at: Annotated[datetime, "When the lake first had it.", "UTC"]
    gone_at: Annotated[datetime | None, "When the source was first heard without it; NULL while it tells of it.", "UTC"]


PublishedVersionColumns: TypeAlias = PublishedVersionRow  # some of its columns
PUBLISHED_VERSIONS = Table.of("published_versions", PublishedVersionRow, key=("paper_id", "source", "record"))


class SchemaMigrationRow(TypedDict):
    """One row a step that brought the lake to its present shape."""

    name: Annotated[str, "The step."]
    applied_at: Annotated[datetime, "When it was taken.", "UTC"]


SCHEMA_MIGRATIONS = Table.of("schema_migrations", SchemaMigrationRow, key=("name",))

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
