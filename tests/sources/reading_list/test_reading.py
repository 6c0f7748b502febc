"""How single entries are read: the smallest list that shows each way of writing a paper down."""

import pytest

from sources.lists.reading import parse_reading_list
from sources.lists.reading.citation_parts import dated_journal
from sources.lists.reading.document import read_document
from sources.lists.reading.mentions import drafts_by_rule, records_of
from sources.lists.reading.title_model import is_in_other_language, language_of
from tests.matrices import for_each


def only(text):
    (mention,) = parse_reading_list(text).mentions
    return mention


@for_each(
    ("text", "title"),
    [
        ("- [A Title of Some Paper](https://arxiv.org/abs/1706.03762)", "A Title of Some Paper"),
        ("[Going Deeper with Convolutions]() (ILSVRC 14)", "Going Deeper with Convolutions"),
        ("- Deep Layer Aggregation [[pdf](https://a.org/x.pdf)]", "Deep Layer Aggregation"),
        ("- Deep Layer Aggregation\n  - [paper](https://a.org/x.pdf)", "Deep Layer Aggregation"),
        ("- LAMB\n  - Google, [paper](https://openreview.net/pdf?id=Syx4wnEtvH)", "LAMB"),
        ("- https://arxiv.org/abs/1706.03762", None),
        ("- https://a.org/Deep%20Learning%20for%20Graphs%20-%202018.pdf", "Deep Learning for Graphs"),
        ("### J. Doe et al. [On Small Things](http://a.org/x.pdf) NIPS 2014", "On Small Things"),
        ("- [On Small Things [J. Doe, R. Roe]](http://arxiv.org/abs/2101.00001)", "On Small Things"),
        ("- **DDP**: PyTorch Distributed Training. VLDB'20", "PyTorch Distributed Training"),
        ("- ~~[On Small Things](http://a.org/x.pdf)~~", "On Small Things"),
        ("Title of one\n-----------\n\n* J. Doe. On small things. _Mind_, 1950.", "On small things"),
        ("- [x] [On Small Things](http://a.org/x.pdf)", "On Small Things"),
        ("1) [On Small Things](http://a.org/x y.pdf)", "On Small Things"),
        ("- Robust Control of Random Graphs -> Anna talks about it", "Robust Control of Random Graphs"),
        ("- On Small Things in Large Networks [[2 Sep 2019]](https://arxiv.org/abs/1909.00781)",
         "On Small Things in Large Networks"),
        ("- Fast Decoding for Deep Models(@Some Company) [[pdf]](https://arxiv.org/pdf/1811.03115)",
         "Fast Decoding for Deep Models"),
        (
         "- 🔥[**Parallel Decoding**] Blockwise Decoding for Deep Autoregressive Models [pdf](https://arxiv.org/pdf/1811.03115)",
         "Blockwise Decoding for Deep Autoregressive Models"),
        ("- Random Graphs in the Plane and Their Colours, 2017 ⭐⭐⭐", "Random Graphs in the Plane and Their Colours"),
        ("- Random Graphs in the Plane and Their Colours :star: :star:",
         "Random Graphs in the Plane and Their Colours"),
        ("- On Random ~~Grphs~~ Graphs in the Plane (2014)", "On Random Graphs in the Plane"),
        ("- ~~On Random Graphs in the Plane~~ Erdős et al. 1959", "On Random Graphs in the Plane"),
    ],
)  # fmt: skip
def test_the_title_is_read_without_what_stands_beside_it(text, title):
    assert only(text).title == title


@for_each(
    "text",
    [
        "- [horovod](https://github.com/horovod/horovod)",
        "- [CS231n: Convolutional Networks](http://cs231n.stanford.edu/)",
        "- [Lecture 3: Overview](http://a.edu/pdf/lecture3.pdf)",
        "- [A Talk about Deep Learning Systems](https://www.youtube.com/watch?v=1)",
        "- [How AI training scales](https://openai.com/blog/science-of-ai/)",
        "- [Backbones](#backbones)\n- [Tools](#tools)",
        "- [NVLink](./hardware/nvlink.md): a fast link",
        "> Proposed a backend for distributed training of deep networks.",
        "Please send a pull request if a paper is missing.",
        "```\n[A Title of Some Paper](https://arxiv.org/abs/1706.03762)\n```",
        "<!-- [A Title](https://arxiv.org/abs/1706.03762) -->",
        "![A Title of Some Paper](https://a.org/x.png)", "",
    ],
)  # fmt: skip
def test_what_is_no_paper_is_no_mention(text):
    assert parse_reading_list(text).mentions == ()


