"""Bounds at the door: what no source can truly say is refused, whichever service says it."""

import json
from datetime import date

from sources.bounds import cut, is_count, is_past
from sources.errors import PayloadError
from sources.records import S2Paper
from sources.services.semantic_scholar.dump import parse_row
from sources.services.semantic_scholar.record import parse_batch
from tests.matrices import for_each

TODAY = date(2025, 6, 30)
SHA = "204e3073870fae3d05bcbc2f6a8e263d9b72e776"


def told(**fields: object) -> S2Paper | PayloadError | None:
    return parse_batch(json.dumps([{"paperId": SHA, "title": "T", **fields}]).encode(), today=TODAY)[0]


@for_each(("count", "sound"), [(0, True), (10**8 - 1, True), (10**8, False), (2**62, False), (-1, False)])
def test_a_count_is_one_that_a_paper_can_have(count, sound):
    assert is_count(count) is sound
    for field in ("citationCount", "referenceCount"):
        assert isinstance(told(**{field: count}), S2Paper) is sound


@for_each(("day", "sound"), [("2025-07-01", True), ("2025-07-02", False), ("2999-01-01", False), ("1499-12-31", False)])
def test_a_day_has_come_somewhere_on_earth(day, sound):
    assert is_past(date.fromisoformat(day), today=TODAY) is sound


def test_a_journal_dated_ahead_has_not_come_out_and_a_far_day_is_a_fault():
    assert told(publicationDate="2025-12-01").published_on is None  # type: ignore[union-attr]
    fault = told(publicationDate="2999-01-01")
    assert isinstance(fault, PayloadError)
    assert fault.field == "publicationDate"


@for_each(
    "fields",
    [
        {"corpusId": 7, "externalIds": {"CorpusId": 8}},
        {"externalIds": {"ArXiv": "1706.03762", "DOI": "10.48550/arXiv.1412.6980"}},
        {"citationCount": 3, "influentialCitationCount": 4},
        {"authors": [{"name": "A"}] * 20_001},
        {"paperId": "204e"},
    ],
)
def test_a_record_that_contradicts_itself_is_a_fault(fields):
    assert isinstance(told(**fields), PayloadError)


def test_long_abstracts_and_names_are_cut_and_unseen_characters_left_out():
    paper = told(abstract="x" * 60_000, authors=[{"name": "y" * 600}], title="a\u202eb\x1b]52;c;x\x07\u200bc")
    assert isinstance(paper, S2Paper)
    assert len(paper.abstract or "") == 50_000
    assert len(paper.authors[0]) == 500
    assert paper.title == "ab]52;c;xc"
    assert (cut(None, 3), cut("ab  c", 4)) == (None, "ab")


def test_a_row_of_a_bulk_file_loses_what_is_beyond_belief_and_stays():
    row = {"corpusid": 7, "url": f"https://www.semanticscholar.org/paper/{SHA}", "title": "T", "year": 1,
           "publicationdate": "2999-01-01", "citationcount": 2**62, "referencecount": 5}  # fmt: skip
    paper = parse_row(row)
    assert (paper.year, paper.published_on, paper.citation_count, paper.reference_count) == (None, None, None, 5)
