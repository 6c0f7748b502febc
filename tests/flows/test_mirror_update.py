from __future__ import annotations

import gzip
import json
from datetime import UTC, date, datetime

import pytest

from flows.commands.mirror import update_from_arxiv, update_from_files
from sources.bibliography.identifiers import Identifier
from sources.errors import PayloadError, PermanentSourceError, SourceError, TokenExpired, UsageError
from sources.services.arxiv.oai import parse_page
from standins.arxiv.oai import Change, OaiStandIn
from standins.catalogue.dumps import s2_row
from standins.catalogue.papers import paper_from
from tests.warehouse.test_mirror import ROWS, dump, row
from warehouse.mirrors import ArxivMirror, MirrorFolder, S2Mirror
from warehouse.mirrors.importing import Dump, Increments, apply_update, import_dump

pytestmark = pytest.mark.slow


def paper(arxiv_id, title, **told):
    return paper_from(
        {"arxiv_id": arxiv_id, "title": title, "authors": ["Ada Lovelace"], "categories": ["cs.LG"]} | told
    )


NEW = paper("2611.00001", "A Paper of Yesterday", abstract="Fresh.")
CHANGED = paper("1706.03762", "Attention Is All You Need (Revised)")
CHANGES = [
    Change(arxiv_id="0704.0001", day="2020-01-01", paper=paper("0704.0001", "An Old Change")),
    Change(arxiv_id="2611.00001", day="2026-11-20", paper=NEW),
    Change(arxiv_id="1706.03762", day="2026-11-20", paper=CHANGED),
    Change(arxiv_id="1312.5602", day="2026-11-20", paper=None),
]


@pytest.fixture
def lake(tmp_path, monkeypatch):
    """A lake whose mirror of arXiv was told on 15 November, and an endpoint of changes since."""
    folder = MirrorFolder(tmp_path / "lake" / "mirror" / "arxiv")
    whole = Dump(source="arxiv", files=(dump(tmp_path / "dump.jsonl"),), told_at=datetime(2026, 11, 15, tzinfo=UTC))
    import_dump(folder, whole)
    monkeypatch.setenv("PAPERLAKE_ARXIV_INTERVAL", "0")
    monkeypatch.setenv("PAPERLAKE_BACKOFF", "0")
    return tmp_path / "lake"


@pytest.fixture
def oai(monkeypatch):
    with OaiStandIn(CHANGES) as standin:
        monkeypatch.setenv("PAPERLAKE_ARXIV_OAI_URL", standin.url)
        yield standin


def held(lake, *ids):
    mirror = ArxivMirror(lake / "mirror" / "arxiv")
    found = mirror.by_identifiers([Identifier("arxiv", one) for one in ids])
    return {one.value: told.title for one, told in found.items()}


def test_an_update_brings_what_is_new_replaces_what_has_changed_and_takes_away_what_was_deleted(lake, oai):
    release = update_from_arxiv(lake=str(lake))
    assert held(lake, "2611.00001", "1706.03762", "1312.5602", "1512.03385", "0704.0001") == {
        "2611.00001": "A Paper of Yesterday",
        "1706.03762": "Attention Is All You Need (Revised)",
        "1512.03385": "Deep Residual Learning for Image Recognition",
    }
    assert (release.rows, release.duplicates, release.deleted) == (5, 1, 1)
    assert release.as_of == datetime(2026, 11, 21, 6, tzinfo=UTC)
    assert oai.asked[0] == {"verb": "ListRecords", "metadataPrefix": "arXivRaw", "from": "2026-11-15"}
    mirror = ArxivMirror(lake / "mirror" / "arxiv")
    assert [told.arxiv_id for told in mirror.by_titles(["A Papr of Yesterday"])["A Papr of Yesterday"]] == [
        "2611.00001"
    ]
    assert all(told.arxiv_id != "1312.5602" for told in mirror.by_titles([ROWS[2]["title"]]).get(ROWS[2]["title"], ()))
    revised = [told.title for told in mirror.by_titles([ROWS[0]["title"]])[ROWS[0]["title"]]]
    assert revised[0] == "Attention Is All You Need (Revised)"
    assert ROWS[0]["title"] not in revised