def test_fields_of_a_full_entry():
    mention = only(
        "## NLP\n\n- ~~**BERT**: [Pre-training of Transformers](https://arxiv.org/pdf/1810.04805v2.pdf)~~ "
        "(NAACL'19) [笔记](n.md)\n"
    )
    assert (mention.line, mention.last_line) == (3, 3)
    assert mention.title == "Pre-training of Transformers"
    assert mention.name == "BERT"
    assert (mention.year, mention.venue) == (2019, "NAACL")
    assert (mention.arxiv_id, mention.arxiv_version) == ("1810.04805", 2)
    assert mention.url == "https://arxiv.org/pdf/1810.04805v2.pdf"
    assert mention.section == ("NLP",)
    assert mention.notes == ("n.md",)
    assert mention.struck
    assert mention.reasons


def test_a_rule_at_the_top_is_no_front_matter():
    text = "---\n## First\n\n- [On Small Things](http://a.org/x.pdf)\n\n---\n"
    assert only(text).section == ("First",)


def test_front_matter_is_no_part_of_the_list():
    assert parse_reading_list("---\ntitle: On Small Things, NIPS 2014\n---\n").mentions == ()


def test_two_papers_on_a_line_are_two_mentions():
    found = parse_reading_list(
        "- [On Small Things](http://a.org/x.pdf); [On Large Things](http://a.org/y.pdf)"
    ).mentions
    assert [mention.title for mention in found] == ["On Small Things", "On Large Things"]


def test_two_bare_addresses_on_a_line_are_two_mentions():
    found = parse_reading_list("* https://arxiv.org/pdf/1805.09767.pdf and https://arxiv.org/abs/1808.07217").mentions
    assert [mention.arxiv_id for mention in found] == ["1805.09767", "1808.07217"]


def test_a_link_is_not_given_to_the_entry_before():
    found = parse_reading_list("* K-FAC\n* distributed K-FAC, [paper](https://arxiv.org/pdf/1811.12019.pdf)").mentions
    assert [mention.line for mention in found if mention.arxiv_id] == [2]


def test_a_broken_identifier_stands_among_the_findings():
    mention = only("- [On Small Things](https://arxiv.org/abs/1802.4924)")
    assert mention.arxiv_id is None
    assert [finding.code for finding in mention.findings] == ["malformed-arxiv-id"]


def test_a_link_copied_from_the_entry_above_is_withheld():
    first, second = parse_reading_list(
        "- [Efficient Dense Mapping of Indoor Scenes](https://arxiv.org/abs/2211.11704)\n"
        "- [Learning Policies from Human Preferences Online](https://arxiv.org/abs/2211.11704)\n"
    ).mentions
    assert first.arxiv_id == "2211.11704"
    assert second.arxiv_id is None
    assert [finding.code for finding in second.findings] == ["link-repeated-under-another-title"]


def test_the_list_has_the_title_of_its_first_heading():
    assert parse_reading_list("# Reading\n\n## More").title == "Reading"
    assert parse_reading_list("no heading").title is None


def test_importing_the_parser_needs_neither_prefect_nor_duckdb():
    import subprocess
    import sys

    heavy = "prefect|duckdb|pyarrow|requests|httpx|arxiv|semanticscholar|rich|typer"
    code = f"import sys, sources.lists.reading; print([name for name in '{heavy}'.split('|') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@for_each(
    ("text", "title", "authors"),
    [
        ("- Lattice paths with catastrophes, Banderier & Wallner", "Lattice paths with catastrophes", 2),
        ("- Bose & Smid 2017: Online unit clustering in the plane", "Online unit clustering in the plane", 2),
        ("- Wijaya & Arach - Programmers and the Security of Users", "Programmers and the Security of Users", 2),
        ("- Networks, Crowds & Markets", "Networks, Crowds & Markets", 0),
        ("- Retrieval & Generation - A Survey of Methods", "Retrieval & Generation - A Survey of Methods", 0),
    ],
)
def test_two_surnames_that_a_sign_joins_are_authors(text, title, authors):
    (block,) = read_document(text).blocks
    ((draft,),) = drafts_by_rule([block])
    assert (draft.citation.title, len(draft.citation.authors)) == (title, authors)


