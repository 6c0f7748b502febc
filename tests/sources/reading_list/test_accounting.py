"""Nothing is dropped in silence: every line is part of a mention, or is listed with what it was taken for."""

import re
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings

from sources.lists.reading import LIKE_ENTRIES, parse_reading_list
from sources.lists.reading.accounting import lines_of
from tests.matrices import for_each
from tests.sources.reading_list.test_properties import LISTS

ROOT = Path(__file__).resolve().parents[3]
OWN = sorted((ROOT / "tests/fixtures").glob("*/*.md")) + sorted((ROOT / "tests/lists").glob("*.md"))
SHARED = sorted(chain(*((ROOT.parent / "shared").glob(one) for one in ("lists/*", "practice/*.md", "corpus/*/*"))))
# Identifiers that nobody could read as anything else, found by other means than the parser's.
ARXIV = re.compile(r"https?://arxiv\.org/(?:abs|pdf)/((?:0[7-9]|1\d|2[0-4])(?:0[1-9]|1[0-2])\.\d{4,5})(?!\d)")
DOI = re.compile(r"doi\.org/(10\.\d{4,5}/[a-z0-9.-]*[a-z0-9])(?=[)\s>\"]|$)", re.IGNORECASE)


def accounted(text: str) -> None:
    read = parse_reading_list(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    skipped = Counter(line.line for line in read.skipped)
    mentioned = {line for mention in read.mentions for line in lines_of(mention)}
    assert not {line for line, count in skipped.items() if count > 1}
    written = {number for number, line in enumerate(lines, 1) if line.strip()}
    assert written <= mentioned | skipped.keys()
    unread = {line.line for line in read.skipped if line.kind in LIKE_ENTRIES}
    names = {identifier.value for mention in read.mentions for identifier in mention.identifiers}
    links = [url for mention in read.mentions for url in (mention.url, *mention.notes) if url]
    told = " ".join(finding.value or "" for mention in read.mentions for finding in mention.findings)
    for number, line in enumerate(lines, 1):
        for value in (*ARXIV.findall(line), *DOI.findall(line)):
            known = value.lower() in names or value in told or any(value in link for link in links)
            assert known or number in unread, (number, value, line[:200])


@for_each("path", OWN)
def test_every_line_of_our_own_lists_is_accounted_for(path: Path):
    accounted(path.read_text(encoding="utf-8"))


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(not SHARED, reason="../shared is not beside the checkout")
def test_every_line_of_real_lists_is_accounted_for():
    for path in SHARED:
        if path.is_file() and path.suffix in (".md", ".txt"):
            accounted(path.read_text(encoding="utf-8", errors="replace"))


@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow])
@given(LISTS)
@example(
    "[Words](https://arxiv.org/abs/1512.03385)https://arxiv.org/abs/2005.14165[Words](https://arxiv.org/abs/1512.03385)"
)
def test_every_line_of_any_text_is_accounted_for(text: str):
    accounted(text)


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        ("## Further reading", "structure", "a heading"),
        ("***", "structure", "markup"),
        ("- Code: [spinner](https://github.com/someone/spinner)", "resource", "a link to code"),
        ("- [A talk on it](https://www.youtube.com/watch?v=abcdefghijk)", "resource", "a link to a video"),
        ("I read these on the train, and skipped the proofs.", "prose", "text"),
        ("- [Spinner]() [my notes](./notes/spinner.md)", "not read", "it has a link without an address"),
        ("### [Spinner]()", "not read", "it has a link without an address"),
        ('"[Introspection](http://bit.ly/1)"', "not read", "it reads like a reference"),
        (
            "As arXiv:1706.03762 has it.",
            "not read",
            "it names a paper that no mention has, with a link or an identifier",
        ),
    ],
)
def test_a_line_that_is_no_entry_is_told_for_what_it_is(line: str, kind: str, reason: str):
    read = parse_reading_list(f"# Papers\n\n- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n\n{line}\n")
    assert [(item.kind, item.reason) for item in read.skipped if item.line == 5] == [(kind, reason)]