def test_the_next_update_asks_from_the_day_of_the_last_and_the_same_changes_again_change_nothing(lake, oai):
    first = update_from_arxiv(lake=str(lake))
    oai.changes = [Change(arxiv_id=each.arxiv_id, day="2026-11-21", paper=each.paper) for each in CHANGES[1:]]
    again = update_from_arxiv(lake=str(lake))
    assert oai.asked[-2]["from"] == "2026-11-21"
    assert (again.rows, again.deleted) == (first.rows, first.deleted)
    assert held(lake, "2611.00001", "1312.5602") == {"2611.00001": "A Paper of Yesterday"}
    oai.changes = []
    assert update_from_arxiv(lake=str(lake)).rows == first.rows, "nothing new is no fault"


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param((503, {"Retry-After": "0"}, b"busy"), id="503"),
        pytest.param((200, {}, b"<?xml version='1.0'?><OAI-PMH xmlns='http://www.open"), id="cut-off"),
        pytest.param((200, {}, b"<!DOCTYPE html><html></html>"), id="a-page"),
    ],
)
def test_a_passing_fault_is_asked_again_and_never_taken_for_no_change(lake, oai, fault):
    oai.faults.extend([fault, None, fault])
    assert update_from_arxiv(lake=str(lake)).rows == 5
    assert len(oai.asked) == 4


@pytest.fixture
def stopped(lake, oai, monkeypatch):
    """The lake after an update that got its first page of two."""
    monkeypatch.setenv("PAPERLAKE_TRIES", "1")
    oai.faults.extend([None, (500, {}, b"")])
    with pytest.raises(SourceError):
        update_from_arxiv(lake=str(lake))
    return lake


TOKEN = "2026-11-15|2|arXivRaw"


def test_a_stop_costs_one_page_and_the_next_update_goes_on_with_the_token(stopped, oai):
    assert held(stopped, "2611.00001") == {}
    assert update_from_arxiv(lake=str(stopped)).rows == 5
    assert [each.get("resumptionToken") for each in oai.asked] == [None, TOKEN, TOKEN]


@pytest.mark.parametrize("lost", ["token", "page"])
def test_a_token_that_has_expired_or_a_page_that_was_lost_starts_the_update_anew(stopped, oai, lost):
    oai.page_size = 5
    if lost == "token":
        oai.expired.add(TOKEN)
    else:
        (stopped / "mirror" / "arxiv" / "increments" / "page-000000.json").unlink()
    assert update_from_arxiv(lake=str(stopped)).rows == 5
    assert oai.asked[-1] == {"verb": "ListRecords", "metadataPrefix": "arXivRaw", "from": "2026-11-15"}


def test_many_updates_leave_one_index_and_every_answer(lake, tmp_path):
    def updated(number, rows, gone=()):
        deleted = [dump(tmp_path / f"gone-{number}.jsonl", [{"id": one} for one in gone])] if gone else []
        changed = dump(tmp_path / f"changed-{number}.jsonl", rows)
        return update_from_files(
            "arxiv", [changed], deleted, lake=str(lake), told_at=datetime(2026, 11, 16, number, tzinfo=UTC)
        )

    updated(0, [row("2611.00100", "Paper 0"), row("2611.00200", "The Changing Paper 0")], gone=["1312.5602"])
    for number in range(1, 5):
        changes = [row(f"2611.{100 + number:05}", f"Paper {number}"), row("2611.00200", f"The Changing Paper {number}")]
        release = updated(number, changes)
    assert held(lake, "2611.00200", "1312.5602", "1512.03385", *(f"2611.{100 + each:05}" for each in range(5))) == {
        "2611.00200": "The Changing Paper 4",
        "1512.03385": "Deep Residual Learning for Image Recognition",
    } | {f"2611.{100 + each:05}": f"Paper {each}" for each in range(5)}
    mirror = ArxivMirror(lake / "mirror" / "arxiv")
    offered = [told.title for told in mirror.by_titles(["The Changing Paper"])["The Changing Paper"]]
    assert [title for title in offered if "Changing" in title] == ["The Changing Paper 4"]
    assert (release.rows, release.duplicates, release.deleted) == (len(ROWS) - 1 + 6, 4, 1)
    mirror.close()
    updated(5, [row("2611.00200", "The Changing Paper 5")])
    indexes = (lake / "mirror" / "arxiv" / release.name).glob("index-*")
    assert [path.name for path in indexes] == ["index-0006.duckdb"]


