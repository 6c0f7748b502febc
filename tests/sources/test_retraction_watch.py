"""Retraction Watch's CSV read as notices, and notices told apart from those about other papers."""

import io
import json
from datetime import date

import pytest

from sources.errors import PayloadError
from sources.services.agreement import Description
from sources.services.retraction_watch import (
    Notice,
    lines_of_notices,
    match_of,
    mended_notice_line,
    retraction_among,
    without_mark,
)
from standins.catalogue.dumps import notice_row, notices_csv
from tests.matrices import for_each

TITLE, PEOPLE = "Fast Joins on Slow Disks", ("Ann Kim", "Bo Li")
PAPER = Description(title=TITLE, authors=PEOPLE, year=2019)
DOI = "10.1145/1.2"


def lines(body: bytes) -> list[dict]:
    return [json.loads(line) for line in lines_of_notices(io.BytesIO(body))]


def notice(record="1", nature="retraction", **told):
    return Notice(record=record, nature=nature, **{"title": TITLE, "authors": PEOPLE, "original_year": 2019} | told)


def test_a_row_is_a_line_in_normal_form():
    columns = {"OriginalPaperDOI": " https://doi.org/10.1145/1.A ", "RetractionDOI": "Unavailable"}
    (line,) = lines(notices_csv([notice_row(7, "RETRACTED: Fast\nJoins", PEOPLE, **columns)]))
    assert line == {
        "record": "7",
        "title": "Fast Joins",
        "authors": ["Ann Kim", "Bo Li"],
        "doi": "10.1145/1.a",
        "original_on": "2019-03-01",
        "notice_doi": None,
        "noticed_on": "2020-06-04",
        "nature": "retraction",
        "reasons": ["Unreliable Results and/or Conclusions", "Error in Analyses"],
    }


def test_a_doi_that_is_percent_encoded_is_read_plain():
    written = "10.1002/1096-9098(200007)74:3%3C201::AID-X8%3E3.0.CO;2-5"
    (line,) = lines(notices_csv([notice_row(7, TITLE, PEOPLE, OriginalPaperDOI=written, RetractionDOI=written)]))
    plain = "10.1002/1096-9098(200007)74:3<201::aid-x8>3.0.co;2-5"
    assert (line["doi"], line["notice_doi"]) == (plain, plain)


@pytest.mark.parametrize(
    ("body", "names"),
    [
        pytest.param("Müller".encode(), "Müller", id="utf-8"),
        pytest.param("Müller; Łuk".encode().replace("ü".encode(), b"\xfc"), "Müller;Łuk", id="both"),
    ],
)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_letters_of_both_encodings_are_read(body, names, mark):
    plain = notices_csv([notice_row(1, TITLE, ["NAMES"])])
    assert lines(mark + plain.replace(b"NAMES", body))[0]["authors"] == names.split(";")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        pytest.param(b"<!DOCTYPE html><title>Sign in</title>", r"web page \('Sign in'\)", id="web-page"),
        pytest.param(b"id,title\n1,x\n", "not Retraction Watch's CSV: its first line is 'id,title'", id="other-csv"),
        pytest.param(notices_csv([notice_row(1, TITLE, PEOPLE)] * 2)[:-60], "breaks off in record 2", id="cut"),
    ],
)
def test_another_file_is_refused(body, why):
    with pytest.raises(PayloadError, match=why):
        lines(body)


def test_rows_that_cannot_be_read_are_faults_and_the_others_stay():
    body = notices_csv([notice_row(number, TITLE, PEOPLE) for number in (1, 2, 3)])
    first, *rows = body.splitlines(keepends=True)
    broken = rows[1].replace(b",2019", b"").replace(b"2,Fast", b"2,too,many,Fast")
    read = lines(first + rows[0] + broken + rows[2])
    assert [row.get("fault", "")[:8] for row in read] == ["", "a row of", ""]
    with pytest.raises(PayloadError, match="values below 20 columns"):
        mended_notice_line(json.dumps(read[1]).encode())


def test_why_a_row_cannot_be_read_is_told_and_is_not_the_row():
    first, *rows = notices_csv([notice_row(number, TITLE, PEOPLE) for number in (1, 2)]).splitlines(keepends=True)
    endless = b'3,"' + b"x" * 200_000 + b'"\r\n'
    read = lines(first + rows[0] + b"a stray line\r\n" + endless + rows[1])
    assert [row.get("fault") for row in read] == [
        None,
        "a row of 1 value below 20 columns",
        "the row cannot be read: field larger than field limit (131072)",
        None,
    ]
    with pytest.raises(PayloadError, match="below 20 columns"):
        mended_notice_line(json.dumps(read[1]).encode())