@for_each("word", ["See also", "cf.", "Vgl.", "Voir aussi"])
def test_a_word_that_points_at_a_citation_is_no_author_and_no_title(word):
    found = only(f"- {word} Erdős, P., Rényi, A. (1959). On random graphs in the plane. Publicationes Mathematicae.")
    assert (found.title, found.authors) == ("On random graphs in the plane", ("Erdős, P.", "Rényi, A."))


@for_each(
    ("key", "authors", "year"),
    [
        ("Lal 2004", ("Lal",), 2004),
        ("Minasny et al. 2017", ("Minasny",), 2017),
        ("Davidson and Janssens (2006)", ("Davidson", "Janssens"), 2006),
    ],
)
@for_each("title", ["Soil carbon per mille", "Temperature sensitivity of soil carbon decomposition"])
def test_authors_and_year_in_bold_before_a_title_and_a_link_that_says_only_link(key, authors, year, title):
    found = only(f"- **{key}** {title} [link](https://doi.org/10.1016/j.geoderma.2017.01.002)")
    assert (found.title, found.authors, found.year, found.doi) == (
        title,
        authors,
        year,
        "10.1016/j.geoderma.2017.01.002",
    )


@for_each(
    ("behind", "authors", "venue", "year"),
    [
        ("Wohl, Nature Climate Change 2012", ("Wohl",), "Nature Climate Change", 2012),
        ("Rockström, Ecology and Society 2009", ("Rockström",), "Ecology and Society", 2009),
        ("Vörösmarty, Science 2000", ("Vörösmarty",), "Science", 2000),
        ("Colours, Science 2000", (), "Science", 2000),
    ],
)
def test_one_surname_behind_a_title_and_before_a_journal_is_the_author(behind, authors, venue, year):
    found = only(f"- Planetary water and the safe operating space for crops, {behind}")
    assert (found.authors, found.venue, found.year) == (authors, venue, year)
    if authors:
        assert found.title == "Planetary water and the safe operating space for crops"


@for_each(
    ("text", "authors", "venue"),
    [
        ('Crafts, N. F. R., and C. K. Harley. "Growth and the Revolution." Economic History Review 45 (1992): 703.',
         ("Crafts, N. F. R.", "C. K. Harley"), "Economic History Review"),
        ("Allen, R.C. 2001. The great divergence in wages and prices. Explorations in Economic History 38, 411-447.",
         ("Allen, R.C.",), "Explorations in Economic History"),
        ('Akerlof (1970), "The Market for Used Cars and Lemons", *Journal of Economics* 84', ("Akerlof",), None),
        ("Dell 2010: The Persistent Effects of a Mining Tax, Econometrica", ("Dell",), "Econometrica"),
        ("Tolman EC. Cognitive maps in rats and men. Psychol Rev. 1948;55(4):189-208.", ("Tolman EC",), None),
        ("Dordek, Soudry, Meir: Extracting grid cells from inputs of place cells (eLife 2016)",
         ("Dordek", "Soudry", "Meir"), "eLife"),
        ("Colonial Origins of Comparative Development: An Investigation (Acemoglu, Johnson & Robinson, AER 2001)",
         ("Acemoglu", "Johnson", "Robinson"), "AER"),
    ],
)  # fmt: skip
def test_authors_and_journals_of_other_fields(text, authors, venue):
    found = only(f"- {text}")
    assert (found.authors, found.venue if venue else None) == (authors, venue)


@for_each(
    ("text", "authors", "venue"),
    [
        ('Leamer, E. (1983), "Let Us Take the Con Out of Statistics," AER 73(1).', 1, "AER"),
        ("Rivers E, Self WH, Ngu B, et al. Early therapy in severe septic shock. N Engl J Med. 2001;345(19):8.", 3,
         "N Engl J Med"),
        ("Sepsis Study Group. Hydrocortisone in patients with shock. N Engl J Med. 2018;378(9):809-18.", 1,
         "N Engl J Med"),
        ("Lorenz E. N. Flows that are not periodic // Journal of Weather. — 1963. — Vol. 20.", 1, "Journal of Weather"),
        ("Gerhard Oestreich: Probability and Random Graphs, in: Zeitschrift für Landeskunde 55 (1968), S. 3.", 1,
         "Zeitschrift für Landeskunde"),
    ],
)  # fmt: skip
def test_journals_of_economics_medicine_and_history(text, authors, venue):
    found = only(f"- {text}")
    assert (len(found.authors), found.venue) == (authors, venue)