def test_without_a_mirror_there_is_nothing_to_update(tmp_path, oai):
    with pytest.raises(UsageError, match="no mirror"):
        update_from_arxiv(lake=str(tmp_path / "lake"))
    assert oai.asked == []


def test_a_paper_with_several_versions_was_published_with_its_first(lake, oai):
    days = {"published": "2017-06-12T17:57:34Z", "updated": "2023-08-02T00:41:18Z", "version": 7}
    revised = paper(
        "1706.03762", "Attention Is All You Need", authors=["Ada Lovelace", "Ren\\'e Thom", "A. B."], **days
    )
    oai.changes = [Change(arxiv_id="1706.03762", day="2026-11-20", paper=revised)]
    update_from_arxiv(lake=str(lake))
    mirror = ArxivMirror(lake / "mirror" / "arxiv")
    (told,) = mirror.by_identifiers([Identifier("arxiv", "1706.03762")]).values()
    assert (told.published_at.date(), told.updated_at.date()) == (date(2017, 6, 12), date(2023, 8, 2))
    assert (told.version, told.authors) == (7, ("Ada Lovelace", "René Thom", "A. B."))


ANSWER = (
    '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-11-21T06:00:00Z</responseDate>'
    "{}</OAI-PMH>"
)


def page_of(records: str):
    return parse_page(ANSWER.format(f"<ListRecords>{records}</ListRecords>").encode())


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        ('<error code="badResumptionToken">x</error>', TokenExpired, None),
        ('<error code="badArgument">x</error>', PermanentSourceError, "badArgument"),
        ("", PayloadError, None),
    ],
)
def test_refusals_are_told_apart(content, error, said):
    with pytest.raises(error, match=said):
        parse_page(ANSWER.format(content).encode())


def test_a_release_diff_of_semantic_scholar_updates_and_deletes(tmp_path):
    lake = tmp_path / "lake"
    library = [paper("1706.03762", "Attention Is All You Need"), paper("1512.03385", "Deep Residual Learning")]
    shard = dump(tmp_path / "20261110_0", [s2_row(one) for one in library])
    folder = MirrorFolder(lake / "mirror" / "s2-papers")
    assert import_dump(folder, Dump(source="s2-papers", files=(shard,))).as_of == datetime(2026, 11, 10, tzinfo=UTC)
    renewed = s2_row(library[0]) | {"citationcount": 150_000}
    update = tmp_path / "updates.gz"
    update.write_bytes(gzip.compress(json.dumps(renewed).encode()))
    gone = tmp_path / "deletes.gz"
    gone.write_bytes(gzip.compress(json.dumps({"corpusid": library[1].corpus_id}).encode()))
    told_at = datetime(2026, 11, 17, tzinfo=UTC)
    release = update_from_files("s2-papers", [update], [gone], lake=str(lake), told_at=told_at)
    assert (release.rows, release.deleted, release.as_of) == (1, 1, told_at)
    mirror = S2Mirror(lake / "mirror" / "s2-papers")
    asked = [Identifier("arxiv", "1706.03762"), Identifier("arxiv", "1512.03385")]
    assert {one.value: told.citation_count for one, told in mirror.by_identifiers(asked).items()} == {
        "1706.03762": 150_000
    }


