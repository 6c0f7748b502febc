"""The feed beside the page: valid Atom, the same changes as `status --since`, the same bytes without a change."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import feedparser
import pytest
import rnc2rng
from lxml import etree, html

from flows.commands.status import read_changes
from standins.trials.rows import (
    DAY,
    T0,
    citation_row,
    count_row,
    fill,
    identifier_row,
    list_row,
    mention_row,
    outside_row,
    paper_row,
    reference_row,
    retraction_row,
    run_row,
    version_row,
    work_row,
)
from tests.matrices import first_each_push
from warehouse.dashboard.facts import read_facts
from warehouse.dashboard.feed import MOST_ENTRIES, feed
from warehouse.dashboard.page import publish
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake
from warehouse.query.changes import Jump, changes_since

pytestmark = pytest.mark.slow

GRAMMAR = Path(__file__).resolve().parents[1] / "fixtures" / "atom" / "atom.rnc"
ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = "</title><script>alert(1)</script> & ]]> \x00\x1b\u202e\ufffe \U000e0041 <b>bold</b>"
LATER = T0 + 9 * DAY


def grammar() -> etree.RelaxNG:
    # lxml refuses a prefix for no namespace, which nothing in the grammar needs once it is XML.
    text = rnc2rng.dumps(rnc2rng.loads(GRAMMAR.read_text(encoding="utf-8"))).replace(' xmlns:local=""', "")
    return etree.RelaxNG(etree.fromstring(text.encode()))


def load_rows(place: LakePlace, at: datetime, name: str, **rows) -> None:
    """Loads rows as a refresh at that time would have: what the lake knew when is told by its snapshots."""
    fill(place, run_row(name, started_at=at, finished_at=at), **rows)
    with closing(sqlite3.connect(place.catalog_file)) as catalogue:
        moment = f"{at:%Y-%m-%d %H:%M:%S}+00"
        catalogue.execute("UPDATE ducklake_snapshot SET snapshot_time = ? WHERE snapshot_time > ?", [moment, moment])
        catalogue.commit()


@pytest.fixture(scope="module")
def place(empty_lake, tmp_path_factory) -> LakePlace:
    """A lake of two refreshes: a list of six papers, then news of every kind."""
    place = empty_lake(tmp_path_factory.mktemp("feed") / "lake")
    papers = [f"p{number}" for number in range(1, 7)]
    rows = [paper_row(paper, title=f"Paper {paper}", arxiv_id=f"2001.0000{paper[1:]}") for paper in papers]
    rows[0]["title"] = rows[0]["title_keys"][0] = HOSTILE
    mentions = [mention_row(f"m{paper[1:]}", paper_id=paper, title=f"Paper {paper}") for paper in papers]
    load_rows(
        place,
        T0,
        "first",
        reading_lists=[list_row(title=HOSTILE)],
        papers=rows,
        mentions=mentions,
        paper_identifiers=[identifier_row(paper, "openalex", f"W{paper[1:]}") for paper in papers],
        openalex_works=[
            work_row(paper, openalex_id=f"W{paper[1:]}", title="As OpenAlex", citation_count=5) for paper in papers
        ],
        citation_counts=[count_row(paper, T0, 100) for paper in papers] + [count_row("p2", T0, 40, source="openalex")],
    )
    load_rows(
        place,
        LATER,
        "second",
        mentions=[
            mentions[5] | {"removed_at": LATER},
            mention_row("m7", title=HOSTILE, status="not_found", first_seen_at=LATER),
        ],
        citation_counts=[
            count_row("p1", LATER, 130),
            count_row("p2", LATER, 104),
            count_row("p2", LATER, 60, source="openalex"),
        ],
        published_versions=[version_row("p2", venue="ICLR", year=2026, first_seen_at=LATER)],
        retractions=[retraction_row("p3", reasons=["Fabrication <b>"], first_seen_at=LATER)],
        paper_references=[reference_row(paper, "W200", observed_at=LATER) for paper in papers[:4]],
        paper_citations=[citation_row(paper, "W300") for paper in papers[:5]],
        outside_works=[
            outside_row("W200", title="Apt <i>work</i>", citation_count=40, reference_count=30),
            outside_row("W300", title="Survey", citation_count=3, reference_count=50),
        ],
    )
    load_rows(place, LATER, "third", papers=[rows[2] | {"retracted": True}])
    return place


def feed_of(place: LakePlace, terms="all", jump: Jump | None = None) -> bytes:
    with closing(open_lake(place, sealed=True)) as connection:
        read_facts(connection, terms=terms)
        return feed(connection, terms=terms, jump=jump or Jump())


@pytest.mark.parametrize("terms", first_each_push(["all", "cc0"], count=1))
def test_the_feed_is_valid_atom(place, terms):
    text, schema = feed_of(place, terms), grammar()
    document = etree.fromstring(text)
    assert schema.validate(document), schema.error_log
    assert document.find(f"{ATOM}author/{ATOM}name").text, "the rule in Schematron: a feed has an author, or each entry"
    read = feedparser.parse(text)
    assert (read.bozo, read.version) == (False, "atom10")
    assert len({entry.id for entry in read.entries}) == len(read.entries) > 5
    assert all(entry.content[0].value for entry in read.entries)
    assert read.feed.updated_parsed == max(entry.updated_parsed for entry in read.entries)


def test_it_tells_the_changes_that_status_tells(place):
    entries = feedparser.parse(feed_of(place)).entries
    told = [(entry.tags[0].term, entry.updated[:10]) for entry in entries]
    changes = {kind: rows.num_rows for kind, rows in changes_since(place, LATER, jump=Jump()).items()}
    names = {"added": "mentions_new", "removed": "mentions_removed"}
    later = [kind for kind, day in told if day == f"{LATER:%Y-%m-%d}"]
    assert {kind: later.count(kind) for kind in set(later)} == {
        kind: changes[names.get(kind, kind)]
        for kind in ("added", "removed", "published", "retracted", "jumped", "missing")
    }
    assert changes["missing"] == 2
    assert changes["jumped"] == 1
    assert told.count(("added", f"{T0:%Y-%m-%d}")) == 5, "one of six has left again"


def test_it_begins_with_what_to_know_first_in_the_words_of_the_page(place, tmp_path):
    page = html.fromstring(publish(place, tmp_path).page.read_text(encoding="utf-8"))
    on_the_page = [link.text_content() for link in page.iterfind(".//ul[@id='first']//a")]
    assert len(on_the_page) == 5
    first = feedparser.parse((tmp_path / "feed.xml").read_bytes()).entries[0]
    assert [one.text_content() for one in html.fromstring(first.content[0].value).iter("li")] == on_the_page
    assert first.title == on_the_page[0] == "Retracted: “Paper p3”."


@pytest.mark.parametrize(("citations", "is_jump"), [(10, True), (31, False)])
def test_status_says_what_the_page_says_also_of_jumps_as_the_settings_have_them(
    empty_lake, tmp_path, monkeypatch, citations, is_jump
):
    place = empty_lake(tmp_path / "lake")
    papers = [paper_row(name, title=f"Paper {name}") for name in ("p1", "p2")]
    steps = {("p1", "s2"): (40, 70), ("p2", "openalex"): (5, 90)}
    counts = [
        count_row(paper, at, count, source=source)
        for (paper, source), two in steps.items()
        for at, count in zip((T0, LATER), two, strict=True)
    ]
    mentions = [mention_row("m1", paper_id="p1"), mention_row("m2", paper_id="p2")]
    new = mention_row("m3", title="New", status="not_found", first_seen_at=LATER)
    load_rows(
        place, T0, "first", reading_lists=[list_row()], papers=papers, mentions=mentions, citation_counts=counts[::2]
    )
    load_rows(place, LATER, "second", mentions=[new], citation_counts=counts[1::2])
    page = html.fromstring(publish(place, tmp_path, jump=Jump(citations=citations)).page.read_text(encoding="utf-8"))
    on_the_page = [link.text_content() for link in page.iterfind(".//ul[@id='first']//a")]
    monkeypatch.setenv("PAPERLAKE_JUMP_CITATIONS", str(citations))
    assert read_changes(LATER, lake=str(tmp_path / "lake"))["first"]["text"].to_pylist() == on_the_page
    jumped = ["Cited much more: “Paper p1”, 30 citations gained."] * is_jump
    assert on_the_page == ["Added: “New”.", *jumped, "Without a paper yet: 1 entry."]


def test_what_lists_and_sources_write_stays_text(place):
    text = feed_of(place)
    assert b"<script" not in text
    read = feedparser.parse(text, sanitize_html=False)
    (jump,) = [entry for entry in read.entries if entry.tags[0].term == "jumped"]
    assert jump.title.startswith("30 more citations: &lt;/title>") or "</title><script>" in jump.title
    assert "&lt;script&gt;" in jump.content[0].value
    for name in (b"\x00", b"\x1b", "\u202e".encode(), "\U000e0041".encode()):
        assert name not in text


def test_the_bytes_are_the_same_until_something_changes(place, tmp_path):
    first = feed_of(place)
    load_rows(place, LATER + DAY, "nothing new")
    assert feed_of(place) == first


def test_a_feed_for_others_has_only_counts_that_may_be_given(place):
    read = feedparser.parse(feed_of(place, "cc0", Jump(citations=3, share=0.001)))
    jumps = [entry.content[0].value for entry in read.entries if entry.tags[0].term == "jumped"]
    assert len(jumps) == 1
    assert "from 40 citations to 60, as OpenAlex counts" in jumps[0]
    assert "Semantic" not in feed_of(place, "cc0").decode()
    assert "As OpenAlex" in feed_of(place, "cc0").decode()
    both = {feedparser.parse(feed_of(place, terms)).feed.id for terms in ("all", "cc0")}
    assert len(both) == 2, "the two feeds are not one"


def test_a_new_list_is_one_entry(empty_lake, tmp_path):
    place = empty_lake(tmp_path / "lake")
    many = [mention_row(f"n{number}", title=f"New {number}", status="failed") for number in range(30)]
    load_rows(place, T0, "first", reading_lists=[list_row()], mentions=many)
    load_rows(
        place,
        T0 + 200 * DAY,
        "second",
        reading_lists=[list_row("l3", title="Third")],
        mentions=[
            row | {"mention_id": f"x{row['mention_id']}", "list_id": "l3", "first_seen_at": T0 + 200 * DAY}
            for row in many
        ],
    )
    read = feedparser.parse(feed_of(place))
    assert read.entries[0].title == "Added: 30 mentions in Third"
    assert read.entries[0].content[0].value.count("<li>") == 20


@pytest.mark.nightly
def test_a_jump_is_told_once_a_week(empty_lake, tmp_path):
    place = empty_lake(tmp_path / "lake")
    monday = T0 - timedelta(days=T0.weekday())
    load_rows(
        place,
        monday,
        "first",
        reading_lists=[list_row()],
        papers=[paper_row()],
        mentions=[mention_row(paper_id="p1")],
        citation_counts=[count_row("p1", monday, 100)],
    )
    for day, count in ((2, 112), (4, 125), (9, 127), (10, 140)):
        load_rows(place, monday + day * DAY, f"day {day}", citation_counts=[count_row("p1", monday + day * DAY, count)])
    found = [entry for entry in feedparser.parse(feed_of(place)).entries if entry.tags[0].term == "jumped"]
    assert [entry.title for entry in found] == ["15 more citations: Title of p1", "25 more citations: Title of p1"]
    assert [entry.updated for entry in found] == [f"{monday + day * DAY:%Y-%m-%d}T06:00:00Z" for day in (10, 4)]


def test_where_the_lists_lie_on_this_machine_is_told_to_nobody(empty_lake, tmp_path):
    place = empty_lake(tmp_path / "lake")
    row = list_row(title=None, location="/home/ann/secret/reading.md")
    many = [mention_row(f"m{number}", title=f"Work {number}", status="not_found") for number in range(30)]
    load_rows(place, T0, "first", reading_lists=[row], mentions=many)
    load_rows(place, LATER, "second", mentions=[mention_row("new", status="not_found", first_seen_at=LATER)])
    text = feed_of(place)
    assert b"/home/ann" not in text
    assert [entry.title for entry in feedparser.parse(text).entries] == ["Added: P", "Added: 30 mentions in reading.md"]
    assert b"What changed in reading.md" in text
    load_rows(place, LATER, "third", papers=[paper_row()], mentions=[mention_row("known", paper_id="p1")])
    publish(place, tmp_path / "out")
    files = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert b"reading.md" in files["catalogue.csv"]
    assert [name for name, content in files.items() if b"/home/ann" in content] == []


def test_a_missing_work_that_the_lake_gets_as_a_paper_is_no_new_entry(place, tmp_path):
    folder = tmp_path / "lake"
    shutil.copytree(place.folder, folder)
    own = LakePlace.of(folder)
    load_rows(
        own,
        LATER + DAY,
        "known since",
        papers=[paper_row("p9", title="Survey")],
        paper_identifiers=[identifier_row("p9", "openalex", "W300")],
        openalex_works=[work_row("p9", openalex_id="W300", title="Survey", citation_count=3)],
    )
    before, after = (
        {
            entry.id: entry.updated
            for entry in feedparser.parse(feed_of(lake)).entries
            if "missing" in entry.tags[0].term
        }
        for lake in (place, own)
    )
    assert after == before


def test_counts_dated_by_a_clock_far_ahead_change_neither_page_nor_feed_nor_news(place, tmp_path):
    def shown(lake: LakePlace):
        with closing(open_lake(lake)) as connection:
            facts = read_facts(connection)
            entries = feedparser.parse(feed(connection, terms="all", jump=Jump())).entries
        news = changes_since(lake, T0 + DAY, jump=Jump())["jumped"].to_pylist()
        return facts["papers"], facts["history"], facts["rises"], facts["changes"], entries, news

    shutil.copytree(place.folder, tmp_path / "lake")
    other = LakePlace.of(tmp_path / "lake")
    wrong = [count_row(paper, datetime.now(T0.tzinfo) + 3 * DAY, 9_999) for paper in ("p1", "p2", "p4")]
    load_rows(other, LATER, "ahead", citation_counts=wrong)
    for mine, theirs in zip(shown(other), shown(place), strict=True):
        assert mine == theirs


def test_a_retraction_is_never_pushed_out_by_what_is_newer(empty_lake, tmp_path):
    place = empty_lake(tmp_path / "lake")
    newer = [
        mention_row(f"f{number}", title=f"New {number}", status="failed", first_seen_at=T0 + number * DAY)
        for number in range(2, MOST_ENTRIES + 30)
    ]
    own = mention_row(paper_id="p1", method="identifier")
    load_rows(place, T0, "first", reading_lists=[list_row()], papers=[paper_row(retracted=True)], mentions=[own])
    retracted = retraction_row(first_seen_at=T0 + DAY)
    load_rows(place, T0 + DAY, "second", retractions=[retracted], mentions=[own, *newer])
    read = feedparser.parse(feed_of(place))
    assert len(read.entries) == MOST_ENTRIES
    assert [entry.title for entry in read.entries if entry.tags[0].term == "retracted"] != []
    assert read.entries[0].title == f"Added: New {MOST_ENTRIES + 29}"
