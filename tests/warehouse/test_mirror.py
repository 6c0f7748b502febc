"""The mirror of arXiv: imported from a dump, asked by identifier and title, and whole wherever an import is stopped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.bibliography.identifiers import Identifier
from sources.errors import UsageError, WarehouseError
from sources.matching.resolve import resolve
from sources.records import Mention
from tests.matrices import first_each_push
from warehouse.mirrors import ArxivMirror, MirrorFolder, Mirrors
from warehouse.mirrors.importing import Dump, import_dump
from warehouse.mirrors.lookup import MAX_CANDIDATES, PLAIN_TERMS, prepare, title_terms


def import_arxiv(mirror, files, **options):
    mirror.close()
    return import_dump(mirror.folder, Dump(source="arxiv", files=tuple(files)), **options)


def by_arxiv_ids(mirror, ids):
    found = mirror.by_identifiers([Identifier("arxiv", one) for one in ids])
    return {one.value: paper for one, paper in found.items()}


def row(arxiv_id="1706.03762", title="Attention Is All You Need", **told):
    plain = {
        "id": arxiv_id,
        "title": title,
        "authors_parsed": [["Vaswani", "Ashish", ""], ["Shazeer", "Noam", ""]],
        "categories": "cs.CL cs.LG",
        "versions": [{"version": "v1", "created": "Mon, 12 Jun 2017 17:57:34 GMT"}],
        "update_date": "2023-08-03",
        "doi": None,
        "journal-ref": None,
        "comments": "15 pages",
    }
    return plain | told


ROWS = [
    row(),
    row("1512.03385", "Deep Residual Learning for Image Recognition", doi="10.1109/CVPR.2016.90"),
    row("1312.5602", "Playing Atari with Deep Reinforcement Learning"),
    row("math/0211159", "The entropy formula for the Ricci flow and its geometric applications"),
    row("2405.00001", "Attention Is Not All You Need: Pure Attention Loses Rank"),
]


def dump(path: Path, rows=ROWS) -> Path:
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in rows]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


@pytest.fixture
def mirror(tmp_path):
    return ArxivMirror(tmp_path / "lake" / "mirror" / "arxiv")


@pytest.fixture
def filled(mirror, tmp_path):
    import_arxiv(mirror, [dump(tmp_path / "dump.jsonl")])
    return mirror


def everything(mirror):
    return {
        path.relative_to(mirror.folder.path): path.read_bytes()
        for path in mirror.folder.path.rglob("*")
        if path.is_file() and path.parent.name != "readers"
    }


def test_a_mirror_that_is_not_there_knows_nothing_and_makes_nothing(mirror, tmp_path):
    assert mirror.release is None
    assert by_arxiv_ids(mirror, ["1706.03762"]) == {}
    assert mirror.by_titles(["Attention Is All You Need"]) == {}
    assert list(tmp_path.iterdir()) == []


def test_a_paper_comes_back_as_the_dump_tells_it(filled):
    found = by_arxiv_ids(filled, ["1512.03385", "9999.99999", "1706.0376", "' OR 1=1"])
    assert list(found) == ["1512.03385"]
    paper = found["1512.03385"]
    assert paper.title == "Deep Residual Learning for Image Recognition"
    assert paper.authors == ("Ashish Vaswani", "Noam Shazeer")
    assert paper.categories == ("cs.CL", "cs.LG")
    assert paper.primary_category == "cs.CL"
    assert paper.published_at == datetime(2017, 6, 12, 17, 57, 34, tzinfo=UTC)
    assert (paper.version, paper.doi, paper.comment) == (1, "10.1109/cvpr.2016.90", "15 pages")
    assert (paper.abstract, paper.journal_ref, paper.withdrawn) == (None, None, None)


@pytest.mark.parametrize(
    ("title", "first"),
    [
        pytest.param("Attention Is All You Need", "1706.03762", id="exact"),
        pytest.param("ATTENTION  IS ALL YOU NEED.", "1706.03762", id="other-typography"),
        pytest.param("Deep Residul Learning for Image Recognition", "1512.03385", id="typing-error"),
        pytest.param("ResNet: Deep Residual Learning for Image Recognition", "1512.03385", id="system-name-before"),
        pytest.param("Playing Atari with Deep RL", "1312.5602", id="abbreviated"),
        pytest.param("Attention Is Not All You Need", "2405.00001", id="without-subtitle"),
        pytest.param("entropy formula for the Ricci flow", "math/0211159", id="cut-off"),
    ],
)
def test_a_damaged_title_still_finds_its_paper_first(filled, title, first):
    assert filled.by_titles([title])[title][0].arxiv_id == first


def test_titles_that_share_nothing_are_absent(filled):
    assert filled.by_titles(["Zymurgy", "", "!!!", "' OR 1=1 --"]) == {}


def test_shares_of_a_look_up_in_other_processes_come_to_what_one_comes_to(filled, monkeypatch):
    titles = [*(one["title"] for one in ROWS), "Deep Residul Learning for Image Recognition", "Zymurgy of Papers"]
    mentions = [Mention(line=line, last_line=line, title=title) for line, title in enumerate(titles * 2, start=1)]
    mirrors = Mirrors(filled.folder.path.parent)
    at_once = resolve(mentions, mirror=mirrors)
    monkeypatch.setattr("sources.matching.resolve.MIRROR_SHARE", 3)
    monkeypatch.setattr("warehouse.mirrors.workers.WORKERS", 2)
    monkeypatch.setattr("warehouse.mirrors.local.TITLES_AT_ONCE", 8)
    done = []
    watched = Mirrors(filled.folder.path.parent, progress=lambda total: done.append(-total) or done.append)
    assert resolve(mentions, mirror=watched) == at_once
    assert done == [-14, 3, 3, 2, 3, 3]
    assert [one.status for one in at_once] == [*["resolved"] * 6, "ambiguous"] * 2


def test_candidates_are_bounded_and_the_best_is_among_them(mirror, tmp_path):
    alike = [row(f"2001.{number:05}", f"A Survey of Graph Learning, Part {number}") for number in range(1, 90)]
    import_arxiv(mirror, [dump(tmp_path / "dump.jsonl", alike)])
    title = "Survey of Graf Learning, Part 57"
    found = mirror.by_titles([title])[title]
    assert len(found) == MAX_CANDIDATES
    assert found[0].arxiv_id == "2001.00057"


@pytest.mark.parametrize(
    ("file", "body"),
    [
        ("release-*/papers/000000.parquet", None),
        ("release-*/index-0000.duckdb", "DUCK"),
        ("release.json", '{"name":'),
        ("release.json", "{}"),
    ],
)
def test_a_damaged_mirror_is_an_error_never_an_empty_answer_and_mended_by_an_import(filled, tmp_path, file, body):
    (path,) = filled.folder.path.glob(file)
    path.write_text(body) if body else path.unlink()
    with pytest.raises(WarehouseError, match="paperlake mirror import") as error:
        filled.by_titles(["Attention Is All You Need"])
    assert "\n" not in str(error.value)
    assert import_arxiv(filled, [dump(tmp_path / "again.jsonl")]).rows == len(ROWS)
    assert list(filled.by_titles(["Attention Is All You Need"])) == ["Attention Is All You Need"]


BAD = {
    "no-json": b"this is no JSON",
    "no-object": b"[1, 2]",
    "nul-bytes": b"\0" * 40,
    "bad-id": json.dumps(row("1799.03762")).encode(),
    "no-title": json.dumps(row(title="  ")).encode(),
    "no-utf-8": b'{"id": "1706.03762", "title": "\xff\xfe"}',
    "too-deep": b"[" * 100_000,
    "half-a-surrogate-pair": b'{"id": "1706.03762", "title": "A \\ud83d title"}',
}


def test_rows_that_are_no_papers_are_kept_aside_with_their_lines_and_reasons(mirror, tmp_path):
    rows = [one for bad in BAD.values() for one in (b"", bad)]
    release = import_arxiv(mirror, [dump(tmp_path / "dump.jsonl", [ROWS[1], *rows, ROWS[2]])])
    assert (release.rows, release.refused) == (2, len(BAD))
    aside = (mirror.folder.path / release.name / "refused.jsonl").read_text(encoding="utf-8").splitlines()
    notes = list(map(json.loads, aside))
    assert [(note["file"], note["line"]) for note in notes] == [("dump.jsonl", 3 + 2 * at) for at in range(len(BAD))]
    for note, bad in zip(notes, BAD.values(), strict=True):
        assert note["why"]
        assert bad.decode("utf-8", "replace").startswith(note["row"][:20].rstrip("\n"))


def test_odd_fields_cost_no_paper(mirror, tmp_path):
    odd = [
        {"authors_parsed": 5},
        {"authors_parsed": [5, [], ["Only"]]},
        {"versions": 7},
        {"versions": [{"created": "yesterday"}]},
        {"categories": None},
        {"doi": "none"},
        {"comments": 7, "journal-ref": []},
    ]
    rows = [row(f"1706.0000{number}", f"Title {number}", **fields) for number, fields in enumerate(odd, 1)]
    release = import_arxiv(mirror, [dump(tmp_path / "dump.jsonl", rows)])
    assert (release.rows, release.refused) == (7, 0)
    assert {one: paper.title for one, paper in by_arxiv_ids(mirror, [one["id"] for one in rows]).items()} == {
        one["id"]: one["title"] for one in rows
    }


def test_of_rows_with_one_identifier_the_last_stays_whatever_file_it_stands_in(mirror, tmp_path):
    first = dump(tmp_path / "z.jsonl", [row(title="Old title"), row("1512.03385", "Deep"), row(title="Newer title")])
    second = dump(tmp_path / "a.jsonl", [row(title="Newest title")])
    release = import_arxiv(mirror, [first, second])
    assert (release.rows, release.duplicates) == (2, 2)
    assert by_arxiv_ids(mirror, ["1706.03762"])["1706.03762"].title == "Newest title"


def test_the_same_dump_again_is_known_by_its_bytes_and_not_read_twice(filled, tmp_path):
    before, release = everything(filled), filled.release
    told = []
    assert import_arxiv(filled, [dump(tmp_path / "renamed.jsonl")], on_bytes=told.append) == release
    assert told == []
    assert everything(filled) == before


@pytest.mark.parametrize(
    "body", [b"", b"\n \n", os.urandom(4000), b"<html>" * 99], ids=["empty", "blank", "odd", "page"]
)
def test_a_file_that_is_no_dump_is_one_clear_line_and_the_release_before_stays(filled, tmp_path, body):
    kept = everything(filled)
    (tmp_path / "d.jsonl").write_bytes(body)
    with pytest.raises(UsageError, match=r"d\.jsonl") as error:
        import_arxiv(filled, [tmp_path / "d.jsonl"])
    assert "\n" not in str(error.value)
    assert everything(filled) == kept


def test_a_zip_of_many_files_is_refused(mirror, tmp_path):
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        archive.writestr("a", "1")
        archive.writestr("b", "2")
    with pytest.raises(UsageError, match="holds 2 files"):
        import_arxiv(mirror, [tmp_path / "d.zip"])


KILLED = """
import os, sys
from pathlib import Path
from warehouse.mirrors import MirrorFolder, importing
from warehouse.mirrors.importing import Dump