def test_a_day_in_bold_is_no_title_and_a_paper_in_running_text_is_one():
    days = ["Mon 1 Feb", "Tue 2 Feb", "Thu 4 Feb"]
    log = "\n\n".join(f"**{day}.** Random Graphs of Kind {day[4]} by Mayor and Queloz (1995, Nature)." for day in days)
    found = parse_reading_list(f"# Log\n\n{log}\n").mentions
    assert [mention.title for mention in found] == [f"Random Graphs of Kind {n}" for n in (1, 2, 4)]
    assert {mention.authors for mention in found} == {("Mayor", "Queloz")}


def test_addresses_of_papers_line_by_line_are_a_paper_each():
    dois = ["10.1038/s41586-021-03819-2", "10.1126/science.1225829", "10.1093/nar/25.17.3389"]
    found = parse_reading_list("# To read\n\n" + "\n".join(f"https://doi.org/{doi}" for doi in dois)).mentions
    assert [mention.doi for mention in found] == dois
    below = only("Random Graphs in the Plane\nhttps://arxiv.org/abs/1912.04958\nhttps://doi.org/10.1145/103162.103163")
    assert (below.arxiv_id, below.doi) == ("1912.04958", "10.1145/103162.103163")


def test_a_cell_of_names_and_a_year_holds_the_authors_whatever_its_column_is_called():
    table = "| Title | By whom, when | Where |\n|---|---|---|\n| Cognitive Load During Problem Solving | {} | ICML |\n"
    for cell, authors in (("Sweller, 1988", 1), ("Brown, Collins & Duguid, 1989", 3), ("Freeman et al., 2014", 1)):
        (found,) = parse_reading_list(table.format(cell)).mentions
        assert (len(found.authors), found.year) == (authors, int(cell[-4:]))


@for_each("name", ["H. Lu. Springer Vision", "and Nickolai Zeldovich Linux", "YK. Lai and SM. Hu", "ICML. Vol"])
def test_what_is_left_of_names_and_volumes_is_no_journal(name):
    assert dated_journal(f"{name} 2012") is None


def test_authors_with_links_below_a_title_are_all_taken():
    found = only(
        "**Random Graphs in the Plane and Their Colours.**<br>\n"
        "*[Ana Kowalska](https://people.example/ana), [Ben Okoro](https://people.example/ben), Carla Mendes.*<br>\n"
        "CVPR 2020. [[PDF](https://arxiv.org/abs/1912.04958)]"
    )
    assert found.authors == ("Ana Kowalska", "Ben Okoro", "Carla Mendes")


def test_a_journal_in_italics_below_a_title_and_before_authors_is_no_author():
    found = only(
        "**Paper:** The hippocampus as a map of what comes next\n*Nat Neurosci* 2017; Stachen KL, Botvin MM, Gersh SJ"
    )
    assert (found.authors, found.venue) == (("Stachen KL", "Botvin MM", "Gersh SJ"), "Nat Neurosci")


READINGS = """# Readings

| Week | {head} | {people} |
|------|--------|---------|
| 1 | Quality Uncertainty and the Market Mechanism for Used Cars | Akerlof |
| 2 | Job Market Signaling | Spence |
| 3 | Equilibrium in Competitive Insurance Markets | Rothschild & Stiglitz |
"""


def test_a_short_title_stands_in_the_column_of_the_other_titles_where_a_column_names_authors():
    titles = [mention.title for mention in parse_reading_list(READINGS.format(head="Text", people="Authors")).mentions]
    assert titles[1] == "Job Market Signaling"
    titles = [mention.title for mention in parse_reading_list(READINGS.format(head="Topic", people="Room")).mentions]
    assert "Job Market Signaling" not in titles


def test_an_identifier_as_the_words_of_a_link_is_no_title_but_belongs_to_the_entry_above():
    text = "- On the Convergence of Ritz Vectors\n  - arXiv: [1109.6426](https://arxiv.org/abs/1109.6426)"
    mention = only(text)
    assert (mention.title, mention.arxiv_id) == ("On the Convergence of Ritz Vectors", "1109.6426")


