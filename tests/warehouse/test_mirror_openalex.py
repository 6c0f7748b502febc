"""The mirror of OpenAlex: imported from its snapshot, refused where it cannot be right, and asked as the service is."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import duckdb
import pytest

from flows.commands.mirror import mirror_import, mirror_update
from sources.bibliography.identifiers import Identifier
from sources.errors import UsageError, WarehouseError
from sources.services.openalex.answers import CitingQuestion
from standins.servers.s3 import BUCKET
from warehouse.lake.place import LakePlace
from warehouse.mirrors import MirrorFolder, Mirrors, importing, lookup
from warehouse.mirrors.importing import Dump, import_dump
from warehouse.mirrors.local import OpenAlexFromMirror
from warehouse.mirrors.release_check import refuse_at_odds
from warehouse.mirrors.snapshot import read_snapshot
from warehouse.mirrors.workers import on_dask

NOW = datetime(2026, 6, 26, tzinfo=UTC)


def work(number: int, title: str | None = "A Study of Storage Engines", *, cites=(), day="2026-06-20", **changes):
    """A work in the form of the snapshot."""
    author = {"id": "https://openalex.org/A1", "display_name": "Ann Ames", "orcid": None}
    institutions = [{"id": "https://openalex.org/I1", "display_name": "University 1"}]
    place = {
        "is_oa": True,
        "landing_page_url": f"http://arxiv.org/abs/2003.{number:05}v2",
        "version": "submittedVersion",
        "source": {"id": "https://openalex.org/S1", "display_name": "arXiv", "type": "repository"},
    }
    return {
        "id": f"https://openalex.org/W{number}",
        "doi": f"https://doi.org/10.5555/{number}",
        "title": title,
        "publication_year": 2020,
        "publication_date": "2020-03-04",
        "type": "article",
        "cited_by_count": number,
        "counts_by_year": [{"year": 2025, "cited_by_count": 3}],
        "referenced_works": [f"https://openalex.org/W{each}" for each in cites],
        "authorships": [{"raw_author_name": "Ann Ames", "author": author, "institutions": institutions}],
        "topics": [{"id": "https://openalex.org/T1", "display_name": "Storage", "score": 0.9}],
        "is_retracted": False,
        "open_access": {"is_oa": True, "oa_status": "green", "oa_url": None},
        "primary_location": {"is_oa": False, "landing_page_url": None, "version": None, "source": None},
        "locations": [place],
        "updated_date": f"{day}T10:00:00.123456",
        **changes,
    }


ADJECTIVES = "Learned Robust Distributed Adaptive Streaming Private Verified Compressed Parallel Secure".split()
NOUNS = "Indexes Joins Caches Transactions Queries Schedulers Replicas Hashing Sorting Recovery".split()

TITLES = [f"{first} {second} for Databases" for first in ADJECTIVES for second in NOUNS]

PUBLIC = {"ACL": "public-read"}  # as OpenAlex's bucket is


def surname(title: str) -> str:
    first, second, *_ = title.split()
    return first + second.lower()


def by(title: str):
    return {"raw_author_name": f"Ann {surname(title)}", "author": {"id": "https://openalex.org/A1"}}


WORKS = [work(1, cites=[2, 3]), work(2, "On Learned Indexes", cites=[3]), work(3, None), work(4, "A Survey", cites=[1])]


@pytest.fixture
def mirrors(tmp_path):
    return Mirrors(tmp_path / "lake" / "mirror")


def lines(path: Path, works) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    body = "".join(json.dumps(each) + "\n" for each in works).encode()
    path.write_bytes(gzip.compress(body) if path.suffix == ".gz" else body)
    return path


def columns(path: Path, works) -> Path:
    """Writes works as Parquet, with columns for all fields."""
    source = lines(path.with_suffix(".jsonl"), works)
    with duckdb.connect() as connection:
        sql = f"SELECT * REPLACE (updated_date::TIMESTAMP AS updated_date) FROM read_json('{source}')"
        connection.execute(f"COPY ({sql}) TO '{path}' (FORMAT parquet)")
    source.unlink()
    return path


def snapshot(folder: Path, parts: dict[str, list], *, date="2026-06-26", form="parquet") -> Path:
    """Writes a snapshot: day -> works, each a part, with its manifest."""
    write, ending = (columns, "parquet") if form == "parquet" else (lines, "gz")
    files = []
    for day, works in parts.items():
        part = folder / f"updated_date={day}" / f"part_0000.{ending}"
        part.parent.mkdir(parents=True, exist_ok=True)
        write(part, works)
        url = f"s3://openalex/data/{form}/works/{part.parent.name}/{part.name}"
        files.append({"url": url, "meta": {"content_length": part.stat().st_size, "record_count": len(works)}})
    (folder / "manifest.json").write_text(json.dumps({"date": date, "entity": "works", "files": files}))
    return folder


def upload(s3, folder: Path, place: str) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            s3.client.upload_file(str(path), BUCKET, f"{place}/{path.relative_to(folder)}", PUBLIC)


def take(mirrors: Mirrors, *files: Path, **options):
    mirrors.close()
    dump = Dump(source="openalex", files=files, **options)
    return import_dump(mirrors.openalex.folder, dump)


@pytest.mark.parametrize("write", [lines, columns], ids=["json", "parquet"])
def test_works_are_found_by_identifier_title_and_what_they_cite(mirrors, tmp_path, write):
    made = take(mirrors, write(tmp_path / "works.part", WORKS))
    assert (made.rows, made.refused, made.left_out, made.told_at[:10]) == (4, 0, 0, "2026-06-20")
    client = OpenAlexFromMirror(mirrors.openalex)
    answer = client.fetch_papers(["10.5555/1", "10.48550/arxiv.2003.00002", "10.5555/9"])
    assert {doi: each.work_id for doi, each in answer.found.items()} == {
        "10.5555/1": "W1",
        "10.48550/arxiv.2003.00002": "W2",
    }
    assert answer.not_found == {"10.5555/9"}
    first = answer.found["10.5555/1"]
    assert (first.citation_count, dict(first.citations_by_year), first.references) == (1, {2025: 3}, ("W2", "W3"))
    assert (first.authors[0].institutions, first.topics, first.retracted) == (("University 1",), ("Storage",), False)
    assert client.fetch_works(["W2", "W3", "W8"]).not_found == {"W3", "W8"}, "a work without a title is no answer"
    citing = client.fetch_citing(CitingQuestion(work_ids=("W3",), most=9))
    assert dict(citing.works) == {"W1": ("W2", "W3"), "W2": ("W3",)}
    wanted = [Identifier("arxiv", "2003.00002"), Identifier("openalex", "W1"), Identifier("doi", "10.5555/4")]
    assert [paper.work_id for paper in mirrors.by_identifiers(wanted).values()] == ["W2", "W1", "W4"]
    (paper,) = mirrors.by_titles(["On Lerned Indexes"])["On Lerned Indexes"]
    assert (paper.work_id, paper.arxiv_id, paper.year) == ("W2", "2003.00002", 2020)


def test_terms_of_one_hash_lead_to_no_other_work(mirrors, tmp_path, monkeypatch):
    few = lookup.MACROS.replace("hash(text) >> 24", "hash(text) % 2")
    assert few != lookup.MACROS
    monkeypatch.setattr(lookup, "MACROS", few)
    take(mirrors, lines(tmp_path / "works.jsonl", WORKS))
    client = OpenAlexFromMirror(mirrors.openalex)
    assert {paper.work_id for paper in client.search_titles(["On Learned Indexes"]).papers} == {"W2"}
    assert client.fetch_papers(["10.5555/1"]).found["10.5555/1"].work_id == "W1"
    assert list(client.fetch_citing(CitingQuestion(work_ids=("W1",), most=9)).works) == ["W4"]


def test_citing_works_beyond_what_there_can_be_are_an_error_and_a_day_leaves_out(mirrors, tmp_path):
    take(mirrors, lines(tmp_path / "w.jsonl", [work(1, cites=[3]), work(2, cites=[3], publication_date="2024-01-01")]))
    client = OpenAlexFromMirror(mirrors.openalex)
    assert client.fetch_citing(CitingQuestion(work_ids=("W3",), most=1)).error is not None
    since = CitingQuestion(work_ids=("W3",), most=9, since=datetime(2023, 1, 1, tzinfo=UTC).date())
    assert list(client.fetch_citing(since).works) == ["W2"]


@pytest.mark.parametrize("write", [lines, columns], ids=["json", "parquet"])
def test_what_cannot_be_true_is_left_out_and_what_is_no_work_is_refused(mirrors, tmp_path, write):
    odd = [
        work(1, publication_year=2999),
        work(2, doi="https://doi.org/ten.5555"),
        work(3, "x" * 3_000),
        work(4, referenced_works=["https://openalex.org/A7"]),
        work(5) | {"id": "https://openalex.org/A5"},
        work(6, updated_date="2999-01-01T00:00:00"),
    ]
    made = take(mirrors, write(tmp_path / "works.part", odd))
    assert (made.rows, made.refused, made.left_out) == (4, 2, 3)
    notes = (mirrors.openalex.folder.path / made.name / "refused.jsonl").read_text(encoding="utf-8").splitlines()
    by_line = {note["line"]: note for note in map(json.loads, notes)}
    assert {number: note.get("field") for number, note in by_line.items()} == {
        1: "publication_year",
        2: "doi",
        3: None,
        4: "referenced_works",
        5: None,
    }
    works = mirrors.openalex.works_by_id(["W1", "W2", "W4", "W6"])
    assert (works["W1"].year, works["W2"].doi, works["W4"].references) == (None, None, ())


def test_parquet_of_another_table_is_refused(mirrors, tmp_path):
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 1 AS id, 'x' AS title) TO '{tmp_path}/x.parquet' (FORMAT parquet)")
    with pytest.raises(UsageError, match="no column referenced_works, authorships, locations"):
        take(mirrors, tmp_path / "x.parquet")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "x.parquet").read_bytes()[:-9])
    with pytest.raises(UsageError, match="cut off or damaged"):
        take(mirrors, tmp_path / "cut.parquet")


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_a_snapshot_is_read_by_its_manifest_and_brought_up_to_date_by_newer_folders(mirrors, tmp_path, form, capsys):
    lake = str(LakePlace.of(tmp_path / "lake").folder)
    first = snapshot(tmp_path / "first", {"2026-06-01": WORKS[:2], "2026-06-20": WORKS[2:]}, form=form)
    mirror_import("openalex", [str(first)], lake=lake)
    assert mirrors.openalex.release.as_of == NOW
    assert not mirrors.openalex.release.whole, "four works are not all that OpenAlex has"
    mirrors.close()
    newer = [work(2, "On Learned Indexes, Again", day="2026-09-01"), work(5, "New", cites=[2], day="2026-09-01")]
    second = snapshot(tmp_path / "second", {"2026-06-01": WORKS[:1], "2026-09-01": newer}, date="2026-09-26", form=form)
    merged = lines(tmp_path / "merged.csv", [])
    merged.write_text("merge_date,id,merge_into_id\n2026-09-02,W4,W1\n")
    mirror_update("openalex", [str(second)], [merged], lake=lake)
    release = mirrors.openalex.release
    assert (f"{release.as_of:%Y-%m-%d}", release.rows, release.deleted) == ("2026-09-26", 4, 1)
    found = mirrors.openalex.works_by_id(["W1", "W2", "W4", "W5"])
    assert {number: each.title for number, each in found.items()} == {
        "W1": "A Study of Storage Engines",
        "W2": "On Learned Indexes, Again",
        "W5": "New",
    }
    assert "of OpenAlex in the mirror" in capsys.readouterr().out


def test_a_snapshot_that_is_not_all_there_is_refused_by_name(tmp_path):
    folder = snapshot(tmp_path / "s", {"2026-06-01": WORKS})
    (folder / "updated_date=2026-06-01" / "part_0000.parquet").unlink()
    with pytest.raises(UsageError, match=r"part_0000.parquet is missing or cut off \(0 of 1 part are there whole\)"):
        read_snapshot(str(folder))
    (folder / "manifest.json").unlink()
    with pytest.raises(UsageError, match=r"has no manifest.json, which names the snapshot's parts"):
        read_snapshot(str(folder))
    (folder / "manifest.json").write_text('{"files": [{"url": "s3://openalex/data/parquet/authors/x"}]}')
    with pytest.raises(UsageError, match="names no parts of works"):
        read_snapshot(str(folder))


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_a_part_with_other_works_than_the_manifest_counts_is_refused_with_figures(mirrors, tmp_path, form):
    folder = snapshot(tmp_path / "s", {"2026-06-01": WORKS[:1], "2026-06-20": WORKS[1:]}, form=form)
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"record_count": 3', '"record_count": 400000'))
    lake = str(LakePlace.of(tmp_path / "lake").folder)
    with pytest.raises(WarehouseError, match=r"-20/part_0000.\w+ has 3 rows, and the manifest says 400,000: .*--force"):
        mirror_import("openalex", [str(folder)], lake=lake)
    assert mirrors.openalex.release is None
    mirror_import("openalex", [str(folder)], lake=lake, force=True)
    mirrors.close()
    assert mirrors.openalex.release.rows == 4


def test_a_release_with_mixed_up_titles_is_refused_with_figures(mirrors, tmp_path):
    works = [work(number, title, authorships=[by(title)]) for number, title in enumerate(TITLES, 1)]
    take(mirrors, lines(tmp_path / "w.jsonl", works))
    before = mirrors.openalex.release
    mixed = [each | {"title": title} for each, title in zip(works, TITLES[1:] + TITLES[:1], strict=True)]
    check = partial(refuse_at_odds, tmp_path / "lake" / "mirror")
    with pytest.raises(
        UsageError, match="at odds with the one before: 100 of 100 works compared are others, such as W"
    ):
        take(mirrors, lines(tmp_path / "mixed.jsonl", mixed), check=check)
    assert mirrors.openalex.release == before
    assert [path.name for path in mirrors.openalex.folder.path.glob("release-*")] == [before.name]
    arxiv = [
        {"id": f"2003.{number:05}", "title": title, "authors_parsed": [[surname(title), "Ann"]]}
        for number, title in enumerate(TITLES, 1)
    ]
    import_dump(
        MirrorFolder(tmp_path / "lake" / "mirror" / "arxiv"),
        Dump(source="arxiv", files=(lines(tmp_path / "a.jsonl", arxiv),)),
    )
    slightly = [each | {"title": "Renamed"} if number < 4 else each for number, each in enumerate(works)]
    made = take(mirrors, lines(tmp_path / "next.jsonl", slightly), check=check)
    assert made.rows == 100
    mixed = [each | {"locations": works[number - 50]["locations"]} for number, each in enumerate(works)]
    with pytest.raises(UsageError, match="at odds with arXiv's mirror"):
        take(mirrors, lines(tmp_path / "places.jsonl", mixed), check=check)


def test_an_update_with_mixed_up_titles_is_refused_and_leaves_the_mirror_as_it_was(tmp_path, mirrors):
    lake = str(LakePlace.of(tmp_path / "lake").folder)
    works = [work(number, title, day="2026-06-01") for number, title in enumerate(TITLES, 1)]
    same = [work(number + 1_000, f"{title}, Revisited", day="2026-06-01") for number, title in enumerate(TITLES, 1)]
    mirror_import("openalex", [str(snapshot(tmp_path / "first", {"2026-06-01": [*works, *same]}))], lake=lake)
    before = mirrors.openalex.release
    mirrors.close()
    kept = sorted(mirrors.openalex.folder.path.rglob("*"))
    mixed = [each | {"title": title} for each, title in zip(works, TITLES[1:] + TITLES[:1], strict=True)]
    second = snapshot(tmp_path / "second", {"2026-09-01": mixed}, date="2026-09-26")
    with pytest.raises(UsageError, match="at odds with the one before: 100 of 100 works compared are others"):
        mirror_update("openalex", [str(second)], lake=lake)
    assert mirrors.openalex.release == before
    mirrors.close()
    assert sorted(mirrors.openalex.folder.path.rglob("*")) == kept
    mirror_update("openalex", [str(second)], lake=lake, force=True)
    assert mirrors.openalex.works_by_id(["W1"])["W1"].title == TITLES[1]


def test_a_release_that_cannot_be_compared_is_refused(mirrors, tmp_path):
    take(mirrors, lines(tmp_path / "w.jsonl", WORKS))
    mirrors.close()
    folder = mirrors.openalex.folder
    folder.papers(folder.release, 0).write_bytes(b"damaged")
    with pytest.raises(UsageError, match=r"cannot be compared with the one before: .*add --force"):
        take(mirrors, lines(tmp_path / "w2.jsonl", WORKS[:3]), check=partial(refuse_at_odds, folder.path.parent))


@pytest.mark.slow
def test_a_part_that_s3_does_not_give_costs_no_other(mirrors, tmp_path, s3, monkeypatch):
    folder = snapshot(tmp_path / "snapshot", {"2026-06-01": WORKS[:2], "2026-06-20": WORKS[2:]})
    place = f"openalex/{tmp_path.name}/works"
    upload(s3, folder, place)
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.url)
    parts = read_snapshot(f"s3://{BUCKET}/{place}").parts
    s3.client.delete_object(Bucket=BUCKET, Key=f"{place}/updated_date=2026-06-20/part_0000.parquet")
    with pytest.raises(WarehouseError, match=r"-20/part_0000.parquet \(.*\): the same import again goes on from there"):
        take(mirrors, *parts)
    taken = {path: path.stat().st_mtime_ns for path in mirrors.openalex.folder.path.rglob("000000/taken.json")}
    assert len(taken) == 1
    upload(s3, folder, place)
    monkeypatch.setattr(importing, "write_index", lambda *_, **__: sys.exit("all parts are taken"))
    with pytest.raises(SystemExit):
        take(mirrors, *parts)
    assert (
        taken.items()
        < {path: path.stat().st_mtime_ns for path in mirrors.openalex.folder.path.rglob("*/taken.json")}.items()
    )


@pytest.mark.slow
@pytest.mark.nightly
def test_workers_of_a_cluster_import_a_snapshot_from_s3_and_one_of_them_is_killed(mirrors, tmp_path, s3, monkeypatch):
    distributed = pytest.importorskip("distributed")
    parts = {
        f"2026-06-{day:02}": [work(100 * day + number, f"{TITLES[number]} in {day} Steps") for number in range(100)]
        for day in range(1, 9)
    }
    folder = snapshot(tmp_path / "snapshot", parts)
    alone = take(mirrors, *read_snapshot(str(folder)).parts)
    by_number = mirrors.openalex.works_by_id([f"W{100 * day + number}" for day in range(1, 9) for number in range(100)])
    place = f"openalex/{tmp_path.name}/works"
    upload(s3, folder, place)
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.url)
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    try:
        remote = read_snapshot(f"s3://{BUCKET}/{place}")
        assert remote.told_at == NOW
        killed = []

        def kill_one(_: int) -> None:
            if not killed:
                killed.append(next(iter(cluster.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)

        dump = Dump(source="openalex", files=remote.parts)
        other = Mirrors(tmp_path / "other")
        made = import_dump(other.openalex.folder, dump, spread=on_dask(cluster.scheduler_address), on_bytes=kill_one)
    finally:
        cluster.close()
    assert killed
    assert (made.rows, made.blocks, made.refused) == (alone.rows, alone.blocks, 0) == (800, 8, 0)
    assert other.openalex.works_by_id(by_number) == by_number
