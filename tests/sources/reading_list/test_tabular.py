"""Lists that are no Markdown: CSV, TSV, BibTeX and RIS, told by their text alone."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sources.lists.reading import parse_reading_list
from sources.lists.reading.tabular import read_table
from tests.matrices import for_each
from tests.sources.reading_list.test_properties import BOUNDED, MARKS, PIECES

MARKDOWN = sorted((Path(__file__).resolve().parents[2] / "fixtures/reading_lists").glob("*.md"))

FOLDER = Path(__file__).with_name("tables")
TABLES = {path.name: path.read_bytes().decode() for path in sorted(FOLDER.iterdir()) if path.suffix != ".jsonl"}
FORMS = {
    ".csv": "a table in CSV",
    ".tsv": "a table in TSV",
    ".ris": "a bibliography in RIS",
    ".bib": "a bibliography in BibTeX",
}
FIELDS = ("line", "last_line", "title", "authors", "year", "venue")


@for_each("name", TABLES)
def test_every_row_and_entry_is_a_mention_with_its_own_facts(name):
    labels = (FOLDER / name).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
    for text in (TABLES[name], TABLES[name].replace("\n", "\r\n")):
        read = parse_reading_list(text)
        assert read.form == FORMS[Path(name).suffix]
        told = [
            {**{field: getattr(mention, field) for field in FIELDS}, "identifier": mention.arxiv_id or mention.doi}
            for mention in read.mentions
        ]
        assert json.loads(json.dumps(told)) == list(map(json.loads, labels))


@for_each(
    ("text", "unread"),
    [
        ("title,authors,year\nAdam,Kingma,2015\nfew\nOne, two,Ho,2015\nBERT,Li,2019\nGPT,Lee,2020\nT5,Hu,2020\n",
         [3, 4]),
        ("title,authors,year\nAdam,Kingma,2015\n,,1999\n,,\nBERT,Devlin,2019\n", [3]),
        ('title,authors\nDeep learning,LeCun\n"Never closed,Ho,2015\nBERT,Devlin\nGPT-3,Brown\n', [3]),
        ("TY  - JOUR\nKW  - nothing\nER  - \nwords between\nTY  - JOUR\nTI  - Deep learning\nER  - \n", [1, 4]),
        ("@misc{a, note = {x}}\n@article{b, title = {Never closed, author = {A}\n@misc{c, title={Adam}}\n", [1, 2]),
    ],
)  # fmt: skip
def test_what_cannot_be_read_stays_as_a_paragraph(text, unread):
    document = read_table(text)
    assert [block.first_line for block in document.blocks if block.kind == "paragraph"] == unread
    lines = {mention.line for mention in parse_reading_list(text).mentions}
    assert len(lines) == len(document.blocks) - len(unread)
    assert not lines & set(unread)


def test_what_a_table_of_other_things_names_is_no_paper():
    rows = "name,url\nSome Tool,https://example.com/x\nAnother One,https://example.com/y\n"
    assert parse_reading_list(rows).mentions == ()


@for_each(
    "text",
    [
        "Title, authors, year\n\n- Attention Is All You Need, Vaswani, 2017\n- Deep learning, LeCun, 2015\n",
        "title,year\n",
        "Papers; links\n\nSome words about them.\n\nMore of these words.\n",
        "| title | year |\n|---|---|\n| Deep learning | 2015 |\n",
        TABLES["bibtex.bib"] + "\n- [Deep learning](https://doi.org/10.1038/nature14539)\n",
        "# Papers\n" + TABLES["bibtex.bib"], "Words first.\n" + TABLES["ris.ris"], "",
        *(path.read_text(encoding="utf-8") for path in MARKDOWN),
    ],
)  # fmt: skip
def test_markdown_is_never_taken_for_a_table(text):
    assert read_table(text) is None


JUNK = st.one_of(st.sampled_from((*PIECES, *MARKS, *'",;\t{}@%\0', "TY  - ", "ER  -", "@misc{a,")), st.text(max_size=8))


@BOUNDED
@given(
    text=st.sampled_from(sorted(TABLES.values())),
    cuts=st.lists(st.tuples(st.integers(0, 1200), st.integers(0, 9), JUNK), max_size=4),
)
def test_no_text_and_no_cut_of_one_raises_and_no_line_is_lost(text, cuts):
    for at, length, junk in cuts:
        text = text[:at] + junk + text[at + length :]
    skipped = {line.line for line in parse_reading_list(text).skipped}
    document = read_table(text)
    if document is not None and document.form.startswith("a table"):
        inside = {line for block in document.blocks for line in range(block.first_line, block.last_line + 1)}
        filled = {at for at, line in enumerate(document.lines, 1) if line.strip(" ,;\t\"'\ufeff")}
        lost = [line for line in filled - inside - skipped if any(map(str.isalnum, document.lines[line - 1]))]
        assert lost == []
