"""Records of several lines, cells and blocks: what recurs in a list tells what belongs together."""

from sources.lists.reading import parse_reading_list
from sources.lists.reading.document import read_document
from sources.lists.reading.drafts import Draft
from sources.lists.reading.mentions import drafts_by_rule
from sources.lists.reading.merge_blocks import blocks_above_abstracts
from tests.matrices import for_each

_TITLES = (
    "Sparse Attention for Long Protein Sequences",
    "Robust Estimation of Tidal Energy from Coastal Sensors",
    "A Survey of Graph Matching Algorithms",
    "Learning to Schedule Irrigation with Bayesian Optimization",
)
_PEOPLE = ("Ana Lopez, Bo Lind", "Cy Young, Di Chen", "Eva Maier, Finn Olsen", "Gil Amar, Hanna Roth")


def _ids(number: int) -> str:
    return f"https://arxiv.org/abs/1905.0000{number}"


def _drafts(text: str) -> list[Draft]:
    return [draft for some in drafts_by_rule(read_document(text).blocks) for draft in some]


FORMS = [
    ("**{name}** [[paper]]({url})\n\n{title}\n\n", False, None, None),
    ("[{title}]\n\n{people}(2021)\n\n[[pdf]]({url})\n\n", True, None, 2021),
    ("### {title}\n**Author:** {people}\n\n**Link:** {url}\n\n", True, None, None),
    ("#### {title}\n\n##### [[pdf]({url})]\n\n", False, None, None),
    ("- [{title}](https://doi.org/10.1145/1905.0000{n})\n  - [arXiv]({url})\n", False, None, None),
    ("- [{title}]({url})\n  - {lower}\n", False, None, None),
    ("**{title}.**  \nTom Brown  \n*Preprint, May 2021*  \n[[arxiv]({url})]\n\n", False, "Preprint", 2021),
    ("- {title}\n- [[arxiv]]({url}) [[Python]](https://github.com/a/b)\n", False, None, None),
    ("{n}. **{title}.** Preprint.\n\n   *{people}*  [[pdf]({url})], 2021.3\n\n", True, "Preprint", 2021),
    (":heavy_check_mark: [{title}]\n- [[Paper]]({url})[[Code]](https://github.com/a/b)\n\n", False, None, None),
    ("{title} (2018)\n\nAuthors: Ada Lovelace et al.\n\nLink: [arxiv]({url})\n\n", False, None, 2018),
    ("### {title}\n\n- Kdo: Jan Novak\n- Hodnoceni: dobre\n- **Odkaz:** [arXiv]({url})\n\n", False, None, None),
    ("### {n}\n\nPaper: **{title}**\nVerfasst von: {people}\nVortragende: Mira\nFundort: {url}\n\n", False, None, None),
    ("- **{title}** [[paper]({url})]\n  - *Gist:* tides of number {n} by night\n", False, None, None),
    ("<dt>{title}</dt><dd>ICLR 2016, <a href='{url}'>arXiv</a></dd>\n", False, "ICLR", 2016),
    ("<details><summary><b>{title}</b></summary>\n\nCVPR 2016, [paper]({url})\n\n</details>\n\n", False, "CVPR", 2016),
    ("**{title}**  \nJure Leskovec, Seth Myers  \nNeurIPS 2016 [PDF]({url})\n\n", False, "NeurIPS", 2016),
]
"""How a record is laid out over lines, cells and blocks; whether its authors are read; venue and year."""


@for_each(("form", "with_authors", "venue", "year"), FORMS)
def test_a_record_in_several_lines_or_blocks_is_one_mention(form, with_authors, venue, year):
    records = [
        form.format(title=title, lower=title.lower(), name=f"Net{n}X", people=people, url=_ids(n), n=n)
        for n, (title, people) in enumerate(zip(_TITLES, _PEOPLE, strict=True))
    ]
    mentions = parse_reading_list("# Papers\n\n## Papers\n\n" + "".join(records)).mentions
    assert [(m.title, m.arxiv_id) for m in mentions] == [(t, f"1905.0000{n}") for n, t in enumerate(_TITLES)]
    assert {(m.venue, m.year) for m in mentions} == {(venue, year)}
    read = [m.authors for m in mentions]
    assert not with_authors or read == [tuple(people.split(", ")) for people in _PEOPLE]


@for_each(
    ("text", "title"),
    [
        ("Optimal Circuits for Two-Qubit Gates Farrokh Vatan, Colin Williams", "Optimal Circuits for Two-Qubit Gates"),
        ("A Transpiler Framework for Noisy Devices Fei Hua et al.", "A Transpiler Framework for Noisy Devices"),
        ("20181206 arXiv Transferring Knowledge across Processes", "Transferring Knowledge across Processes"),
        ("Learning Reciprocity under Social Dilemmas 19 Mar 2019 arxiv", "Learning Reciprocity under Social Dilemmas"),
        ("Deep Learning and Machine Translation", "Deep Learning and Machine Translation"),
    ],
)
def test_names_and_dates_that_only_a_blank_parts_from_the_title_are_no_part_of_it(text, title):
    (mention,) = parse_reading_list(f"- {text} {_ids(0)}\n").mentions
    assert mention.title == title


def test_a_title_in_prose_far_behind_a_link_is_not_the_linked_paper_s():
    text = (
        f"# Notes\n\n**MeshNet** is a model of flows that the authors of the [article]({_ids(0)}) trained on data,\n"
        "which took them a year of measuring at sea and of cleaning up by hand afterwards. It goes back to the method\n"
        f'called "{_TITLES[1]}" and to many others.\n'
    )
    assert (_TITLES[1], _ids(0)) not in [(mention.title, mention.url) for mention in parse_reading_list(text).mentions]


@for_each("span", ["999999999999", "-1", "0", "x", "1e9", "\u00b2", ""])
def test_an_absurd_span_is_none(span):
    text = f"<table><tr><th>Title</th></tr><tr><td rowspan='{span}' colspan='{span}'>{_TITLES[0]}</td></tr></table>\n"
    assert len(read_document(text).blocks) == 1


def test_a_table_of_nothing_but_spans_stays_small():
    cells, rows = "<td rowspan=1000 colspan=50>x</td>" * 200, "<tr><td>y</td></tr>" * 50
    blocks = read_document(f"<table><tr>{cells}</tr>{rows}</table>\n").blocks
    assert max(len(block.cells) for block in blocks) <= 250


def test_the_blocks_above_an_abstract_are_its_title_and_a_short_line():
    abstract = "In this paper we propose a method for the flow around bodies of any form. " * 5
    text = f"## {_TITLES[0]}\n\nA. Lovelace, 2018\n\n{abstract}\n\n## Links\n\nNothing here.\n"
    assert blocks_above_abstracts(read_document(text).blocks) == {0, 1}