def test_a_line_among_entries_that_does_not_read_like_one_is_named():
    titles = ("Fast R-CNN", "Attention Is All You Need", "Deep Residual Learning for Image Recognition")
    entries = [f"- [{title}](https://arxiv.org/abs/1504.0808{at})" for at, title in enumerate(titles)]
    read = parse_reading_list("\n".join(("# Papers", "", *entries, "- zebra stripes")))
    assert [item.line for item in read.skipped if item.kind in LIKE_ENTRIES] == [6]
    assert read.like_entries == 1


def test_an_entry_with_people_and_a_year_is_no_part_of_the_one_before_it():
    read = parse_reading_list(
        "# Bücher\n\n"
        "1. Harald Dunninger (1961) Die Hügel des nördlichen Grenzlandes: eine Studie, Akademie, Leipzig.\n"
        "2. Moosbach Eduard (1968) Das Relief der Teutoburger Senke, Verlag der Universität, Münster.\n"
        "3. Irene Waldner (1972) Flüsse zwischen Elbe und Saale. Studien über Terrassen, Ceres, Berlin.\n"
        "4. Thomas Keller, Anna Prott (Hrsg.) (1987) Die Geographie der Stadt Erfurt, Universität Erfurt.\n"
    )
    assert [list(lines_of(mention)) for mention in read.mentions] == [[3], [4], [5], [6]]
    assert read.mentions[3].title == "Die Geographie der Stadt Erfurt"


@pytest.mark.parametrize(
    "line",
    [
        "(from Ada Lovelace, Grace Hopper, Ada Quill, Slow Nets for Small Words, NIPS, 2012.)",
        '- [A data set](https://example.org/data)(Quill, "Hypernym extraction from small words", SIU, 2017)',
        "<td>\nHopper et al. 2011. The Amsterdam Declaration on Small Names.\n</td>",
        "- Quill, Anmerkungen zu den Gezeiten am Gericht, S. 9 ff.",
        "- TideNet, Quill/Hopper/Lovelace, 1411.4038",
        "7\tQuill, A. B., & Hopper, G.\t2021\tPengaruh Pasang Surut terhadap Tanah\t" + "hasil penelitian " * 30,
    ],
)
def test_what_reads_like_a_reference_is_named_where_no_mention_has_it(line: str):
    read = parse_reading_list(f"# Notes\n\nSome words about what I read.\n\n{line}\n")
    assert read.mentions or read.like_entries == 1


def test_the_lines_of_a_row_in_html_are_the_mention_s():
    titles = ("Turbulent Mixing in Stratified Estuaries", "Sediment Transport in Meandering Rivers")
    rows = (f"<tr>\n<td><b>{title}</b><br>A. Lovelace<br>ICML 2020</td>\n<td>2020</td>\n</tr>\n" for title in titles)
    read = parse_reading_list(f"<table>\n<tr><th>Paper</th><th>Year</th></tr>\n{''.join(rows)}</table>\n")
    assert [(mention.line, mention.title) for mention in read.mentions] == [(4, titles[0]), (8, titles[1])]
    assert {line.line for line in read.skipped} == {1, 2, 6, 10, 11}
    assert read.like_entries == 0


def test_the_cells_of_a_table_are_read_apart_where_it_is_asked_what_was_not_read():
    text = (
        "Title,Author,DOI,Url,Date Added\n"
        "Waves over a Submerged Reef,A. Lovelace,10.1126/science.1228604,https://doi.org/10.1126/science.1228604,2021-03-04\n"
        "Turbulent Mixing in Stratified Estuaries,G. Hopper,10.1021/ja809598r,,2021-03-04\n"
    )
    read = parse_reading_list(text)
    assert len(read.mentions) == 2
    assert read.like_entries == 0
