"""Bibliographies are read back by readers that are not ours."""

from __future__ import annotations

import json
from datetime import date

import bibtexparser
import pytest
from bibtexparser.middlewares import LatexDecodingMiddleware, SeparateCoAuthors

from sources.bibliography.venues import Kind, kind_of
from standins.trials.rows import T0, list_row, mention_row, paper_row, run_row
from tests.matrices import for_each
from tests.warehouse.query.conftest import ODD
from warehouse.lake.session import writing
from warehouse.loading.commit import Harvest, load
from warehouse.query.bibliography import bibtex, bibtex_fields, csl_json, markdown, ris
from warehouse.query.export import select


@pytest.fixture
def papers(catalogue):
    with select(catalogue) as selection:
        return selection.papers()


def parsed(text: str) -> dict:
    library = bibtexparser.parse_string(text, append_middleware=[LatexDecodingMiddleware(), SeparateCoAuthors()])
    assert library.failed_blocks == []
    return {entry.key: entry for entry in library.entries}


def paper(**told):
    return paper_row("p1", **{"citation_key": "k", "title": "T"} | told)


def fields(**told):
    (entry,) = parsed(bibtex([paper(**told)])).values()
    return entry.fields_dict


def test_bibtex_holds_every_paper_under_its_key(papers):
    entries = parsed(bibtex(papers))
    assert {key: entry.entry_type for key, entry in entries.items()} == {
        "vaswani2017attention": "inproceedings",
        "atlas100": "misc",
        "anon2001": "article",
    }
    told = {name: field.value for name, field in entries["vaswani2017attention"].fields_dict.items()}
    assert told == {
        "title": "Attention Is All You Need",
        "author": ["Vaswani, Ashish", "Kaiser, Łukasz"],
        "year": "2017",
        "booktitle": "Neural Information Processing Systems",
        "eprint": "1706.03762",
        "archivePrefix": "arXiv",
        "primaryClass": "cs.CL",
        "url": "https://arxiv.org/abs/1706.03762",
        "abstract": "The dominant models are complex.",
    }


def test_venue_and_year_are_of_one_publication():
    told = fields(venue="ICLR 2017", year=2016, published_on=date(2016, 11, 5))
    assert (told["booktitle"].value, told["year"].value, "month" in told) == ("ICLR", "2017", False)
    assert "month" not in fields(venue="ICLR", arxiv_id="1706.03762", year=2017, published_on=date(2017, 6, 12)), (
        "arXiv's"
    )
    assert fields(arxiv_id="1706.03762", year=2017, published_on=date(2017, 6, 12))["month"].value == "jun"
    (item,) = json.loads(csl_json([paper(venue="2014 IEEE Conference on Computer Vision", year=2013)]))
    assert (item["container-title"], item["issued"]) == (
        "IEEE Conference on Computer Vision",
        {"date-parts": [[2014]]},
    )


def version(source="dblp", kind="conference", **told):
    return {"source": source, "kind": kind, "venue": None, "year": None, "doi": None} | told


CVPR = version(venue="CVPR", year=2015)
TPAMI = version("openalex", "journal", venue="IEEE Transactions on Image Processing", year=2017, doi="10.1/j")
AUTHORS = version("arxiv", None, venue="Some Letters 7 (2016) 3", year=2016)


@for_each(
    ("told", "versions", "expected"),
    [
        ({"venue": "CVPR"}, [CVPR], ("inproceedings", "CVPR", "2015", None)),
        ({"venue": "Computer Vision and Pattern Recognition"}, [TPAMI, CVPR], ("inproceedings", "CVPR", "2015", None)),
        ({"venue": "CVPR", "doi": "10.1/j"}, [CVPR, TPAMI], ("article", TPAMI["venue"], "2017", "10.1/j")),
        ({"venue": "arXiv.org"}, [AUTHORS, CVPR], ("inproceedings", "CVPR", "2015", None)),
        ({"venue": "CVPR"}, [version(doi="10.1/x")], ("inproceedings", "CVPR", "2014", None)),
    ],
)
def test_a_citation_has_venue_year_and_doi_of_the_publication_not_the_preprint(told, versions, expected):
    row = paper(year=2014, published_on=date(2014, 11, 17), publication_type="inproceedings", pages="1-9", **told)
    row |= {"publications": versions}
    kind, written = bibtex_fields(row)
    venue = written.get("booktitle") or written.get("journal")
    assert (kind, venue, written["year"], written.get("doi")) == expected
    assert ("pages" in written) == (kind == "inproceedings"), "pages are those of another publication"
    assert ("month" in written) == (written["year"] == "2014")
    (item,) = json.loads(csl_json([row]))
    assert (item["container-title"], item["issued"]["date-parts"][0][0]) == (venue, int(expected[2]))
    assert {f"T2  - {venue}", f"PY  - {expected[2]}"} <= set(ris([row]).splitlines())
    assert f"{venue} {expected[2]}" in markdown([row])


