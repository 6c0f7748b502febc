"""The mirror of DBLP: imported from its release whole or not at all, and asked by title and identifier."""

from __future__ import annotations

import gzip
import json

import pytest

from flows.commands.mirror import mirror_import, mirror_update
from sources.bibliography.identifiers import Identifier
from sources.errors import UsageError
from tests.sources.dblp.test_release import HEAD, TRIPLES, WEB_PAGE
from warehouse.mirrors import DblpMirror, Mirrors
from warehouse.mirrors.importing import Dump, import_dump

PUBLISHED = """<inproceedings key="conf/osdi/KimM19" mdate="2020-02-03"><author>Ann Kim 0002</author>
<author>J&uuml;rgen M&uuml;ller</author><title>Fast Joins on Slow Disks.</title><year>2019</year>
<booktitle>OSDI</booktitle><ee>https://doi.org/10.1145/1.2</ee></inproceedings>"""
PREPRINT = """<article key="journals/corr/abs-1801-00001" publtype="informal" mdate="2020-03-04">
<author>Ann Kim</author><author>J&uuml;rgen M&uuml;ller</author><title>Fast joins on slow disks.</title>
<year>2018</year><journal>CoRR</journal><ee>http://arxiv.org/abs/1801.00001</ee></article>"""
NAMESAKE = """<article key="journals/x/Ode11" mdate="2012-01-01"><author>B. Ode</author>
<title>Fast Joins on Slow Disks.</title><year>2011</year><journal>J. X</journal></article>"""
PERSON = """<www key="homepages/1/2"><author>Ann Kim 0002</author><title>Home Page</title></www>"""


def release(*records: str) -> bytes:
    return HEAD + "\n".join(records).encode() + b"\n</dblp>\n"


@pytest.fixture
def mirror(tmp_path):
    return DblpMirror(tmp_path / "lake" / "mirror" / "dblp")


@pytest.fixture
def take(mirror, tmp_path):
    def take(body: bytes, *, name="dblp.xml", whole=False, **options):
        path = tmp_path / name
        path.write_bytes(body)
        mirror.close()
        return import_dump(mirror.folder, Dump(source="dblp", files=(path,), whole=whole), **options)

    return take


