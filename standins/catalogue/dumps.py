"""The stand-ins' library as the bulk dumps that both services publish, row for row what they would say."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from standins.arxiv.feed import neutral_abstract
from standins.catalogue.papers import Paper, paper_from
from standins.catalogue.shelf import open_shelf
from standins.semantic_scholar import payload as s2_payload

UPDATED = "2026-11-15"
"""When arXiv last touched every row."""


def papers(data: Sequence[Path], *, added: Iterable[Mapping[str, Any]] = ()) -> Iterator[Paper]:
    """Yields every paper of `data` as the stand-ins serve it, and then those that were added."""
    with closing(sqlite3.connect(open_shelf(data))) as shelf:
        for (record,) in shelf.execute("SELECT record FROM papers ORDER BY id"):
            yield paper_from(json.loads(record))
    yield from map(paper_from, added)


def write_arxiv(found: Iterable[Paper], out: Path) -> int:
    """Writes arXiv's metadata dump of those papers that it has, and returns how many they are."""
    written = 0
    with out.open("w", encoding="utf-8") as stream:
        for paper in found:
            if paper.arxiv_id:
                stream.write(json.dumps(arxiv_row(paper)) + "\n")
                written += 1
    return written


def write_s2(found: Iterable[Paper], out: Path) -> int:
    """Writes a shard of Semantic Scholar's "papers" data set, and returns how many papers it holds."""
    written = 0
    with out.open("w", encoding="utf-8") as stream:
        for paper in found:
            stream.write(json.dumps(s2_row(paper)) + "\n")
            written += 1
    return written


def arxiv_row(paper: Paper) -> dict[str, Any]:
    """Returns a paper as a row of arXiv's dump."""
    first = datetime.fromisoformat(f"{(paper.published or '2000-01-01')[:10]}T00:00:00").replace(tzinfo=UTC)
    names = [name.rsplit(" ", 1) for name in paper.authors]
    return {
        "id": paper.arxiv_id,
        "submitter": None,
        "authors": ", ".join(paper.authors),
        "title": paper.title,
        "comments": paper.comment,
        "journal-ref": paper.journal_ref,
        "doi": paper.doi,
        "report-no": None,
        "categories": " ".join(paper.categories),
        "license": None,
        "abstract": paper.abstract or neutral_abstract(paper),
        "versions": [
            {"version": f"v{number}", "created": format_datetime(first, usegmt=True)}
            for number in range(1, paper.version + 1)
        ],
        "update_date": UPDATED,
        "authors_parsed": [[name[-1], name[0] if len(name) == 2 else "", ""] for name in names],
    }


def s2_row(paper: Paper) -> dict[str, Any]:
    """Returns a paper as a row of the "papers" data set: field names in lower case, every identifier, no abstract."""
    told = {name.lower(): s2_payload.FIELDS[name](paper) for name in _S2_FIELDS}
    schemes = ("ACL", "DBLP", "ArXiv", "MAG", "CorpusId", "PubMed", "DOI", "PubMedCentral")
    external = {scheme: told["externalids"].get(scheme) for scheme in schemes}
    return told | {"externalids": {name: None if value is None else str(value) for name, value in external.items()}}


_S2_FIELDS = (
    "corpusId", "externalIds", "url", "title", "authors", "venue", "year", "referenceCount", "citationCount",
    "influentialCitationCount", "isOpenAccess", "s2FieldsOfStudy", "publicationTypes", "publicationDate", "journal",
)  # fmt: skip


NOTICE_COLUMNS = (
    "Record ID", "Title", "Subject", "Institution", "Journal", "Publisher", "Country", "Author", "URLS", "ArticleType",
    "RetractionDate", "RetractionDOI", "RetractionPubMedID", "OriginalPaperDate", "OriginalPaperDOI",
    "OriginalPaperPubMedID", "RetractionNature", "Reason", "Paywalled", "Notes",
)  # fmt: skip
"""Columns of Retraction Watch's CSV, in their order."""


def notice_row(number: int, title: str, authors: Sequence[str], **columns: str) -> dict[str, str]:
    """Returns a row of Retraction Watch's CSV: a retraction of 2020, unless `columns` say otherwise.

    They are named as in the CSV; `OriginalPaperDOI` is `unavailable` if it is not among them.
    """
    plain = dict.fromkeys(NOTICE_COLUMNS, "") | {
        "Record ID": str(number),
        "Title": title,
        "Author": ";".join(authors),
        "RetractionDate": "6/4/2020 0:00",
        "RetractionDOI": "unavailable",
        "OriginalPaperDate": "3/1/2019 0:00",
        "OriginalPaperDOI": "unavailable",
        "RetractionNature": "Retraction",
        "Reason": "+Unreliable Results and/or Conclusions;+Error in Analyses;",
        "Paywalled": "No",
    }
    return plain | columns


def notices_csv(rows: Iterable[Mapping[str, str]]) -> bytes:
    """Returns Retraction Watch's CSV of those rows."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, NOTICE_COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()