left = int(sys.argv[3])

def step(function):
    def taken(*arguments, **options):
        global left
        left -= 1
        if left < 0:
            os._exit(9)
        return function(*arguments, **options)
    return taken

importing.cut = lambda file, spool, cut=importing.cut, **options: cut(file, spool, **options | {"size": 1500})
for name in ("take_block", "write_index", "write_refused"):
    setattr(importing, name, step(getattr(importing, name)))
MirrorFolder.publish = step(MirrorFolder.publish)
importing.import_dump(MirrorFolder(Path(sys.argv[1])), Dump(source="arxiv", files=(Path(sys.argv[2]),)))
"""


def tables(folder: Path):
    """The rows of every file of the release in use."""
    (release,) = folder.glob("release-*")
    files = {path.relative_to(release): path for path in release.rglob("*") if path.is_file()}
    return {name: _READERS[path.suffix](path) for name, path in files.items()}


def indexed(file: Path):
    """The rows of every table of an index."""
    with duckdb.connect(str(file), read_only=True) as connection:
        return [connection.execute(f"FROM {name}").fetchall() for name in ("terms", "keys", "superseded")]


_READERS = {".jsonl": Path.read_bytes, ".parquet": lambda path: pq.read_table(path).to_pylist(), ".duckdb": indexed}


@pytest.mark.parametrize("steps", first_each_push([9, 0, 1, 7, 11, 13], count=1))
def test_an_import_killed_anywhere_keeps_the_release_before_and_going_on_makes_what_an_unharmed_one_makes(
    filled, tmp_path, steps
):
    release = filled.release
    filled.close()
    rows = [row(f"2001.{number:05}", f"Graph Learning {number}") for number in range(1, 50)] + [b"no JSON", row()] * 2
    new = dump(tmp_path / "new.jsonl", rows)
    whole = tmp_path / "whole"
    run = [sys.executable, "-c", KILLED]
    assert subprocess.run([*run, str(whole), str(new), "999"], check=False).returncode == 0
    folder = filled.folder.path
    assert subprocess.run([*run, str(folder), str(new), str(steps)], check=False).returncode == 9
    assert MirrorFolder(folder).release == release
    assert set(by_arxiv_ids(filled, ["1312.5602"])) == {"1312.5602"}
    filled.close()
    assert subprocess.run([*run, str(folder), str(new), "999"], check=False).returncode == 0
    assert tables(folder) == tables(whole)
    resumed, unharmed = MirrorFolder(folder).release, MirrorFolder(whole).release
    assert replace(resumed, imported_at="") == replace(unharmed, imported_at="")
    assert (resumed.rows, resumed.refused, resumed.duplicates) == (50, 2, 1)
    assert sorted(path.name for path in folder.iterdir()) == ["import.lock", "readers", resumed.name, "release.json"]


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as opened:
        prepare(opened)
        yield opened


def in_sql(connection, titles):
    """The hashed terms that SQL makes of the plain ones among `titles`: position -> terms."""
    numbers = pa.array(range(len(titles)), pa.int64())
    connection.register("given_titles", pa.table({"position": numbers, "title": pa.array(titles, pa.string())}))
    rows = connection.execute(PLAIN_TERMS.format(titles="(FROM given_titles WHERE is_plain(title))")).fetchall()
    plain = connection.execute("SELECT position FROM given_titles WHERE is_plain(title)").fetchall()
    found = {position: set() for (position,) in plain}
    for term, position in rows:
        found[position].add(term)
    return found


def in_python(connection, titles):
    texts = [(number, text) for number, title in titles for text in title_terms(" ".join(title.split()))]
    numbers, terms = zip(*texts, strict=True) if texts else ((), ())
    connection.register(
        "texts", pa.table({"position": pa.array(numbers, pa.int64()), "text": pa.array(terms, pa.string())})
    )
    found = {number: set() for number, _ in titles}
    for position, term in connection.execute("SELECT position, term(text) FROM texts").fetchall():
        found[position].add(term)
    return found


def agree(connection, titles):
    made = in_sql(connection, titles)
    assert made == in_python(connection, [(number, titles[number]) for number in made])
    return made


@settings(max_examples=200)
@given(
    st.lists(
        st.text(st.characters(max_codepoint=0x17F) | st.sampled_from("–—‘’“”"), max_size=60), min_size=1, max_size=20
    )
)
def test_both_ways_make_the_same_terms_of_any_title(connection, titles):
    agree(connection, titles)
