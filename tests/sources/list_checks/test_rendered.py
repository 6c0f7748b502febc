"""Links to headings of the list itself, and rows of tables, as GitHub shows them."""

from tests.matrices import for_each
from tests.sources.list_checks.lists import check, mended

BODY = "\n## Graphs & Trees\n\n## :fire: News\n\n## 🔥 More `code` of [ours](https://a.example)\n\n## News\n\n## News\n"


@for_each(
    ("link", "whole"),
    [
        ("[a](#graphs-trees)", "[a](#graphs--trees)"),
        ("[a](#more-code-of-ours)", "[a](#-more-code-of-ours)"),
        ("<a href='#Graphs & Trees'>a</a>", "<a href='#graphs--trees'>a</a>"),
        ("[a](#nowhere)", "[a](#nowhere)"),
        ("[a](#Then) <a id='#Then'></a>", "[a](#Then) <a id='#Then'></a>"),
    ],
)
def test_a_link_to_a_heading_that_is_not_there_is_a_warning_mended_where_one_heading_has_its_letters(link, whole):
    text = f"# L\n\n- [n](#news) {link}\n- [m](#fire-news)\n{BODY}"
    findings = check(text)
    assert [(item.line, item.code, item.level) for item in findings] == [(3, "dead-anchor", "warning")]
    assert mended(text, findings) == text.replace(link, whole)


def test_links_that_lead_to_one_place_and_links_of_one_line_are_one_finding():
    text = f"# L\n\n- [n](#news) [a](#nowhere) [b](#not-there)\n- [m](#fire-news)\n{BODY}\n\n[up](#nowhere)\n"
    (item,) = check(text)
    assert (item.line, item.others) == (3, (17,))
    assert "#nowhere, #not-there" in item.message


def test_where_the_most_links_are_dead_they_are_one_finding_and_none_where_only_their_form_is_anothers():
    names = [f"[{word}](#{word}-and-others)" for word in ("one", "two", "three", "four", "five")]
    (item,) = check("# L\n\n" + "\n".join(f"- {name}" for name in names))
    assert item.message == "5 of the 5 places that the list links to within itself are not there."
    headings = "\n".join(f"## {word}: and others\n" for word in ("One", "Two", "Three", "Four", "Five"))
    assert check("# L\n\n" + "\n".join(f"- {name.replace('-and', '_and')}" for name in names) + f"\n\n{headings}") == []


TABLE = "| Title | Venue | Year |\n|---|---|---|\n"
ROWS = "".join(f"| Learning to Find {word} | ICML | 2019 |\n" for word in ("Maps", "Trees", "Birds"))


@for_each(
    ("row", "message"),
    [
        ("| Learning to Find Towns | 2020 |", "The row has 2 cells, and the table 3 columns."),
        (
            "| Learning to Find Towns | ICML | 2020 | best |",
            "The row has 4 cells, and the table 3 columns, so that what stands in the last is not shown.",
        ),
        ("| Learning to Find Towns | ICML | 2020 | |", None),
        (r"| Learning to Find \| in Towns | ICML | 2020", None),
        ("| **Towns** |", None),
    ],
)
def test_a_row_with_a_cell_too_few_or_too_many_is_a_warning(row: str, message: str | None):
    findings = [item for item in check(f"{TABLE}{ROWS}{row}\n") if item.code == "odd-row"]
    assert [(item.line, item.message) for item in findings] == ([(6, message)] if message else [])


def test_a_head_that_most_rows_do_not_fit_is_one_finding_and_so_is_a_rule_that_does_not_fit_it():
    (item,) = check(f"| Title | Venue |\n|---|---|\n{ROWS}| Learning to Find Towns | ICML |\n")
    assert (item.line, item.others) == (1, (3, 4, 5))
    (item,) = check(f"| Title | Venue | Year |\n|---|---|\n{ROWS}")
    assert item.message == "The head has 3 cells and the line below it 2, so that GitHub shows no table."
    assert check(f"```\n{TABLE}| a |\n| b | c |\n```\n") == []