def test_a_title_behind_a_long_list_of_authors_with_initials_is_found():
    authors = "PANCHENKO, A.; USTALOV, D.; FARALLI, S.; PONZETTO, S.P.; et al."
    text = f"{authors} **Improving Extraction with Distributional Semantic Classes**. arXiv:1711.02918, 2017."
    ((draft,),), _ = records_of(read_document(text).blocks)
    assert draft.title == "Improving Extraction with Distributional Semantic Classes"


def test_titles_that_semicolons_part_are_one_mention_each():
    titles = [
        "Band Alignment of Semiconductors for Heterostructures with Momentum Matching",
        "Insight into Two-Dimensional Borophene and its Superconductivity",
    ]
    assert [mention.title for mention in parse_reading_list("- " + "; ".join(titles)).mentions] == titles
    assert [mention.title for mention in parse_reading_list(";\n".join(titles) + ".").mentions] == titles
    names = only("- Smith, J.; Miller, A. Deep Learning for Small Graphs; a second look. 2019")
    assert names.authors == ("Smith, J.", "Miller, A.")


def test_link_without_words_beside_the_title_that_it_leads_to_is_no_further_mention():
    paper = "- [paper](https://arxiv.org/abs/1905.11946) “Rethinking Model Scaling for Convolutional Networks”"
    text = f"A class of models, see [here](https://arxiv.org/abs/1905.11946) and below.\n\n{paper}"
    assert only(text).title == "Rethinking Model Scaling for Convolutional Networks"


def test_named_link_above_belongs_to_the_title_that_begins_with_the_name():
    text = (
        "[paper CosFace](https://arxiv.org/pdf/1801.09414)\n\n"
        "CosFace: Large Margin Cosine Loss for Deep Face Recognition"
    )
    mention = only(text)
    assert (mention.title, mention.arxiv_id) == (text.rsplit("\n", maxsplit=1)[-1], "1801.09414")


@for_each(
    ("text", "foreign"),
    [
        ("Una lista de artículos que me han gustado, con los comentarios que escribí para el grupo y las notas.", True),
        ("Список статей, которые мы читаем в этом году на семинаре, и короткие заметки к каждой из них.", True),
        ("这里是我们今年读过的论文，每篇都有简短的笔记和代码链接，欢迎补充新的论文和意见。", True),
        ("A list of the papers that we read this year, with short notes on each of them, in order of interest.", False),
        ("Machine learning, deep learning, networks, systems, https://un.es/la/los/para", False),
    ],
)
def test_language_of_a_list_is_told_by_its_remarks(text, foreign):
    assert is_in_other_language(read_document(text).blocks) is foreign


def test_language_of_a_title_is_told_by_its_small_words():
    assert language_of("The Unreasonable Effectiveness of Mathematics") == "in another language than the list"
    assert language_of("Comprar el libro para las clases") == "in the list's own language"
    assert language_of("Ask about the book de la semana y el lunes") == "in the list's own language"
    assert (
        language_of("Notes on the history of the river and the Alpen und Seen") == "partly in the list's own language"
    )


def read(text):
    return [(mention.title, mention.arxiv_id or mention.doi) for mention in parse_reading_list(text).mentions]


@for_each(
    ("entry", "carried"),
    [
        ("*Salt Marshes as Carbon Sinks* doi:10.1126/science.1234567 - told by Ada", "10.1126/science.1234567"),
        ("Salt Marshes as Carbon Sinks, 10.1126/science.1234567.", "10.1126/science.1234567"),
        ("DOI: 10.1126/science.1234567 Salt Marshes as Carbon Sinks", "10.1126/science.1234567"),
    ],
)
def test_an_identifier_in_the_text_is_a_link_to_the_paper_and_no_part_of_its_title(entry, carried):
    assert read(f"- {entry}\n") == [("Salt Marshes as Carbon Sinks", carried)]


def test_a_file_named_by_an_arxiv_identifier_is_that_paper():
    files = "- deep-layer-aggregation-in-small-networks.pdf\n- 2101.00001v2.pdf\n- README.md\n"
    assert read(files) == [("deep layer aggregation in small networks", None), (None, "2101.00001")]


def test_an_address_in_one_item_is_no_link_of_the_title_in_the_item_before():
    tasks = "- [x] A Survey of Salt Marshes and Carbon\n- [ ] read https://arxiv.org/abs/2101.00001 (tides)\n"
    (mention,) = [mention for mention in parse_reading_list(tasks).mentions if mention.arxiv_id]
    assert mention.line == 2
    assert mention.title != "A Survey of Salt Marshes and Carbon"