def test_versions_in_the_lake_are_cited(empty_lake, tmp_path):
    place = empty_lake(tmp_path / "lake")
    told = {"paper_id": "p1", "record": "conf/x", "first_seen_at": T0, "gone_at": None}
    gone = version(venue="ICML", year=2019, **told | {"record": "conf/y", "gone_at": T0})
    rows = [paper(venue="arXiv.org", year=2014), paper_row("p2", title="Alone", venue="ICCV", year=2013)]
    with writing(place) as lake:
        mentions = [mention_row(f"m{row['paper_id']}", paper_id=row["paper_id"]) for row in rows]
        versions = [CVPR | told, gone]
        harvest = Harvest(reading_lists=[list_row()], mentions=mentions, papers=rows, published_versions=versions)
        load(lake, harvest, run_row())
    with select(place) as selection:
        one, other = sorted(parsed(bibtex(selection.papers())).values(), key=lambda entry: -int(entry["year"]))
    assert (one["booktitle"], one["year"]) == ("CVPR", "2015")
    assert (other["booktitle"], other["year"]) == ("ICCV", "2013")


def test_no_character_is_lost_or_taken_for_a_command():
    read = fields(title=ODD)["title"].value
    # The decoder makes typographic quotes and another circumflex, and knows no command for a brace.
    marks = str.maketrans({"ˆ": "^", "“": '"', "”": '"', "’": "'", "{": None})
    assert read.translate(marks) == ODD.translate(marks)


@for_each("title", ["{", "}", "}{", "a } b", "\\", "\\{", "$", "$5 and $6", "a $x{$ b", "%", "@article{x,"])
def test_no_title_breaks_the_file(title):
    text = bibtex(
        [paper(title=title, venue=title, authors=[f"{title} Smith"], doi=title, citation_key="first"), paper()]
    )
    assert list(parsed(text)) == ["first", "k"]
    assert text.count("{") == text.count("}")


@for_each(
    ("title", "written"),
    [
        ("BERT: A Model in ArXiv", "{BERT}: A Model in {ArXiv}"),
        ("Plain Words Only", "Plain Words Only"),
        ("The C Language", "The {C} Language"),
        ("Bounds of $O(n^2)$ & more", r"Bounds of $O(n^2)$ {\&} more"),
        ("From $5 to $6", r"From {\$}5 to {\$}6"),
        ("中文 Title", "中文 Title"),
    ],
)
def test_capitals_and_formulas_stay(title, written):
    assert f"title = {{{written}}}" in bibtex([paper(title=title)])


@for_each(
    ("venue", "kind"),
    [
        (None, Kind.PREPRINT),
        ("arXiv.org", Kind.PREPRINT),
        ("Neural Information Processing Systems", Kind.CONFERENCE),
        ("NeurIPS", Kind.CONFERENCE),
        ("Nature", Kind.JOURNAL),
        ("Phys.Rev.D76:013009,2007", Kind.JOURNAL),
        ("Advances in Neural Information Processing Systems 30", Kind.CONFERENCE),
        ("Proceedings of the VLDB Endowment", Kind.JOURNAL),
        ("Proc. ACM Program. Lang.", Kind.JOURNAL),
        ("WMT@ACL", Kind.CONFERENCE),
        ("IEEE", Kind.JOURNAL),
        ("Technical Report", Kind.PREPRINT),
    ],
)
def test_the_venue_tells_the_kind(venue, kind):
    assert kind_of(venue) is kind


