"""Lists that are no Markdown: CSV, TSV, BibTeX and RIS, told by their text alone."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sources.lists.reading import parse_reading_list
from sources.lists.reading.tabular import read_table
from tests.matrices import for_each
from tests.sources.reading_list.test_properties import BOUNDED, MARKS, PIECES

MARKDOWN = sorted((Path(__file__).resolve().parents[2] / "fixtures/reading_lists").glob("*.md"))

SPREADSHEET = """\
title,authors,year,venue,link
Attention Is All You Need,"Ashish Vaswani, Noam Shazeer",2017,NeurIPS,https://arxiv.org/abs/1706.03762
"Adam: A Method for
Stochastic Optimization",Diederik Kingma and Jimmy Ba,,,
Deep Residual Learning for Image Recognition,"He, Kaiming; Zhang, Xiangyu",2016.0,CVPR,
"""
ZOTERO = (
    '\ufeff"Key","Item Type","Publication Year","Author","Title","Publication Title","ISBN","ISSN","DOI","Url",'
    '"Abstract Note","Date","Date Added","Access Date","Number","Short Title","Series Title","Extra","Notes",'
    '"File Attachments","Manual Tags","System"\r\n'
    '"K1","preprint","2017","Vaswani, Ashish; Shazeer, Noam","Attention Is All You Need","","","",'
    '"10.48550/arXiv.1706.03762","http://arxiv.org/abs/1706.03762","In 2014, models were\r\n""complex"", see '
    'arXiv:1409.0473.","2017-06-12","2021-01-02","2021-01-02","arXiv:1706.03762","Attention","","arXiv:1706.03762 [cs]'
    '","after arXiv:1512.03385","/home/me/Deep Learning 2019.pdf","nlp; 2018","x"\r\n'
    '"K2","bookSection","","Rumelhart, David","Learning Internal Representations","Parallel Distributed Processing",'
    '"","","10.7551/mitpress/5236","","","1986-01","2021-05-05","2021-01-02","","","","","","","",""\r\n'
)
TSV = (
    "Paper Title\tAuthor(s)\tPublication Year\tarXiv ID\n\t\t2015\t1412.6980v9\n"
    "Long Short-Term Memory\tS. Hochreiter, J. Schmidhuber\t1997\t\n"
)
GERMAN = 'sep=;\nTitel;Autoren;Jahr;Zeitschrift\n"Deep learning";LeCun, Y., Bengio, Y., Hinton, G.;2015;Nature\n'
CHINESE = "标题,作者,年份,会议/期刊\n图神经网络综述,张三、李四,2020年,计算机学报\n"
SCHOLAR = (
    "Authors,Title,Publication,Volume,Number,Pages,Year,Publisher\n"
    '"Ho, Jonathan; Jain, Ajay; ",Denoising diffusion models,Neural Computation,33,,6840-6851,2020,\n'
)
NOTION = (
    "Name,Authors,Tags,URL,Added\n"
    "Proximal Policy Optimization,John Schulman,rl 2019,https://arxiv.org/abs/1707.06347,2023-01-02\n"
)
LINKS = (
    "Title,URL\nDeep learning,https://www.nature.com/articles/nature14539\n"
    "[Adam](https://arxiv.org/abs/1412.6980),\nPageRank,http://example.org/pagerank\n"
)
RIS = """\
TY  - JOUR
TI  - Deep Residual Learning
  for Image Recognition
AU  - He, Kaiming
AU  - Zhang, Xiangyu
PY  - 2016/06/27/
T2  - CVPR
N2  - In 2015 arXiv:1409.0473 came out.
DO  - 10.1109/CVPR.2016.90
UR  - https://doi.org/10.1109/CVPR.2016.90
ER  -

TY  - JOUR
DO  - 10.1038/nature14539
ER  - \