@for_each(
    ("columns", "why"),
    [
        ({"RetractionNature": "Apology"}, "unknown nature 'apology'"),
        ({"Record ID": "x1"}, "without record number"),
    ],
)
def test_a_row_that_tells_of_no_notice_is_refused(columns, why):
    (line,) = lines(notices_csv([notice_row(1, TITLE, PEOPLE) | columns]))
    with pytest.raises(PayloadError, match=why):
        mended_notice_line(json.dumps(line).encode())


def test_days_and_dois_that_cannot_be_true_are_left_out_and_named():
    columns = {"RetractionDate": "13/45/2020", "OriginalPaperDate": "1/1/2999", "OriginalPaperDOI": "see notes"}
    (line,) = lines(notices_csv([notice_row(1, TITLE, PEOPLE, **columns)]))
    mended = mended_notice_line(json.dumps(line).encode(), today=date(2026, 11, 22))
    assert set(mended.left_out) == {"noticed_on", "original_on", "doi"}
    assert [json.loads(mended.text)[name] for name in mended.left_out] == [None] * 3


@for_each(
    ("written", "title"),
    [
        ("RETRACTED ARTICLE: Fast Joins", "Fast Joins"),
        ("Fast Joins (Retracted)", "Fast Joins"),
        ("WITHDRAWN: Fast Joins", "Fast Joins"),
        ("Retracted Science and the Retraction Index", "Retracted Science and the Retraction Index"),
        ("Why papers are retracted", "Why papers are retracted"),
    ],
)
def test_the_mark_of_a_retraction_is_no_part_of_the_title(written, title):
    assert without_mark(written) == title


def test_a_paper_is_known_by_its_doi_or_by_title_and_people():
    assert match_of(notice(doi=DOI), PAPER, {DOI, "10.1/other"}) == "doi"
    assert match_of(notice(doi=DOI), PAPER, ()) == "title and authors"
    assert match_of(notice(authors=("A. Kim", "B. Li")), PAPER, {DOI}) == "title and authors"
    assert match_of(notice(), Description(title=f"RETRACTED: {TITLE}", authors=PEOPLE), ()) == "title and authors"
    lone = Description(title=TITLE, authors=("Ann Q. Kim",), year=2019)
    assert match_of(notice(authors=("Ann Kim",)), lone, ()) == "title and authors"
    preprint = Description(title=TITLE, authors=PEOPLE, year=2017)
    assert match_of(notice(doi=DOI), preprint, ()) == "title and authors"


EDITORIAL = Description(title="Editorial", authors=PEOPLE, year=2019)


@pytest.mark.parametrize(
    ("about", "paper", "dois"),
    [
        pytest.param({"doi": "10.1145/9.9"}, PAPER, {DOI}, id="republished under another DOI"),
        pytest.param({"doi": DOI, "title": "Slow Food", "authors": ("C. Ode",)}, PAPER, {DOI}, id="wrong DOI"),
        pytest.param({"doi": DOI, "title": "Slow Food"}, PAPER, {DOI}, id="another of its people's papers"),
        pytest.param({"doi": DOI, "title": "Fast Joins on Slow Disks II"}, PAPER, {DOI}, id="the DOI of a sequel"),
        pytest.param({"title": "Editorial"}, EDITORIAL, (), id="another editorial"),
        ({"doi": DOI, "title": "Editorial", "original_year": 2018}, EDITORIAL, {DOI}),
        pytest.param({"authors": ("Cy Ode", "Di Pa")}, PAPER, (), id="same title by others"),
        pytest.param({"authors": ("Ann Kim",)}, PAPER, (), id="one of its people"),
        pytest.param({"title": "Fast Joins on Slow Discs II"}, PAPER, (), id="a sequel"),
        pytest.param({"original_year": 2009}, PAPER, (), id="ten years before"),
        ({"authors": ("W. Wang",)}, Description(title=TITLE, authors=("Wei Wang",), year=2019), ()),
    ],
)
def test_a_notice_about_another_paper_is_not_believed(about, paper, dois):
    assert match_of(notice(**about), paper, dois) is None


RETRACTED = notice("5", noticed_on=date(2020, 6, 4))


@for_each(
    ("notices", "retracted"),
    [
        ([notice("1", "correction")], None),
        ([notice("1", "reinstatement")], None),
        ([RETRACTED, notice("6", "correction", noticed_on=date(2021, 1, 1))], True),
        ([RETRACTED, notice("6", "reinstatement", noticed_on=date(2021, 1, 1))], False),
        ([RETRACTED, notice("6", "reinstatement")], False),
        ([RETRACTED, notice("4", "reinstatement", noticed_on=date(2019, 1, 1))], True),
        ([RETRACTED, notice("9", noticed_on=date(2019, 1, 1))], True),
    ],
)
@for_each("order", [1, -1])
def test_of_several_notices_the_last_word_holds(notices, retracted, order):
    found = retraction_among(notices[::order], PAPER, ())
    assert (found and not found.reinstated) == retracted
    assert found is None or found.notice == RETRACTED