def refused(mirror):
    text = (mirror.folder.path / mirror.folder.release.name / "refused.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_works_are_found_by_title_and_by_every_identifier(take, mirror, pack):
    made = take(
        pack(release(PUBLISHED, PERSON, PREPRINT, NAMESAKE)), name="dblp.gz" if pack is gzip.compress else "d.xml"
    )
    assert (made.rows, made.refused, made.whole, made.told_at[:10]) == (3, 0, False, "2020-03-04")
    works = mirror.by_titles(["Fast Joins on Slow Disks", "Fast Jions on Slow Disks"])
    assert {title: [work.key for work in found] for title, found in works.items()} == {
        "Fast Joins on Slow Disks": ["conf/osdi/KimM19", "journals/x/Ode11"],
        "Fast Jions on Slow Disks": ["conf/osdi/KimM19", "journals/x/Ode11"],
    }
    assert works["Fast Joins on Slow Disks"][0].authors == ("Ann Kim", "Jürgen Müller")
    wanted = [
        Identifier("doi", "10.1145/1.2"),
        Identifier("arxiv", "1801.00001"),
        Identifier("dblp", "conf/osdi/KimM19"),
        Identifier("dblp", "journals/corr/abs-1801-00001"),
    ]
    found = mirror.by_identifiers([*wanted, Identifier("doi", "10.1145/9.9"), Identifier("s2", "a" * 40)])
    assert {item: (work.key, work.arxiv_id, work.venue) for item, work in found.items()} == dict.fromkeys(
        wanted, ("conf/osdi/KimM19", "1801.00001", "OSDI")
    )


def test_ntriples_make_the_same_mirror(take, mirror):
    take(TRIPLES.replace("Fast n-way H2O Joins", "Fast Joins on Slow Disks").encode(), name="dblp.nt")
    (work,) = mirror.by_titles(["Fast Joins on Slow Disks"])["Fast Joins on Slow Disks"]
    assert (work.key, work.year, work.authors) == ("conf/osdi/KimM19", 2019, ("A. Kim", "Jürgen Müller"))


def test_an_identifier_that_two_works_bear_leads_to_neither(take, mirror):
    take(release(PUBLISHED, NAMESAKE.replace("</article>", "<ee>https://doi.org/10.1145/1.2</ee></article>")))
    assert mirror.by_identifiers([Identifier("doi", "10.1145/1.2")]) == {}


def test_of_a_key_that_comes_twice_the_later_record_stays(take, mirror):
    made = take(release(PUBLISHED, PUBLISHED.replace("2019", "2020")))
    assert (made.rows, made.duplicates) == (1, 1)
    (work,) = mirror.by_whole_titles(["Fast Joins on Slow Disks"])
    assert work.year == 2020


def test_what_cannot_be_read_is_kept_with_its_place_and_reason(take, mirror):
    made = take(
        release(
            PUBLISHED.replace("2019</year>", "2019.5</year>"),
            PERSON,
            PREPRINT.replace("disks", "&disks;"),
            NAMESAKE.replace("journals/x/Ode11", "journals/x/with blank"),
        )
    )
    assert (made.rows, made.refused, made.left_out) == (1, 2, 1)
    by_line = {note["line"]: note for note in refused(mirror)}
    assert by_line[1]["field"] == "year"
    assert "&disks;" in by_line[3]["why"]
    assert "no key" in by_line[4]["why"]
    (work,) = mirror.by_titles(["Fast Joins on Slow Disks"])["Fast Joins on Slow Disks"]
    assert work.year is None


@pytest.mark.parametrize(
    ("body", "why"),
    [
        pytest.param(WEB_PAGE, "it is a web page ('Making sure you are no robot')", id="web-page"),
        pytest.param(gzip.compress(release(PUBLISHED) * 50)[:-40], "cut off or damaged", id="cut-gz"),
        pytest.param(release(PUBLISHED, PREPRINT)[:-30], "breaks off behind record 1", id="cut-xml"),
        pytest.param(release(PERSON), "holds no paper", id="no-papers"),
    ],
)
def test_what_is_no_whole_release_is_refused_and_the_mirror_stays(take, mirror, body, why):
    before = take(release(PUBLISHED), name="before.xml")
    with pytest.raises(UsageError, match=why.replace("(", "[(]").replace(")", "[)]")) as error:
        take(body, name="dblp.xml.gz" if body.startswith(b"\x1f\x8b") else "dblp.xml")
    assert "dblp.xml" in str(error.value)
    assert mirror.folder.release == before
    assert not list(mirror.folder.path.glob("import-*"))


def test_fewer_papers_than_dblp_has_are_taken_as_a_part_only(take, mirror):
    body = release(PUBLISHED, NAMESAKE)
    with pytest.raises(UsageError, match=r"only 2 papers.*more than 100,000.*--part"):
        take(body, whole=True)
    assert mirror.folder.release is None
    part = take(body)
    assert (part.rows, part.whole) == (2, False)
    with pytest.raises(UsageError, match="--part"):
        take(body, whole=True)
    assert mirror.folder.release == part


def test_all_mirrors_are_asked_as_one(take, tmp_path):
    take(release(PUBLISHED, PREPRINT))
    mirrors = Mirrors(tmp_path / "lake" / "mirror")
    title = "Fast Joins on Slow Disks"
    assert [work.key for work in mirrors.by_titles([title])[title]] == ["conf/osdi/KimM19"]
    assert mirrors.by_whole_titles([title])[0].key == "conf/osdi/KimM19"
    assert mirrors.words_in_titles(["disks", "dicks"]) == {"disks"}
    asked = Identifier("arxiv", "1801.00001")
    assert mirrors.by_identifiers([asked])[asked].venue == "OSDI"
    assert mirrors.told_at("dblp").isoformat()[:10] == "2020-03-04"
    assert mirrors.told_at("arxiv") is None


def test_the_command_imports_and_says_so_and_leaves_updates_to_imports(tmp_path, capsys):
    path = tmp_path / "dblp.xml"
    path.write_bytes(release(PUBLISHED, PREPRINT))
    mirror_import("dblp", [path], lake=str(tmp_path / "lake"), part=True, as_of=None, as_json=False)
    assert "2 papers of DBLP in the mirror (a part, as of 2020-03-04)" in capsys.readouterr().out
    with pytest.raises(UsageError, match="mirror import dblp"):
        mirror_update("dblp", [], [], lake=str(tmp_path / "lake"), as_of=None, as_json=False)
