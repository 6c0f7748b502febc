"""What the lake holds leads back to the reply it came from, and the replies can be read again with a better parser."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sources.records import Reply
from sources.services.registry import parse_reply
from standins import StandIns
from standins.trials.bench import Bench
from warehouse.lake.session import latest_snapshot, writing
from warehouse.maintenance.lake_check import check_lake

pytestmark = pytest.mark.slow

LIST = """# Reading

- [Fast R-CNN](https://arxiv.org/abs/1504.08083)
- [Going Deeper with Convolutions](https://arxiv.org/pdf/1409.4842v1.pdf) (2014)
- GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism (2018)
"""


@pytest.fixture(scope="module")
def lakes(tmp_path_factory, _lake_without_rows: Path, _small_process: StandIns) -> dict[str, Path]:
    """Folders of lakes of the list, `plain` and with what OpenAlex tells, `works`: tests copy them."""
    _small_process.reset()
    folders = {name: tmp_path_factory.mktemp(name) / "bench" for name in ("plain", "works")}
    for name, folder in folders.items():
        shutil.copytree(_lake_without_rows, folder / "lake")
        bench = Bench(folder, _small_process.env(openalex=name == "works"))
        bench.refresh(bench.write(LIST))
    return folders


@pytest.fixture
def refreshed(lakes: dict[str, Path], tmp_path: Path) -> Bench:
    return Bench(Path(shutil.copytree(lakes["plain"], tmp_path / "bench")), {})


@pytest.fixture
def with_works(lakes: dict[str, Path], tmp_path: Path) -> Bench:
    return Bench(Path(shutil.copytree(lakes["works"], tmp_path / "bench")), {})


def reparse(bench: Bench, *options: str) -> dict:
    return json.loads(bench.does("lake", "reparse", "--json", *options))


def spoil(bench: Bench, *statements: str) -> None:
    """Changes rows as a parser with a fault would have written them."""
    with writing(bench.place) as connection:
        for statement in statements:
            connection.execute(statement)


def replies(bench: Bench) -> dict[str, Reply]:
    rows = bench.rows("SELECT sha256, source, request_key, fetched_at, status, body FROM replies")
    return {row.pop("sha256"): Reply(**row) for row in rows}


def test_every_observation_and_every_harvest_leads_to_the_reply_that_told_it(refreshed: Bench):
    kept = replies(refreshed)
    counts = refreshed.rows("SELECT c.*, p.s2_paper_id FROM citation_counts c JOIN papers p USING (paper_id)")
    assert len(counts) == 3
    for row in counts:
        told = {paper.s2_paper_id: paper for paper in parse_reply(kept[row["reply_sha256"]])}
        assert told[row["s2_paper_id"]].citation_count == row["citation_count"]
    harvests = refreshed.rows("SELECT h.*, p.arxiv_id FROM harvests h JOIN papers p USING (paper_id)")
    assert {row["source"] for row in harvests} == {"arxiv", "s2"}
    for row in harvests:
        told = parse_reply(kept[row["reply_sha256"]])
        assert row["arxiv_id"] in {paper.arxiv_id for paper in told}


def test_reading_again_what_was_read_well_changes_nothing(refreshed: Bench):
    before = refreshed.contents()
    done = reparse(refreshed, "--write")
    assert done | {"replies": 0} == {
        "replies": 0, "counts": 0, "papers": 0, "changed": {}, "unread": [], "written": False,
    }  # fmt: skip
    assert done["replies"] > 0
    assert refreshed.contents() == before
    assert len(refreshed.rows("FROM runs")) == 1


def test_what_was_misread_is_shown_first_and_then_put_right_in_one_snapshot(refreshed: Bench):
    before = refreshed.contents()
    spoil(
        refreshed,
        "UPDATE citation_counts SET citation_count = 1 "
        "WHERE paper_id IN (SELECT paper_id FROM papers WHERE year = 2015)",
        "UPDATE papers SET citation_count = 1, abstract = 'cut', authors = ['Nobody'] WHERE year = 2015",
    )
    spoiled = refreshed.contents()
    assert spoiled != before
    shown = reparse(refreshed)
    assert (shown["counts"], shown["papers"], shown["written"]) == (1, 1, False)
    assert set(shown["changed"]) == {"abstract", "authors", "citation_count"}
    assert refreshed.contents() == spoiled

    with writing(refreshed.place) as connection:
        snapshot = latest_snapshot(connection)
    assert reparse(refreshed, "--write")["written"]
    assert refreshed.contents() == before
    with writing(refreshed.place) as connection:
        assert latest_snapshot(connection) == snapshot + 1
    assert [row["status"] for row in refreshed.rows("FROM runs ORDER BY finished_at")] == ["completed", "reparsed"]
    assert check_lake(refreshed.place, deep=True).faults == []
    assert reparse(refreshed, "--write")["written"] is False


@pytest.mark.nightly
def test_a_doi_that_was_misread_leaves_the_paper_and_its_identifiers(refreshed: Bench):
    before = refreshed.contents()
    (row,) = refreshed.rows("SELECT paper_id FROM papers WHERE arxiv_id = '1504.08083'")
    spoil(
        refreshed,
        f"UPDATE papers SET s2_doi = '10.1000/misread', doi = '10.1000/misread' WHERE paper_id = '{row['paper_id']}'",
        f"INSERT INTO paper_identifiers VALUES ('{row['paper_id']}', 'doi', '10.1000/misread')",
    )
    assert set(reparse(refreshed, "--write")["changed"]) == {"doi", "s2_doi"}
    assert refreshed.contents() == before


def test_only_replies_of_the_parser_in_doubt_are_read(refreshed: Bench):
    spoil(refreshed, "UPDATE papers SET abstract = 'cut'")
    assert reparse(refreshed, "--since", "99")["replies"] == 0
    assert reparse(refreshed, "--since", "1")["papers"] == 3


def test_a_reply_that_cannot_be_read_is_named_and_the_others_are_read(refreshed: Bench):
    spoil(
        refreshed,
        "UPDATE replies SET body = 'no feed'::BLOB WHERE source = 'arxiv'",
        "UPDATE papers SET venue = 'cut'",
    )
    done = reparse(refreshed)
    assert done["unread"]
    assert all("arXiv" in reason for reason in done["unread"])


def test_a_paper_that_a_mirror_told_of_since_keeps_what_that_told(refreshed: Bench):
    spoil(
        refreshed,
        "UPDATE papers SET abstract = 'of the mirror'",
        "UPDATE harvests SET asked_at = asked_at + INTERVAL 1 HOUR, reply_sha256 = NULL WHERE source = 'arxiv'",
        "UPDATE harvests SET asked_at = asked_at + INTERVAL 1 HOUR, reply_sha256 = NULL WHERE source = 's2'",
    )
    assert reparse(refreshed)["papers"] == 0


@pytest.mark.nightly
def test_a_number_that_another_paper_has_since_corrects_no_count_of_it(refreshed: Bench):
    one, other = refreshed.rows("SELECT * FROM papers ORDER BY citation_count DESC LIMIT 2")
    counts = refreshed.rows("FROM citation_counts ORDER BY ALL")
    spoil(
        refreshed,
        *(
            f"UPDATE {table} SET {column} = CASE {column} WHEN '{one['s2_paper_id']}' THEN '{other['s2_paper_id']}' "
            f"ELSE '{one['s2_paper_id']}' END WHERE {column} IN ('{one['s2_paper_id']}', '{other['s2_paper_id']}')"
            for table, column in (("papers", "s2_paper_id"), ("paper_identifiers", "value"))
        ),
    )
    assert reparse(refreshed, "--write")["counts"] == 0
    assert refreshed.rows("FROM citation_counts ORDER BY ALL") == counts
    titles = {row["paper_id"]: row["title"] for row in refreshed.rows("FROM papers")}
    assert (titles[one["paper_id"]], titles[other["paper_id"]]) == (one["title"], other["title"])


TABLES = ("openalex_works", "citations_by_year", "paper_references", "paper_authors")


@pytest.mark.nightly
def test_what_was_misread_of_openalex_is_put_right_and_nothing_else_changes(with_works: Bench):
    before = with_works.contents()
    assert all(before[table] for table in TABLES)
    one = "(SELECT min(paper_id) FROM openalex_works)"
    spoil(
        with_works,
        f"UPDATE openalex_works SET venue = 'cut', citation_count = 1 WHERE paper_id = {one}",
        f"UPDATE citations_by_year SET citation_count = citation_count + 1 WHERE paper_id = {one}",
        f"DELETE FROM paper_references WHERE paper_id = {one} AND cited_openalex_id = "
        f"(SELECT min(cited_openalex_id) FROM paper_references WHERE paper_id = {one})",
        "INSERT INTO paper_authors SELECT * REPLACE (99 AS position) FROM paper_authors "
        f"WHERE paper_id = {one} AND position = 1",
        "UPDATE citation_counts SET citation_count = 1 WHERE source = 'openalex'",
    )
    assert with_works.contents() != before
    shown = reparse(with_works)
    assert shown["changed"] == dict.fromkeys(TABLES, 1)
    assert (shown["counts"], shown["papers"]) == (len(with_works.rows("FROM openalex_works")), 0)
    assert reparse(with_works, "--write")["written"]
    assert with_works.contents() == before
    assert check_lake(with_works.place, deep=True).faults == []
    assert reparse(with_works, "--write")["written"] is False


@pytest.mark.nightly
def test_a_reply_of_openalex_about_another_paper_changes_nothing(with_works: Bench):
    spoil(
        with_works,
        "UPDATE papers SET title = 'Something Else Altogether', title_keys = ['somethingelsealtogether']",
        "UPDATE openalex_works SET venue = 'cut'",
    )
    done = reparse(with_works)
    assert "openalex_works" not in done["changed"]
    assert any("no longer tells" in reason for reason in done["unread"])
