"""What stands around a title in lists of several layouts: links in front or behind, spanned cells, boxes, abstracts."""

from sources.lists.reading import parse_reading_list
from sources.lists.reading.document import read_document
from sources.lists.reading.merge_blocks import blocks_above_abstracts
from tests.matrices import for_each

TITLES = (
    "Adaptive Mesh Refinement for Compressible Flows",
    "A Spectral Method for Rotating Fluids",
    "Turbulent Mixing in Stratified Estuaries",
    "Wave Breaking over a Submerged Reef",
    "Sediment Transport in Meandering Rivers",
    "Internal Tides near Steep Topography",
)


def urls(text):
    return {mention.title: mention.url for mention in parse_reading_list(text).mentions}


def address(number):
    return f"https://arxiv.org/abs/1801.0{number:04}"


def test_the_link_at_the_end_of_an_item_is_not_the_next_item_s():
    lines = [
        f"- **[JFM 2018]** {title} [[pdf]]({address(n)})" if n % 2 == 0 else f"- **[JFM 2018]** {title}"
        for n, title in enumerate(TITLES)
    ]
    found = urls("# Fluids\n\n" + "\n".join(lines) + "\n")
    assert {title: found[title] for title in TITLES} == {
        title: address(n) if n % 2 == 0 else None for n, title in enumerate(TITLES)
    }


def test_a_title_in_prose_far_behind_a_link_is_not_the_linked_paper_s():
    text = (
        "# Notes\n\n"
        f"**MeshNet** is a model of flows that the authors of the [article]({address(0)}) trained on their own data,\n"
        "which took them a year of measuring at sea and of cleaning up by hand afterwards. It goes back to the method\n"
        f'called "{TITLES[1]}" and to many others.\n'
    )
    assert urls(text).get(TITLES[1]) != address(0)


def test_cells_that_go_over_several_rows_leave_the_columns_where_they_are():
    rows = "".join(
        f"<tr>{head}<td>2018</td><td>{title}</td><td><a href='{address(n)}'>arXiv</a></td></tr>\n"
        for n, (head, title) in enumerate(
            zip(("<td rowspan='3'>Waves</td>", "", "", "<td rowspan=3>Rivers</td>", "", ""), TITLES, strict=True)
        )
    )
    text = f"# Fluids\n\n<table>\n<tr><th>Topic</th><th>When</th><th>Title</th><th>Links</th></tr>\n{rows}</table>\n"
    assert urls(text) == {title: address(n) for n, title in enumerate(TITLES)}


@for_each("span", ["999999999999", "-1", "0", "x", "1e9", "\u00b2", ""])
def test_an_absurd_span_is_none(span):
    text = f"<table><tr><th>Title</th></tr><tr><td rowspan='{span}' colspan='{span}'>{TITLES[0]}</td></tr></table>\n"
    assert len(read_document(text).blocks) == 1


def test_a_table_of_nothing_but_spans_stays_small():
    text = (
        "<table><tr>" + "<td rowspan=1000 colspan=50>x</td>" * 200 + "</tr>" + "<tr><td>y</td></tr>" * 50 + "</table>\n"
    )
    assert max(len(block.cells) for block in read_document(text).blocks) <= 250


def test_a_box_of_obsidian_is_one_record():
    boxes = "\n".join(
        f"> [!quote] {title}\n> Ada Lovelace, Charles Babbage · *Journal of Fluids* · {2001 + n}\n> Read twice.\n"
        for n, title in enumerate(TITLES)
    )
    mentions = parse_reading_list(f"# Fluids\n\n{boxes}").mentions
    assert [(m.title, m.authors, m.year) for m in mentions] == [
        (title, ("Ada Lovelace", "Charles Babbage"), 2001 + n) for n, title in enumerate(TITLES)
    ]


def test_the_blocks_above_an_abstract_are_its_title_and_a_short_line():
    abstract = "In this paper we propose a method for the flow around bodies of any form. " * 5
    text = f"## {TITLES[0]}\n\nA. Lovelace, 2018\n\n{abstract}\n\n## Links\n\nNothing here.\n"
    assert blocks_above_abstracts(read_document(text).blocks) == {0, 1}


TOPICS = ("The Early Empire and its Frontiers", "The Politics of the Provinces", "The Fall of the Western Court")


def cited(number):
    return f'    * Marten, Ilse. "{TITLES[number]}." In *The Handbook of Late Antiquity*. Amber Press, 2015.\n'


def test_words_alone_above_certain_papers_are_their_heading():
    topics = "".join(f"{number}. **{topic}**  \n{cited(number)}\n" for number, topic in enumerate(TOPICS))
    parsed = parse_reading_list(f"# Course\n\n## Part III: Democracy\n\n{topics}")
    assert [mention.title for mention in parsed.mentions] == list(TITLES[: len(TOPICS)])


def test_a_run_of_questions_in_words_alone_names_no_papers():
    questions = (
        "How do political institutions shape the meaning of a constitution?",
        "What tensions arise between constitutional design and modern governance?",
        "How has constitutional interpretation changed with politics over time?",
    )
    asked = "".join(f"- {question}\n" for question in questions)
    text = f"# Course\n\n## Readings\n\n{cited(0)[4:]}{cited(1)[4:]}\n## Topics\n\n{asked}"
    parsed = parse_reading_list(text)
    assert [mention.title for mention in parsed.mentions] == [*TITLES[:2]]
    assert {10, 11, 12} <= {skipped.line for skipped in parsed.skipped}
