"""Records of several lines, cells and blocks: what recurs in a list tells what belongs together."""

from sources.lists.reading import parse_reading_list
from sources.lists.reading.document import read_document
from sources.lists.reading.drafts import Draft
from sources.lists.reading.mentions import drafts_by_rule, records_of
from sources.lists.reading.pieces import cut_entry
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


def _records(text: str) -> list[Draft]:
    return [draft for some in records_of(read_document(text).blocks)[0] for draft in some]


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


def test_titles_line_by_line_in_a_cell_are_one_draft_each():
    cell = f"{_TITLES[0]} (Lopez 2014) [[pdf]({_ids(1)})]<br>{_TITLES[1]} (Young 2018)"
    row = f"| Day | Topic | Reading |\n|---|---|---|\n| May 4 | Energy | {cell} |\n"
    assert [(draft.title, draft.line) for draft in _drafts(row)] == [(_TITLES[0], 3), (_TITLES[1], 3)]


@for_each(
    ("text", "pieces"),
    [
        ("Optimal Circuits for Two-Qubit Gates Farrokh Vatan, Colin Williams", ["words", "names", "names"]),
        ("A Transpiler Framework for Noisy Devices Fei Hua et al.", ["words", "names"]),
        ("20181206 arXiv Transferring Knowledge across Processes", ["imprint", "imprint", "words"]),
        ("Learning Reciprocity under Social Dilemmas 19 Mar 2019 arxiv", ["words", "imprint"]),
        ("Deep Learning and Machine Translation", ["words"]),
    ],
)
def test_names_and_dates_that_only_a_blank_parts_from_the_title_are_pieces(text, pieces):
    (draft,) = _drafts(f"- {text}\n")
    cut = cut_entry(draft)
    assert cut is not None
    assert [piece.kind for piece in cut.pieces] == pieces


def test_what_stands_where_other_records_have_no_title_is_none():
    people = list(_PEOPLE)
    people[2] = "ason Maier, Finn Olsen"
    text = "".join(
        f"1. **{title}**\n\n    *{names}* [[pdf]({_ids(n)})], 2019\n\n"
        for n, (title, names) in enumerate(zip(_TITLES, people, strict=True))
    )
    assert [(d.title, len(d.paper_links)) for d in _records(text)] == [(title, 1) for title in _TITLES]


def test_a_file_name_with_a_remark_behind_it_is_a_title_without_it():
    text = "".join(
        f"- [x] 201{n}_Lopez_{title.replace(' ', '-')}.pdf : read again\n" for n, title in enumerate(_TITLES)
    )
    assert [d.title for d in _records(text)] == [f"201{n} Lopez {title}" for n, title in enumerate(_TITLES)]


def test_an_entry_of_bibtex_below_a_title_belongs_to_it():
    fields = "title={{{title}}},\n  author={{Lopez, Ana and Lind, Bo}},\n  year={{2019}}"
    entry = "```bibtex\n@article{{k{n},\n  " + fields + "\n}}\n```\n"
    parts = [f"### {title}\n\nOn tides.\n\n{entry.format(n=n, title=title)}" for n, title in enumerate(_TITLES)]
    mentions = parse_reading_list("# Notes\n\n" + "\n".join(parts)).mentions
    assert [(m.line, m.title, m.authors, m.year) for m in mentions] == [
        (3 + 12 * n, title, ("Ana Lopez", "Bo Lind"), 2019) for n, title in enumerate(_TITLES)
    ]


def test_a_block_of_lines_is_one_record_where_nearly_all_of_its_form_are():
    people = [*_PEOPLE[:3], "Xyqa Zzorw9, Vvuyt Qqow9"]
    records = [
        f"**{title}**  \n{names}  \nPreprint 2019. [[paper]({_ids(n)})]\n"
        for n, (title, names) in enumerate(zip(_TITLES, people, strict=True))
    ]
    found = _records("# Papers\n\n" + "\n".join(records))
    assert [draft.title for draft in found if draft.title != "Papers"] == list(_TITLES)
    assert [len(draft.paper_links) for draft in found if draft.title != "Papers"] == [1, 1, 1, 1]


def test_the_one_link_under_a_heading_belongs_to_the_one_citation_there():
    papers = [("Ames, C. J.", "Ten Rules for Writing Abstracts", 1), ("Bell, B., & Cole, K.", "Rules for Papers", 2)]
    text = "".join(
        f"### {number}. Of writing\n**{people} (2015).** {title}. *Cell Systems*, 11(4), 20-25.\n\n**Gist:**\n"
        f"- One idea.\n- Short words.\n\n**Zugang:** https://doi.org/10.1371/journal.pcbi.100420{number}\n\n---\n\n"
        for people, title, number in papers
    )
    mentions = parse_reading_list(text).mentions
    assert [(mention.title, mention.doi) for mention in mentions] == [
        (title, f"10.1371/journal.pcbi.100420{number}") for _, title, number in papers
    ]