def test_a_line_that_names_no_paper_is_refused_with_its_file_and_line_and_the_others_are_followed(lake, tmp_path):
    gone = tmp_path / "gone.jsonl"
    rows = [{"id": "arXiv:1312.5602v3"}, {"id": "1399.00001"}, {"id": None}, {"no": "id"}, {"id": 1706.03762}]
    gone.write_bytes(b"\n".join([*(json.dumps(one).encode() for one in rows), b"", b"1706.03762", b"no JSON\n"]))
    more = dump(tmp_path / "more.jsonl", [row("2611.00002", "Sound"), b"no JSON"])
    told_at = datetime(2026, 11, 20, tzinfo=UTC)
    release = update_from_files("arxiv", [more], [gone], lake=str(lake), told_at=told_at)
    assert (release.rows, release.deleted, release.refused) == (len(ROWS), 1, 7)
    text = (lake / "mirror" / "arxiv" / release.name / "refused.jsonl").read_text(encoding="utf-8")
    notes = [json.loads(line) for line in text.splitlines()]
    lines = [(note["file"], note["line"]) for note in notes]
    assert sorted(lines) == [*(("gone.jsonl", line) for line in (2, 3, 4, 5, 7, 8)), ("more.jsonl", 2)]
    assert all(note["why"] and note["row"] for note in notes)


def test_a_file_of_deletions_that_is_cut_off_is_an_error_that_names_it_and_deletes_nothing(lake, tmp_path):
    gone = tmp_path / "gone.gz"
    gone.write_bytes(gzip.compress(b'{"id": "1312.5602"}\n' * 99)[:-9])
    with pytest.raises(UsageError, match=r"gone\.gz: it is cut off or damaged"):
        update_from_files("arxiv", [], [gone], lake=str(lake), told_at=datetime(2026, 11, 20, tzinfo=UTC))
    assert set(held(lake, "1312.5602")) == {"1312.5602"}


def test_deletions_of_arxivs_own_are_parsed_as_any_identifier_and_named_where_they_cannot_be():
    record = '<record><header status="deleted"><identifier>{}</identifier></header></record>'
    written = ("oai:arXiv.org:math/0211159", "oai:arXiv.org:math.DG/0211159v2", "OAI:arxiv.org:1312.5602",
               "oai:arXiv.org:x")  # fmt: skip
    page = page_of("".join(map(record.format, written)))
    assert page.deleted == ("math/0211159", "math/0211159", "1312.5602")
    assert ["oai:arXiv.org:x" in fault.message for fault in page.faults] == [True]


def test_a_record_without_content_or_with_the_metadata_of_another_paper_is_a_fault():
    page = page_of(
        "<record><header/></record><record><header><identifier>oai:arXiv.org:1312.5602</identifier></header><metadata>"
        '<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>1706.03762</id><title>T</title></arXivRaw></metadata>'
        "</record>"
    )
    assert page.rows == ()
    assert len(page.faults) == 2
    assert page.faults[1].message == "1312.5602 with the metadata of 1706.03762"


def test_what_a_page_brings_and_a_later_one_deletes_is_gone_and_the_reverse_stays(lake):
    folder = MirrorFolder(lake / "mirror" / "arxiv")
    increments = Increments(folder, date(2026, 11, 15))
    at = datetime(2026, 11, 20, tzinfo=UTC)
    increments.keep([row("2611.00001", "A"), row("2611.00002", "B")], ["2611.00003"], token="2", responded_at=at)
    increments.keep([row("2611.00003", "C")], ["2611.00001"], token=None, responded_at=at)
    apply_update(folder, increments.update())
    assert held(lake, "2611.00001", "2611.00002", "2611.00003") == {"2611.00002": "B", "2611.00003": "C"}


def test_two_updates_at_once_are_one_update_and_one_clear_refusal(lake, oai):
    with (
        MirrorFolder(lake / "mirror" / "arxiv").asking(),
        pytest.raises(UsageError, match=r"another update of .* is under way"),
    ):
        update_from_arxiv(lake=str(lake))
    assert oai.asked == []


def test_changes_since_a_day_are_not_applied_to_an_older_dump_imported_meanwhile(lake, tmp_path):
    folder = MirrorFolder(lake / "mirror" / "arxiv")
    increments = Increments(folder, date(2026, 11, 15))
    increments.keep([row("2611.00001", "A")], [], token=None, responded_at=datetime(2026, 11, 20, tzinfo=UTC))
    files = (dump(tmp_path / "older.jsonl", ROWS[:2]),)
    release = import_dump(folder, Dump(source="arxiv", files=files, told_at=datetime(2026, 10, 1, tzinfo=UTC)))
    with pytest.raises(UsageError, match="an older dump was imported meanwhile"):
        apply_update(folder, increments.update())
    assert folder.release == release
