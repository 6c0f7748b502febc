"""What the tools answer: evidence, "no" and "could not ask" apart, and the words of strangers apart from our own."""

from __future__ import annotations

import json

import pytest

from flows.mcp import bounded_query
from flows.mcp.answers import LakeAnswers
from flows.mcp.untrusted_text import UNTRUSTED, marked
from sources.errors import UsageError
from standins.trials.rows import citing_harvest_row, list_row, mention_row, paper_row, reference_row, run_row
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing
from warehouse.loading.commit import Harvest, load

pytestmark = pytest.mark.slow  # making the lake takes a second


@pytest.fixture
def answers(lake_folder, monkeypatch) -> LakeAnswers:
    monkeypatch.chdir(lake_folder.parent)
    return LakeAnswers(str(lake_folder))


def test_a_search_finds_entries_that_have_no_paper(answers):
    found = answers.search("of nowhere", list="l1.md", limit=10, offset=0)
    assert [(record["kind"], record["status"], record["reason"]) for record in found.records] == [
        ("mention", "not_found", "every source answered")
    ]


def test_a_search_goes_on_where_it_ended(answers):
    pages = [answers.search("o", list=None, limit=2, offset=offset) for offset in (0, 2, 4)]
    keys = [record.get("mention_id") or record["paper_id"] for page in pages for record in page.records]
    assert keys == ["p1", "p2", "m3", "m4", "m5"]
    assert {page.total for page in pages} == {5}


@pytest.mark.parametrize("text", ["", "?!"])
def test_a_search_for_no_word_says_what_to_give(answers, text):
    with pytest.raises(UsageError, match="give words of a title"):
        answers.search(text, list=None, limit=10, offset=0)


@pytest.mark.parametrize(
    "reference",
    [
        "p1",
        "arXiv:1706.03762v3",
        "https://arxiv.org/abs/1706.03762",
        "vaswani2017attention",
        "attention is all  you need",
    ],
)
def test_a_paper_is_found_by_all_that_names_it(answers, reference):
    found = answers.paper(reference)
    record, cited = found.records
    assert (record["kind"], found.total, cited["kind"], cited["work"]) == ("paper", 2, "reference", "W200")
    assert [(gap["what"], gap["status"]) for gap in found.gaps if gap.get("source")] == [("citing works", None)]
    assert record["paper_id"] == "p1"
    assert record["published_versions"][0]["venue"] == "NIPS"
    assert record["identifiers"] == [{"scheme": "arxiv", "identifier": "1706.03762"}]


def test_works_near_a_paper_go_on_where_they_ended(answers):
    found = answers.related("1706.03762", limit=2)
    works = [record["work"] for page in (found, answers.related("p1", limit=2, offset=2)) for record in page.records]
    assert (found.total, sorted(works)) == (4, ["W200", "p2", "p3", "p4"])
    assert answers.related("p9").verdict == "could_not_ask", "a list could not be read"


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
    with writing(place) as connection:
        load(connection, Harvest(reading_lists=[list_row()], mentions=rows), run_row())
    answers = LakeAnswers(str(place.folder))
    assert answers.paper("2001.00001").verdict == "none", "the one that failed names another paper"
    assert answers.paper("2001.00009").verdict == "could_not_ask"
    assert answers.paper("Of Now").verdict == "none"
    assert answers.paper("of later").verdict == "could_not_ask"
    assert answers.search("zebra", list=None, limit=5, offset=0).verdict == "none"


def test_a_list_answers_as_review_does(answers):
    assert [record["location"] for record in answers.list().records] == ["/lists/l1.md", "/lists/l2.md"]
    found = answers.list("l1.md", status=None, only_review=True, limit=1, offset=1)
    assert (found.total, [record["mention_id"] for record in found.records]) == (2, ["m5"])
    assert [candidate["rank"] for candidate in found.records[0]["candidates"]] == [1, 2]
    with pytest.raises(UsageError, match=r"the lake knows no list 'nothing.md'; it knows l1.md, l2.md"):
        answers.list("nothing.md", status=None, only_review=False, limit=1, offset=0)
    assert answers.list("l2.md", status=None, only_review=False, limit=9, offset=0).verdict == "could_not_ask"
    assert answers.list("l1.md", status="ambiguous", only_review=False, limit=9, offset=9).verdict == "found"


@pytest.mark.parametrize("query", ["drop table papers", "from read_csv('/etc/passwd')"])
def test_a_query_that_does_not_read_is_refused(answers, query):
    with pytest.raises(UsageError):
        answers.sql(query, as_of=None, limit=5)


def test_a_query_gives_its_first_rows_and_says_how_many_there_are(answers):
    found = answers.sql(
        "select range as n, 1.5::decimal(3, 1) as d, 'nan'::double as x from range(1000)", as_of=None, limit=2
    )
    assert (found.total, found.records) == (1000, [{"n": 0, "d": 1.5, "x": None}, {"n": 1, "d": 1.5, "x": None}])


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
    rows = Harvest(
        reading_lists=[list_row()],
        mentions=[mention_row(f"m{paper}", paper_id=paper) for paper in papers],
        papers=[paper_row(paper) for paper in papers],
        paper_references=[reference_row(paper, "W200") for paper in papers],
        citing_harvests=[citing_harvest_row(paper) for paper in papers],
    )
    with writing(place) as connection:
        load(connection, rows, run_row(lists=1, mentions=3, resolved=3, papers=3, papers_new=3))
    found = LakeAnswers(str(place.folder)).missing("l1.md", since=None, limit=5, offset=0)
    assert found.verdict == "could_not_ask", "all that is known of the papers is known, and of the work nothing"
    assert [(gap["what"], gap["works"]) for gap in found.gaps] == [("works", 1)]