def test_a_link_that_cites_by_people_and_year_is_no_title():
    (mention,) = parse_reading_list("- [Doe et al. 2014](https://arxiv.org/abs/1401.00001) began it all.\n").mentions
    assert (mention.title, mention.authors, mention.year) == (None, ("Doe",), 2014)


def test_titles_in_quotation_marks_in_one_paragraph_are_mentions_each():
    text = (
        'The usual reference is "The Measurement of Tides in Estuaries" by Doe (1962), but I prefer Roe, '
        '"Carbon and the Methodology of Marsh Research" (1970).\n'
    )
    found = [(mention.title, mention.year) for mention in parse_reading_list(text).mentions]
    assert found == [
        ("The Measurement of Tides in Estuaries", 1962),
        ("Carbon and the Methodology of Marsh Research", 1970),
    ]


def test_a_line_of_a_few_words_and_a_colon_heads_the_lines_below_it():
    text = (
        'Required:\nBurt, J. (2004) "Salt Marshes and Good Ideas" Journal of Ecology 110\n'
        'Weber, M. (1922) "The Carbon of Marshes and Tides"\nOptional:\nnone\n'
    )
    found = [(mention.title, mention.year) for mention in parse_reading_list(text).mentions]
    assert found == [("Salt Marshes and Good Ideas", 2004), ("The Carbon of Marshes and Tides", 1922)]


def test_the_heads_of_an_html_table_are_no_row_of_it():
    row = "<tr><td>1976</td><td>The Measurement of Tides in Estuaries</td><td>Journal of Ecology</td></tr>"
    table = f"<table>\n<tr><th>Year</th><th>Title</th><th>Where</th></tr>\n{row}\n</table>\n"
    assert read(table) == [("The Measurement of Tides in Estuaries", None)]


@pytest.mark.parametrize(
    ("text", "authors"),
    [
        ("Coase, R.: The Measurement of Tides in Estuaries (1937), Economica", ("Coase, R.",)),
        ("Roe J., Doe A. The Measurement of Tides in Estuaries // Phys. Rev. Lett. - 1982", ("Roe J.", "Doe A.")),
    ],
)
def test_authors_in_front_and_venues_behind_two_strokes_are_no_part_of_the_title(text, authors):
    mention = only(f"- {text}\n")
    assert (mention.title, mention.authors) == ("The Measurement of Tides in Estuaries", authors)


@for_each(
    ("bracket", "authors", "venue", "year"),
    [
        ("Kocher et al., S&P 2019", ("Kocher",), "S&P", 2019),
        ("J. Doe, R. Roe, OSDI 2020", ("J. Doe", "R. Roe"), "OSDI", 2020),
        ("Zhuravlev and Letunovskiy, 2012", ("Zhuravlev", "Letunovskiy"), None, 2012),
        ("Blog, Feb 2023", (), None, 2023),
    ],
)
def test_a_bracket_behind_the_title_tells_authors_venue_and_year(bracket, authors, venue, year):
    mention = only(f"- Reading Kernel Memory from User Space ({bracket})")
    assert mention.title == "Reading Kernel Memory from User Space"
    assert (mention.authors, mention.venue, mention.year) == (authors, venue, year)


def test_the_day_in_a_column_of_dates_is_not_the_year_that_stands_beside_the_title():
    rows = [
        "| Date | Paper |",
        "|---|---|",
        "| 2024-01-03 | *Small Things in Large Systems* (1978) |",
        "| 2024-01-09 | *Large Things in Small Systems* |",
    ]
    assert [mention.year for mention in parse_reading_list("\n".join(rows)).mentions] == [1978, 2024]


def test_venue_and_year_alone_are_no_title_whatever_the_other_entries_have_there():
    entries = [
        "- 2015 | ICLR | VGG | Very Deep Convolutional Networks for Large-Scale Image Recognition | [notes](a.md)",
        "- 2015 | CVPR | GoogLeNet | Going Deeper with Convolutions | [notes](b.md)",
        "- 2016 | CVPR | ResNet | Deep Residual Learning for Image Recognition | [notes](c.md)",
        "- 2017 | CVPR | DenseNet | Densely Connected Convolutional Networks | todo",
        "- 2018 | CVPR | SENet | Squeeze-and-Excitation Networks | todo",
    ]
    titles = [mention.title for mention in parse_reading_list("\n".join(entries)).mentions]
    assert [title.rsplit(" | ", 1)[-1] for title in titles] == [entry.split(" | ")[3] for entry in entries]


