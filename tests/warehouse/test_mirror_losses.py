"""A mirror neither loses a row nor makes one up: whatever the files, whoever reads, wherever it is stopped."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import zipfile
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sources.bibliography.identifiers import Identifier
from sources.errors import UsageError, WarehouseError
from standins.catalogue.dumps import s2_row
from standins.catalogue.papers import paper_from
from tests.warehouse.test_mirror import ROWS, by_arxiv_ids, dump, import_arxiv, row
from warehouse.mirrors import ArxivMirror, MirrorFolder, S2Mirror, importing
from warehouse.mirrors.importing import Dump, Update, apply_update, import_dump

NOW = datetime.now(UTC)
NAN, INF = float("nan"), float("inf")


@pytest.fixture
def mirror(tmp_path):
    return ArxivMirror(tmp_path / "lake" / "mirror" / "arxiv")


def lines(rows) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in rows)


def numbered(first, count):
    return [row(f"2001.{number:05}", f"Graph Learning {number}") for number in range(first, first + count)]


def refused(mirror):
    release = MirrorFolder(mirror.folder.path).release
    text = (mirror.folder.path / release.name / "refused.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def zst(body: bytes) -> bytes:
    return pa.Codec("zstd").compress(body).to_pybytes()


def zipped(body: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("dump.json", body)
    return packed.getvalue()


def test_packed_files_of_one_name_do_not_meet_where_all_are_cut_before_any_is_read(mirror, tmp_path):
    files = []
    for number, name in enumerate("ab"):
        (tmp_path / name).mkdir()
        files.append(tmp_path / name / "part-0.gz")
        files[-1].write_bytes(gzip.compress(lines(numbered(1 + 9 * number, 9))))
    release = import_arxiv(mirror, files, spread=lambda function, items: map(function, list(items)))
    assert (release.rows, release.duplicates) == (18, 0)
    assert len(by_arxiv_ids(mirror, [one["id"] for one in numbered(1, 18)])) == 18


PACKED = {".gz": gzip.compress, ".bz2": bz2.compress, ".zst": zst, ".zip": zipped}


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to, None])
def test_a_file_that_is_named_twice_is_refused(mirror, tmp_path, link):
    path = other = dump(tmp_path / "dump.jsonl")
    if link:
        other = tmp_path / "other.jsonl"
        link(other, path)
    with pytest.raises(UsageError, match="are the same file: name it once"):
        import_arxiv(mirror, [path, other])
    assert mirror.release is None


@pytest.mark.parametrize("ending", PACKED)
def test_a_packed_file_is_read_whatever_its_packing_and_whatever_it_is_called(mirror, tmp_path, ending):
    (tmp_path / f"dump{ending}").write_bytes(PACKED[ending](lines(ROWS)))
    assert import_arxiv(mirror, [tmp_path / f"dump{ending}"]).rows == len(ROWS)
    other = ArxivMirror(tmp_path / "other")
    (tmp_path / "no-ending").write_bytes(PACKED[ending](lines(ROWS)))
    assert import_arxiv(other, [tmp_path / "no-ending"]).rows == len(ROWS)


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".zst"])
def test_a_file_packed_in_members_is_read_to_its_end(mirror, tmp_path, ending):
    packed = PACKED[ending](lines(ROWS[:2])) + PACKED[ending](lines(ROWS[2:]))
    (tmp_path / f"dump{ending}").write_bytes(packed)
    assert import_arxiv(mirror, [tmp_path / f"dump{ending}"]).rows == len(ROWS)


HARMS = {
    "cut-in-the-middle": lambda packed: packed[: len(packed) // 2],
    "cut-at-its-end": lambda packed: packed[:-3],
    "garbage-behind-it": lambda packed: packed + b"garbage behind the end" * 4000,
    "a-further-member-cut": lambda packed: packed + packed[: len(packed) // 2],
    "a-further-member-damaged": lambda packed: packed + b"\0" + packed[1:],
    "a-byte-flipped": lambda packed: (
        packed[: len(packed) // 2] + bytes([packed[len(packed) // 2] ^ 0x40]) + packed[len(packed) // 2 + 1 :]
    ),
    "empty": lambda _: b"",
}


DAMAGED = [
    (ending, harm)
    for ending in PACKED
    for harm in HARMS
    # pyarrow writes no checksum, which the program zstd does; what stands behind a zip's directory is not read
    if (ending, harm) != (".zst", "a-byte-flipped") and not (ending == ".zip" and harm.startswith(("garbage", "a-fur")))
]


@pytest.mark.parametrize(("ending", "harm"), DAMAGED)
def test_a_packed_shard_that_is_cut_or_damaged_is_an_error_that_names_it(mirror, tmp_path, ending, harm):
    whole, harmed = tmp_path / f"whole{ending}", tmp_path / f"harmed{ending}"
    whole.write_bytes(PACKED[ending](lines(numbered(1, 50))))
    harmed.write_bytes(HARMS[harm](PACKED[ending](lines(numbered(51, 50)))))
    with pytest.raises(UsageError, match=f"harmed{ending}") as error:
        import_arxiv(mirror, [whole, harmed])
    assert "\n" not in str(error.value)
    assert mirror.release is None


def test_a_packing_that_is_not_unpacked_here_is_named(mirror, tmp_path):
    (tmp_path / "dump.xz").write_bytes(lzma.compress(lines(ROWS)))
    with pytest.raises(UsageError, match="packed with xz; unpack it"):
        import_arxiv(mirror, [tmp_path / "dump.xz"])


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_whose_last_line_is_cut_off_is_an_error_that_names_it(mirror, tmp_path, pack):
    whole, cut_off = dump(tmp_path / "whole.jsonl"), tmp_path / "cut-off"
    cut_off.write_bytes(pack(lines(numbered(1, 9))[:-40]))
    with pytest.raises(UsageError, match="cut-off is cut off: its last line has no end"):
        import_arxiv(mirror, [cut_off, whole])
    assert mirror.release is None


@pytest.mark.parametrize("when", ["before its block is taken", "after its block was taken"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_that_changes_while_it_is_read_is_an_error_that_names_it(mirror, tmp_path, pack, when):
    path = tmp_path / "growing"
    path.write_bytes(pack(lines(numbered(1, 9))))

    def change(function, items):
        for item in items:
            if when.startswith("after"):
                yield function(item)
            path.write_bytes(pack(lines(numbered(11, 9))))
            os.utime(path, ns=(1, 1))
            if when.startswith("before"):
                yield function(item)

    with pytest.raises(UsageError, match="growing changed while it was read"):
        import_arxiv(mirror, [path], spread=change)
    assert mirror.release is None


@pytest.mark.parametrize("spoil", [lambda taken: taken[1:], lambda taken: taken * 2], ids=["lost", "twice"])
def test_rows_that_do_not_arrive_fail_the_import_and_name_the_file(mirror, tmp_path, spoil):
    with pytest.raises(WarehouseError, match=r"5 lines read of dump\.jsonl, but \d+ arrived"):
        import_arxiv(
            mirror, [dump(tmp_path / "dump.jsonl")], spread=lambda function, items: spoil([*map(function, items)])
        )
    assert mirror.release is None


def test_rows_that_a_block_loses_fail_the_update_and_leave_the_mirror_as_it_was(mirror, tmp_path, monkeypatch):
    release = import_arxiv(mirror, [dump(tmp_path / "dump.jsonl")])
    take = importing.take_block

    def lossy(task):
        taken = take(task)
        pq.write_table(pq.read_table(task.papers).slice(1), task.papers)
        return taken

    monkeypatch.setattr(importing, "take_block", lossy)
    update = Update(files=(dump(tmp_path / "more.jsonl", numbered(1, 3)),), deleted=(), told_at=NOW)
    with pytest.raises(WarehouseError, match=r"3 lines read of more\.jsonl, but 2 arrived"):
        apply_update(mirror.folder, update)
    assert MirrorFolder(mirror.folder.path).release == release


ODD_BYTES = {
    "bom": b"\xef\xbb\xbf" + lines(ROWS),
    "no-last-line-end": lines(ROWS)[:-1],
    "crlf": lines(ROWS).replace(b"\n", b"\r\n"),
    "blank-lines": b"\n \n" + lines(ROWS).replace(b"\n", b"\n\r\n"),
    "nul-in-a-title": lines([*ROWS[:-1], row("2405.00001", "A\0B")]),
}


@pytest.mark.parametrize("kind", ODD_BYTES)
def test_no_row_is_lost_to_odd_bytes(mirror, tmp_path, kind):
    (tmp_path / "dump.jsonl").write_bytes(ODD_BYTES[kind])
    release = import_arxiv(mirror, [tmp_path / "dump.jsonl"])
    assert (release.rows, release.refused) == (len(ROWS), 0)
    assert set(by_arxiv_ids(mirror, [one["id"] for one in ROWS])) == {one["id"] for one in ROWS}


# Who reads a release keeps it.


def test_an_import_takes_no_release_away_from_a_reader_and_the_next_one_clears_it_away(mirror, tmp_path):
    first = import_arxiv(mirror, [dump(tmp_path / "first.jsonl")])
    reader = ArxivMirror(mirror.folder.path)
    assert reader.release == first
    second = import_arxiv(mirror, [dump(tmp_path / "second.jsonl", ROWS[:1])])
    third = import_arxiv(mirror, [dump(tmp_path / "third.jsonl", ROWS[:2])])
    assert set(by_arxiv_ids(reader, [one["id"] for one in ROWS])) == {one["id"] for one in ROWS}
    assert not (mirror.folder.path / second.name).exists()
    reader.close()
    assert reader.release == third
    import_arxiv(mirror, [dump(tmp_path / "fourth.jsonl", ROWS[:3])])
    assert {path.name for path in mirror.folder.path.glob("release-*")} == {
        third.name,
        MirrorFolder(mirror.folder.path).release.name,
    }


def test_a_reader_that_was_killed_keeps_nothing(mirror, tmp_path):
    first = import_arxiv(mirror, [dump(tmp_path / "first.jsonl")])
    code = (
        "import os, sys; from pathlib import Path; from warehouse.mirrors import ArxivMirror\n"
        "mirror = ArxivMirror(Path(sys.argv[1])); print(mirror.release.name, flush=True); os._exit(9)"
    )
    dead = subprocess.run([sys.executable, "-c", code, str(mirror.folder.path)], check=False, capture_output=True)
    assert dead.stdout.decode().strip() == first.name
    assert len(list((mirror.folder.path / "readers").glob("release-*.lock"))) == 1
    import_arxiv(mirror, [dump(tmp_path / "second.jsonl", ROWS[:1])])
    assert not (mirror.folder.path / first.name).exists()
    assert list((mirror.folder.path / "readers").glob("release-*.lock")) == []


def test_the_same_dump_imported_anew_over_a_damaged_mirror_leaves_its_readers_their_files(mirror, tmp_path):
    path = dump(tmp_path / "dump.jsonl")
    first = import_arxiv(mirror, [path])
    reader = ArxivMirror(mirror.folder.path)
    assert reader.release
    with duckdb.connect(str(mirror.folder.path / first.name / "index-0000.duckdb")) as connection:
        connection.execute("DELETE FROM keys")
    second = import_arxiv(mirror, [path])
    assert second.name != first.name
    assert set(by_arxiv_ids(reader, ["1706.03762"])) == {"1706.03762"}


@pytest.mark.parametrize("name", ["index-0000.duckdb", "papers/000000.parquet"])
def test_an_update_over_a_mirror_that_has_lost_a_file_is_an_error(mirror, tmp_path, name):
    release = import_arxiv(mirror, [dump(tmp_path / "dump.jsonl")])
    (mirror.folder.path / release.name / name).unlink()
    update = Update(files=(dump(tmp_path / "more.jsonl", numbered(1, 2)),), deleted=(), told_at=NOW)
    with pytest.raises(WarehouseError, match="import it anew"):
        apply_update(mirror.folder, update)


def test_a_lost_or_harmed_index_is_an_error_never_fewer_papers(mirror, tmp_path):
    release = import_arxiv(mirror, [dump(tmp_path / "dump.jsonl", numbered(1, 5_000))])
    index = mirror.folder.path / release.name / "index-0000.duckdb"
    body, wanted = index.read_bytes(), [one["id"] for one in numbered(1, 5_000)]
    for at in range(0, len(body), len(body) // 20):
        index.write_bytes(body[:at] + bytes(byte ^ 0x40 for byte in body[at : at + 4096]) + body[at + 4096 :])
        with suppress(WarehouseError):
            assert len(by_arxiv_ids(ArxivMirror(mirror.folder.path), wanted)) == 5_000
    index.unlink()
    with pytest.raises(WarehouseError, match="import it anew"):
        by_arxiv_ids(mirror, ["1706.03762"])


def test_updates_take_no_index_away_from_a_reader(mirror, tmp_path):
    import_arxiv(mirror, [dump(tmp_path / "dump.jsonl", ROWS)])
    reader = ArxivMirror(mirror.folder.path)
    assert reader.release
    for number in range(6):
        more = dump(tmp_path / f"more-{number}.jsonl", numbered(10 * number, 9))
        told_at = NOW - timedelta(hours=9 - number)
        apply_update(mirror.folder, Update(files=(more,), deleted=(ROWS[number % 5]["id"],), told_at=told_at))
    assert set(by_arxiv_ids(reader, [one["id"] for one in ROWS])) == {one["id"] for one in ROWS}
    assert by_arxiv_ids(reader, ["2001.00001"]) == {}
    reader.close()
    assert set(by_arxiv_ids(reader, ["2001.00001", *(one["id"] for one in ROWS)])) == {"2001.00001"}


def test_a_mirror_that_cannot_be_written_is_read_all_the_same(mirror, tmp_path, monkeypatch):
    import_arxiv(mirror, [dump(tmp_path / "dump.jsonl")])

    def read_only(*_, **__):
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", read_only)
    assert set(by_arxiv_ids(mirror, ["1706.03762"])) == {"1706.03762"}


def test_two_imports_at_once_are_one_import_and_one_clear_refusal(mirror, tmp_path):
    with mirror.folder.importing(), pytest.raises(UsageError, match=r"another import into .* is under way"):
        import_arxiv(ArxivMirror(mirror.folder.path), [dump(tmp_path / "dump.jsonl")])
    assert import_arxiv(mirror, [dump(tmp_path / "dump.jsonl")]).rows == len(ROWS)


# Updates: once, in their order, refused lines once.


def test_an_update_that_is_older_than_the_mirror_is_refused(mirror, tmp_path):
    import_arxiv(mirror, [dump(tmp_path / "dump.jsonl")])
    newer = Update(files=(dump(tmp_path / "b.jsonl", [row(title="New title")]),), deleted=(), told_at=NOW)
    older = Update(
        files=(dump(tmp_path / "a.jsonl", [row(title="Older title")]),), deleted=(), told_at=NOW - timedelta(days=7)
    )
    release = apply_update(mirror.folder, newer)
    with pytest.raises(UsageError, match="later than this update"):
        apply_update(mirror.folder, older)
    assert MirrorFolder(mirror.folder.path).release == release
    mirror.close()
    assert by_arxiv_ids(mirror, ["1706.03762"])["1706.03762"].title == "New title"


# What cannot be true is left out and named.


def s2(**told):
    facts = {"title": "Attention Is All You Need", "arxiv_id": "1706.03762", "year": 2017, "authors": ["A. Vaswani"]}
    counts = {"citationcount": 100_000, "influentialcitationcount": 15_000, "referencecount": 40}
    return json.dumps(s2_row(paper_from(facts)) | counts | {"publicationdate": "2017-06-12"} | told).encode()


WHOLE = {"year": 2017, "published_on": date(2017, 6, 12), "citation_count": 100_000, "reference_count": 40}
ABSURD = [
    *[("year", "year", value) for value in (0, -3, 1499, 2999, 2**62, 10**30, 1e300, NAN, 2017.4, True, "no")],
    *[("citationcount", "citation_count", value) for value in (-1, 10**8, 2**64, 1e300, 12.7, True, INF)],
    *[("referencecount", "reference_count", value) for value in (-1, 10**8, [3])],
    *[("publicationdate", "published_on", value) for value in ("2999-01-01", "0000-00-00", "1400-01-01", "soon", 7)],
]


def import_s2(tmp_path, rows, *, name="20261110_0"):
    """A mirror of rows that differ in the given fields, each a paper of its own with its number from 1."""
    mirror = S2Mirror(tmp_path / "s2-papers")
    url = "https://www.semanticscholar.org/paper/{:040}"
    path = dump(tmp_path / name, [s2(corpusid=at, url=url.format(at), **row) for at, row in enumerate(rows, 1)])
    return mirror, import_dump(mirror.folder, Dump(source="s2-papers", files=(path,)))


def test_fields_of_semantic_scholar_that_cannot_be_true_are_left_out_and_named(tmp_path):
    mirror, release = import_s2(tmp_path, [{field: value, "externalids": None} for field, _, value in ABSURD])
    assert (release.rows, release.refused, release.left_out) == (len(ABSURD), 0, len(ABSURD))
    numbers = range(1, len(ABSURD) + 1)
    papers = mirror.by_identifiers([Identifier("corpus", str(number)) for number in numbers]).values()
    facts = {paper.corpus_id: {key: getattr(paper, key) for key in WHOLE} for paper in papers}
    assert facts == {number: WHOLE | {name: None} for number, (_, name, _) in zip(numbers, ABSURD, strict=True)}
    notes = [(note["file"], note["line"], note["field"], note["why"].split()[0]) for note in refused(mirror)]
    assert notes == [("20261110_0", number, field, field) for number, (field, *_) in enumerate(ABSURD, 1)]


def test_external_identifiers_in_no_known_form_are_left_out_and_named(tmp_path):
    unknown = {"ArXiv": "2701.123456", "DOI": "no doi", "PubMed": "x", "DBLP": "ü", "MAG": "1" * 30}
    acl = [f"N19-1{number:03}" for number in range(len(unknown))]
    rows = [{"externalids": {"ACL": own, key: value}} for own, (key, value) in zip(acl, unknown.items(), strict=True)]
    mirror, release = import_s2(tmp_path, rows)
    assert (release.rows, release.refused, release.left_out) == (len(rows), 0, len(rows))
    notes = {note["field"]: note["why"] for note in refused(mirror)}
    assert notes.keys() == {f"externalids.{key}" for key in unknown}
    assert all(value[:10] in notes[f"externalids.{key}"] for key, value in unknown.items())
    papers = mirror.by_identifiers([Identifier("acl", own) for own in acl]).values()
    assert [paper.unread for paper in papers] == [()] * len(rows)


def test_external_identifiers_are_found_by_their_normal_form_however_they_are_written(tmp_path):
    written = {
        Identifier("arxiv", "1706.03762"): {"ArXiv": "arXiv:1706.03762v5"},
        Identifier("arxiv", "math/0309136"): {"ArXiv": "math.GT/0309136"},
        Identifier("doi", "10.1000/abc"): {"DOI": "https://doi.org/10.1000/ABC"},
        Identifier("doi", "10.1016/s0140-6736(97)"): {"DOI": "10.1016/S0140-6736(97)"},
        Identifier("doi", "10.1000/abd"): {"DOI": "10.1000/ABD."},
        Identifier("pmcid", "32"): {"PubMedCentral": "PMC32"},
        Identifier("pmcid", "33"): {"PubMedCentral": "33"},
    }
    mirror, _ = import_s2(tmp_path, [{"externalids": external} for external in written.values()])
    found = mirror.by_identifiers(written)
    assert {item: found[item].corpus_id for item in written} == dict(zip(written, range(1, 8), strict=True))


def test_a_corpus_id_that_is_no_whole_number_is_no_identity(tmp_path):
    mirror = S2Mirror(tmp_path / "s2-papers")
    bad = [s2(corpusid=value) for value in (12.7, True, "x", -4, None)]
    release = import_dump(mirror.folder, Dump(source="s2-papers", files=(dump(tmp_path / "shard", [*bad, s2()]),)))
    assert (release.rows, release.refused) == (1, 5)


def test_days_that_cannot_be_true_are_left_out_and_do_not_make_a_dump_look_new(mirror, tmp_path):
    days = ["2999-01-01", "99999-01-01", "0000-01-01", "-0044-03-15", "0001-01-01", "soon", 7]
    odd = [row(f"2001.0000{number}", f"Title {number}", update_date=day) for number, day in enumerate(days, 1)]
    release = import_arxiv(mirror, [dump(tmp_path / "dump.jsonl", [row(update_date="2020-03-01"), *odd])])
    assert (release.rows, release.refused, release.left_out) == (8, 0, 7)
    assert release.as_of == datetime(2020, 3, 1, tzinfo=UTC)
    assert [note["field"] for note in refused(mirror)] == ["update_date"] * 7
    papers = by_arxiv_ids(mirror, [one["id"] for one in odd])
    assert [paper.updated_at for paper in papers.values()] == [None] * 7


def test_times_that_cannot_be_true_are_left_out_and_named(mirror, tmp_path):
    days = ["2999 17:57:34 GMT", "0000 17:57:34 GMT", "0001 00:00:00 +2359", "2017 17:57:34 +99999999999"]
    times = [*(f"Mon, 12 Jun {day}" for day in days), "yesterday"]
    second = {"version": "v2", "created": "Mon, 2 Apr 2018 19:18:42 GMT"}
    rows = [
        row(f"1706.0000{number}", f"Title {number}", versions=[{"version": "v1", "created": time}, second])
        for number, time in enumerate(times, 1)
    ]
    release = import_arxiv(mirror, [dump(tmp_path / "dump.jsonl", rows)])
    assert (release.rows, release.refused, release.left_out) == (5, 0, 5)
    papers = by_arxiv_ids(mirror, [one["id"] for one in rows]).values()
    facts = {(paper.published_at, paper.version, paper.updated_at) for paper in papers}
    assert (len(papers), facts) == (5, {(None, 2, datetime(2018, 4, 2, 19, 18, 42, tzinfo=UTC))})


def test_a_day_to_come_in_a_file_name_is_not_believed(tmp_path):
    assert import_s2(tmp_path, [{}], name="20991231_20201110_0")[1].as_of.date() == date(2020, 11, 10)