"""
BIBTEX = """\
% A bibliography
@string{nips = "Advances in Neural Information Processing Systems"}
@comment{jabref-meta: databaseType:bibtex;}
@inproceedings{vaswani17,
  author = {Vaswani, Ashish and Shazeer, Noam and others},
  title = {{Attention} Is All {You {Need}}},
  booktitle = nips, month = jun # "~12",
  year = 2017
}
@article{x, doi = {10.1038/nature14539}}
@misc{y, eprint = {1412.6980}, archiveprefix = {arXiv}, year = 2014}
@online{z, title = {Long short-term memory}, journaltitle = {Neural Computation}, date = {1997-11}}
"""


def _facts(text):
    return [
        (m.line, m.last_line, m.title, m.authors, m.year, m.venue, m.arxiv_id or m.doi)
        for m in parse_reading_list(text).mentions
    ]


_HE = ("Kaiming He", "Xiangyu Zhang")
_VASWANI = ("Ashish Vaswani", "Noam Shazeer")
_RESNET = "Deep Residual Learning for Image Recognition"
LISTS = {
    "spreadsheet": (
        SPREADSHEET,
        "a table in CSV",
        (2, 2, "Attention Is All You Need", _VASWANI, 2017, "NeurIPS", "1706.03762"),
        (3, 4, "Adam: A Method for Stochastic Optimization", ("Diederik Kingma", "Jimmy Ba"), None, None, None),
        (5, 5, _RESNET, _HE, 2016, "CVPR", None),
    ),
    "zotero": (
        ZOTERO,
        "a table in CSV",
        (2, 3, "Attention Is All You Need", _VASWANI, 2017, None, "1706.03762"),
        (
            *(4, 4, "Learning Internal Representations", ("David Rumelhart",)),
            *(1986, "Parallel Distributed Processing", "10.7551/mitpress/5236"),
        ),
    ),
    "tsv": (
        TSV,
        "a table in TSV",
        (2, 2, None, (), 2015, None, "1412.6980"),
        (3, 3, "Long Short-Term Memory", ("S. Hochreiter", "J. Schmidhuber"), 1997, None, None),
    ),
    "german": (
        GERMAN,
        "a table in CSV",
        (3, 3, "Deep learning", ("Y. LeCun", "Y. Bengio", "G. Hinton"), 2015, "Nature", None),
    ),
    "chinese": (CHINESE, "a table in CSV", (2, 2, "图神经网络综述", ("张三", "李四"), 2020, "计算机学报", None)),
    "scholar": (
        SCHOLAR,
        "a table in CSV",
        (2, 2, "Denoising diffusion models", ("Jonathan Ho", "Ajay Jain"), 2020, "Neural Computation", None),
    ),
    "notion": (
        NOTION,
        "a table in CSV",
        (2, 2, "Proximal Policy Optimization", ("John Schulman",), None, None, "1707.06347"),
    ),
    "links": (
        LINKS,
        "a table in CSV",
        (2, 2, "Deep learning", (), None, None, "10.1038/nature14539"),
        (3, 3, "Adam", (), None, None, "1412.6980"),
        (4, 4, "PageRank", (), None, None, None),
    ),
    "ris": (
        RIS,
        "a bibliography in RIS",
        (2, 11, _RESNET, _HE, 2016, "CVPR", "10.1109/cvpr.2016.90"),
        (13, 15, None, (), None, None, "10.1038/nature14539"),
    ),
    "bibtex": (
        BIBTEX,
        "a bibliography in BibTeX",
        (6, 9, "Attention Is All You Need", _VASWANI, 2017, "Advances in Neural Information Processing Systems", None),
        (10, 10, None, (), None, None, "10.1038/nature14539"),
        (11, 11, None, (), 2014, None, "1412.6980"),
        (12, 12, "Long short-term memory", (), 1997, "Neural Computation", None),
    ),
}


@for_each("name", LISTS)
def test_every_row_and_entry_is_a_mention_with_its_own_facts(name):
    text, form, *mentions = LISTS[name]
    assert parse_reading_list(text).form == form
    assert _facts(text) == _facts(text.replace("\r\n", "\n").replace("\n", "\r\n")) == mentions


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
        BIBTEX + "\n- [Deep learning](https://doi.org/10.1038/nature14539)\n", "# Papers\n" + BIBTEX,
        "Words first.\n" + RIS, "",
        *(path.read_text(encoding="utf-8") for path in MARKDOWN),
    ],
)  # fmt: skip
def test_markdown_is_never_taken_for_a_table(text):
    assert read_table(text) is None


TABLES = tuple(text for text, *_ in LISTS.values())
JUNK = st.one_of(st.sampled_from((*PIECES, *MARKS, *'",;\t{}@%\0', "TY  - ", "ER  -", "@misc{a,")), st.text(max_size=8))


@BOUNDED
@given(
    text=st.sampled_from(TABLES), cuts=st.lists(st.tuples(st.integers(0, 1200), st.integers(0, 9), JUNK), max_size=4)
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