def test_a_title_that_the_words_before_it_hide_is_found_by_the_run():
    entries = [
        "#### Rubin (1974) - Estimating causal effects of treatments in studies",
        "It came first.",
        "#### Pearl (1995) - Causal diagrams for empirical research",
        "A calculus.",
        "#### Angrist and Rubin (1996) - Identification of causal effects with instruments",
        "For those who comply.",
    ]
    titles = [mention.title for mention in parse_reading_list("\n\n".join(entries)).mentions]
    assert "Causal diagrams for empirical research" in titles


def test_a_title_about_transactions_is_no_venue_of_the_entry_before():
    text = "- ~~Software Transactional Memory~~\n- Composable Memory Transactions — Harris, Marlow (PPoPP '05)\n"
    titles = [mention.title for mention in parse_reading_list(text).mentions]
    assert titles[-1] == "Composable Memory Transactions"


def test_two_surnames_and_a_year_in_front_are_no_title():
    mention = only("- O'Keefe & Dostrovsky 1971. The hippocampus as a spatial map. Preliminary evidence from the rat")
    assert (mention.title, mention.authors) == ("The hippocampus as a spatial map", ("O'Keefe", "Dostrovsky"))


@for_each(
    ("text", "title", "authors"),
    [
        ('- Turing, Alan. "On Small Things." *Mind*, edited by Ada Roe, 1950, pp. 1-9.', "On Small Things",
         ("Turing, Alan",)),
        ("- Ada Roe, On Rules, Norms, and Small Things, 113 Harv. L. Rev. 501 (1999)",
         "On Rules, Norms, and Small Things", ("Ada Roe",)),
        ("- Jürgen Kocka, Über kleine Dinge. Ein Versuch über Methoden, in: Archiv für Dinge 29 (1989), S. 472–481.",
         "Über kleine Dinge. Ein Versuch über Methoden", ("Jürgen Kocka",)),
        ("- Hans Weber/Jürgen Kocka, A History of Small Things, in: Archiv für Dinge 14 (1988), S. 5–26.",
         "A History of Small Things", ("Hans Weber", "Jürgen Kocka")),
        ("- ATLAS Collaboration, Observation of a small thing in collisions, Phys. Lett. B 716 (2012) 1.",
         "Observation of a small thing in collisions", ("ATLAS Collaboration",)),
        ("- Things Study Group. The effect of small things on large ones. Lancet. 2010;12:3-9.",
         "The effect of small things on large ones", ("Things Study Group",)),
        ("1. Seto K C, Hutyra L R. Forecasts of small things by 2030 cities[J]. Nature, 2012, 109(40): 1-8.",
         "Forecasts of small things by 2030 cities", ("Seto K C", "Hutyra L R")),
        ("1. 刘瑜, 肖昱, 等. 小型物体移动研究综述[J]. 地理科学, 2011, 27(4): 8-13.", "小型物体移动研究综述",
         ("刘瑜", "肖昱")),
        ("1. 陈明星, 张华. 小型物体的综合测度[J]. 地理学报, 2009, 64(4): 1-9.", "小型物体的综合测度",
         ("陈明星", "张华")),
        ("1. Ada Roe (2013): *Small Things. An Essay on Methods*, Berlin: Nobody.", "Small Things. An Essay on Methods",
         ("Ada Roe",)),
        ("- Lopez A, Young B. Performance in science, engineering, and small things. Nature. 2014;1:2-3.",
         "Performance in science, engineering, and small things", ("Lopez A", "Young B")),
        ("- Random Graphs in the Plane by Krioukov", "Random Graphs in the Plane", ("Krioukov",)),
        ("- The Architecture of Complexity de Herbert Simon", "The Architecture of Complexity", ("Herbert Simon",)),
        ("- Emergence of Scaling in Networks, par Bar et Alt", "Emergence of Scaling in Networks", ("Bar", "Alt")),
        ("- Instability of de Sitter Space", "Instability of de Sitter Space", ()),
        ("- Una introducción a la historia de España", "Una introducción a la historia de España", ()),
    ],
)  # fmt: skip
def test_title_and_authors_of_a_citation_are_read(text, title, authors):
    drafts = [draft for some in drafts_by_rule(read_document(text).blocks) for draft in some]
    assert [(draft.title, draft.citation.authors) for draft in drafts] == [(title, authors)]