@for_each(
    ("venue", "dblp", "written", "field", "csl"),
    [
        ("Proc. ACM Program. Lang.", "article", "article", "journal", "article-journal"),
        ("Nature", "inproceedings", "inproceedings", "booktitle", "paper-conference"),
        ("Handbook of Satisfiability", "incollection", "incollection", "booktitle", "chapter"),
        ("ETH Zurich", "phdthesis", "phdthesis", "school", "thesis"),
        (None, "phdthesis", "phdthesis", None, "thesis"),
        (None, "article", "misc", None, "article"),
        ("arXiv.org", "inproceedings", "misc", "howpublished", "article"),
        ("NeurIPS", None, "inproceedings", "booktitle", "paper-conference"),
    ],
)
def test_dblp_tells_the_kind_but_a_preprint_stays_one(venue, dblp, written, field, csl):
    row = paper(venue=venue, publication_type=dblp, pages="1-10")
    (entry,) = parsed(bibtex([row])).values()
    (item,) = json.loads(csl_json([row]))
    assert item.keys() <= CSL_FIELDS
    assert (entry.entry_type, item["type"]) == (written, csl)
    assert (entry.fields_dict[field].value if field else None) == (venue if field else None)
    assert (item.get("container-title") or item.get("publisher")) == venue


def test_pages_are_a_range_as_each_form_writes_it():
    row = paper(venue="NeurIPS", publication_type="inproceedings", pages="7:1-7:30, 12", doi="10.1/a_b%c#d")
    assert "doi = {10.1/a_b%c#d}" in bibtex([row]), "an address is verbatim"
    assert "pages = {7:1--7:30, 12}" in bibtex([row])
    assert json.loads(csl_json([row]))[0]["page"] == "7:1-7:30, 12"


@for_each(("venue", "dblp"), [("arXiv.org", "article"), ("ICML", "article"), (None, "preprint"), ("ICML", None)])
def test_pages_of_another_version_are_left_out(venue, dblp):
    row = paper(venue=venue, publication_type=dblp, pages="1-10")
    assert "pages" not in bibtex([row])
    assert "page" not in json.loads(csl_json([row]))[0]


# CSL-JSON


CSL_FIELDS = set(
    "id citation-key type title author issued container-title page publisher genre DOI URL abstract number".split()
)
"""Of csl-data.json, version 1.0, those that are written."""


def test_csl_json_is_what_the_schema_asks_for(papers):
    items = json.loads(csl_json(papers))
    assert set().union(*items) <= CSL_FIELDS
    told = {item["id"]: item for item in items}
    assert told["vaswani2017attention"] | {"abstract": ""} == {
        "id": "vaswani2017attention",
        "citation-key": "vaswani2017attention",
        "type": "paper-conference",
        "title": "Attention Is All You Need",
        "author": [{"family": "Vaswani", "given": "Ashish"}, {"family": "Kaiser", "given": "Łukasz"}],
        "issued": {"date-parts": [[2017]]},
        "container-title": "Neural Information Processing Systems",
        "number": "arXiv:1706.03762",
        "URL": "https://arxiv.org/abs/1706.03762",
        "abstract": "",
    }
    assert told["atlas100"]["author"] == [{"literal": "ATLAS Collaboration"}]
    assert "issued" not in told["atlas100"]


def test_a_preprints_day_is_not_given_for_a_later_year():
    (item,) = json.loads(csl_json([paper(year=2019, published_on=T0.date())]))
    assert item["issued"] == {"date-parts": [[2019]]}


@for_each(
    ("author", "written"),
    [
        ("Google Brain", "{Google Brain}"),
        ("John Smith Jr.", "Smith, Jr., John"),
        ("Krizhevsky A", "Krizhevsky, A"),
        ("Vaswani et al.", "{Vaswani} and others"),
        ("Ashish Vaswani et al.", "Vaswani, Ashish and others"),
        ("and others", "others"),
        ("Smith {and} Wesson", r"{Smith {\textbraceleft}and{\textbraceright} Wesson}"),
    ],
)
def test_bibtex_writes_persons_by_family_name_and_groups_in_braces(author, written):
    assert f"author = {{{written}}}" in bibtex([paper(authors=[author])])
