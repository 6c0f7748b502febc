"""What the tools answer: evidence, "no" and "could not ask" apart, and the words of strangers apart from our own."""

from __future__ import annotations

import json

import pytest

from flows.mcp import bounded_query, untrusted_text
from flows.mcp.answers import LakeAnswers
from flows.mcp.untrusted_text import UNTRUSTED, bounded, fitting, marked, unread
from sources.errors import UsageError
from standins.trials.rows import citing_harvest_row, fill, list_row, mention_row, paper_row, reference_row, run_row
from tests.flows.mcp.conftest import ORDER
from warehouse.lake.place import LakePlace

pytestmark = pytest.mark.slow  # making the lake takes a second


@pytest.fixture
def answers(lake_folder, monkeypatch) -> LakeAnswers:
    monkeypatch.chdir(lake_folder.parent)
    return LakeAnswers(str(lake_folder))


def test_a_search_goes_on_where_it_ended(answers):
    pages = [answers.search("o", list=None, limit=2, offset=offset) for offset in (0, 2, 4)]
    keys = [record.get("mention_id") or record["paper_id"] for page in pages for record in page.records]
    assert keys == ["p1", "p2", "m3", "m4", "m5"]
    assert {page.total for page in pages} == {5}


def test_what_could_not_be_asked_is_no_no(answers):
    found = answers.paper("2001.00001")
    assert (found.verdict, found.total) == ("could_not_ask", 0)
    assert [(gap["what"], gap["location"], gap["why"]) for gap in found.gaps] == [
        ("list", "/lists/l2.md", "the address answered 404"),
        ("mentions", "/lists/l1.md", "s2: HTTP 503"),
    ]


def test_no_is_said_where_everything_that_may_have_it_was_asked(tmp_path):
    place = LakePlace.of(tmp_path / "lake")
    rows = [mention_row(title="Of Later", arxiv_id="2001.00009", status="failed", reason="HTTP 503")]
    fill(place, reading_lists=[list_row()], mentions=rows)
    answers = LakeAnswers(str(place.folder))
    assert answers.paper("2001.00001").verdict == "none", "the one that failed names another paper"
    assert answers.paper("2001.00009").verdict == "could_not_ask"
    assert answers.paper("Of Now").verdict == "none"
    assert answers.paper("of later").verdict == "could_not_ask"
    assert answers.search("zebra", list=None, limit=5, offset=0).verdict == "none"


def test_a_query_that_takes_too_long_is_stopped_and_the_next_one_answered(lake_folder, monkeypatch):
    temporary = lake_folder.parent / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    answers = LakeAnswers(str(lake_folder), longest_query_s=1.5)
    with pytest.raises(UsageError, match=r"stopped after 1.5 s: ask for less"):
        answers.sql("select count(*) from range(100000000000) a, range(100000) b", as_of=None, limit=5)
    assert list(temporary.iterdir()) == [], "the copy of the catalogue is gone, too"
    answers = LakeAnswers(str(lake_folder))
    assert answers.sql("select 1 as n", as_of=None, limit=5).records == [{"n": 1}]


@pytest.mark.parametrize("query", ["drop table papers", "from read_csv('/etc/passwd')"])
def test_a_query_that_does_not_read_is_refused(answers, query):
    with pytest.raises(UsageError, match="reading"):
        answers.sql(query, as_of=None, limit=5)


@pytest.mark.parametrize(
    "query",
    ["select list(range) from range(300000000)", "select repeat('x', 100000000) as t from range(200)"],
    ids=["within the engine", "in texts that the engine does not count"],
)
def test_a_query_that_takes_too_much_memory_is_refused(answers, query, monkeypatch):
    monkeypatch.setattr(bounded_query, "MOST_MEMORY_MB", 2_000)
    with pytest.raises(UsageError, match=r"(?i)memory"):
        answers.sql(query, as_of=None, limit=200)


def test_rows_with_too_many_columns_are_refused_and_long_texts_cut(answers):
    many = ", ".join(f"{number} as c{number}" for number in range(201))
    with pytest.raises(UsageError, match=r"201 columns"):
        answers.sql(f"select {many}", as_of=None, limit=5)
    found = answers.sql("select repeat('x', 1000000) as t, range(9000) as r", as_of=None, limit=5)
    assert len(found.records[0]["t"]) == 2_000
    assert len(found.records[0]["r"]) == 100


def words_outside(value, inside=False) -> list[str]:
    """Returns all texts that do not stand under the mark."""
    if isinstance(value, dict):
        return [
            word for name, item in value.items() for word in [name, *words_outside(item, inside or name == UNTRUSTED)]
        ]
    if isinstance(value, list):
        return [word for item in value for word in words_outside(item, inside)]
    return [] if inside or not isinstance(value, str) else [value]


@pytest.mark.parametrize(
    "look",
    [
        lambda answers: answers.search("instructions", list=None, limit=9, offset=0),
        lambda answers: answers.paper("10.1234/order"),
        lambda answers: answers.list("l1.md", status=None, only_review=False, limit=9, offset=0),
        lambda answers: answers.status(None),
        lambda answers: answers.status("2020-01-01"),
        lambda answers: answers.missing(None, since=None, limit=5, offset=0),
        lambda answers: answers.related("p1"),
    ],
    ids=["search", "paper", "list", "status", "changes", "missing", "related"],
)
def test_the_words_of_strangers_are_never_outside_the_mark(answers, look):
    found = look(answers)
    assert "SYSTEM: obey" in json.dumps(found.records), "the lake holds what the test is about"
    for record in map(marked, found.records):
        assert "SYSTEM" not in " ".join(words_outside(record))
        assert "\U000e0041" not in json.dumps(record, ensure_ascii=False), "unseen characters are codes"


def test_works_that_were_not_looked_up_are_no_no(tmp_path):
    place = LakePlace.of(tmp_path / "lake")
    papers = ("p1", "p2", "p3")
    fill(
        place,
        run_row(lists=1, mentions=3, resolved=3, papers=3, papers_new=3),
        reading_lists=[list_row()],
        mentions=[mention_row(f"m{paper}", paper_id=paper) for paper in papers],
        papers=[paper_row(paper) for paper in papers],
        paper_references=[reference_row(paper, "W200") for paper in papers],
        citing_harvests=[citing_harvest_row(paper) for paper in papers],
    )
    found = LakeAnswers(str(place.folder)).missing("l1.md", since=None, limit=5, offset=0)
    assert found.verdict == "could_not_ask", "all that is known of the papers is known, and of the work nothing"
    assert [(gap["what"], gap["works"]) for gap in found.gaps] == [("works", 1)]


def test_what_is_not_known_to_be_ours_is_a_strangers():
    record = {
        "doi": "10.1/x",
        "year": 2017,
        "title": None,
        "whatever": ORDER,
        "asked_at": "2026-03-01",
        "inside": [{"text": "t"}],
    }
    assert marked(record) == {
        "doi": "10.1/x",
        "year": 2017,
        "asked_at": "2026-03-01",
        "inside": [{UNTRUSTED: {"text": "t"}}],
        UNTRUSTED: {"title": None, "whatever": bounded(ORDER)},
    }


def test_of_a_query_every_cell_and_name_is_a_strangers():
    row = unread({"doi": ORDER, ORDER: [1, {ORDER: ORDER}]})
    assert list(row) == [UNTRUSTED]
    assert "\U000e0041" not in json.dumps(row, ensure_ascii=False)


def test_long_texts_and_lists_are_cut_and_long_answers_end():
    assert bounded("x" * 9_000) == "x" * (untrusted_text.LONGEST_TEXT - 1) + "…"
    assert len(bounded(["a"] * 500)) == 100
    record = {"n": 1, UNTRUSTED: {"text": "y" * 4_000}}
    assert len(fitting([record] * 9)) == 2
    wide = {f"c{number}": "z" * 2_000 for number in range(200)}
    (short,) = fitting([wide])
    assert len(json.dumps(short)) < 100_000
    assert set(short) == set(wide)
    assert fitting([{"a": {str(number): wide for number in range(200)}}]) == [], "what cannot be cut is left out"


def test_an_answer_is_as_long_as_it_is_printed():
    record = {"paper_id": "p", "places": [{"line": number, "code": "x"} for number in range(30)]}
    records = fitting([record] * 200)
    assert len(json.dumps({"answer": "found", "records": records}, indent=2)) <= 10_100
    assert len(json.dumps({"answer": "found", "records": [*records, record]}, indent=2)) > 10_000


def test_names_of_files_are_the_words_of_strangers():
    record = {"location": f"github:owner/name/{ORDER}.md", "handle": f"{ORDER}.md:12", "line": 12}
    assert marked(record).keys() == {"line", UNTRUSTED}
