"""Edits in tables that are aligned by blanks: the bars stay below each other where that is possible."""

import re

from hypothesis import given
from hypothesis import strategies as st

from sources.lists.checks.findings import Edit
from sources.lists.edits.annotations import aligned_changes
from sources.lists.edits.edits import Change, apply_edits, edits_of

WORDS = st.text("abcdé字", min_size=1, max_size=6)


def bars(row):
    return [match.start() for match in re.finditer(r"\|", row)]


@st.composite
def tables(draw):
    """A table, one of its cells, and what is to stand there."""
    columns, count = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    rows = [[draw(WORDS) for _ in range(columns)] for _ in range(count)]
    widths = [max(len(row[at]) for row in rows) + draw(st.integers(0, 3)) for at in range(columns)]
    fit = draw(st.sampled_from([str.ljust, str.rjust, str.center]))
    lines = [
        "| " + " | ".join(fit(cell, width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = end.join(["Above.", "", lines[0], rule, *lines[1:], ""])
    at, column = draw(st.integers(0, count - 1)), draw(st.integers(0, columns - 1))
    return text, lines[at], (0 if at == 0 else at + 1) + 2, rows[at][column], column, draw(WORDS)


def change_of(table):
    text, line, number, cell, column, words = table
    start = sum(len(each) for each in text.splitlines(keepends=True)[:number])
    at = start + line.index(cell, bars(line)[column])
    return Change(code="x", line=number + 1, message="", edits=(Edit(start=at, end=at + len(cell), replacement=words),))


@given(tables())
def test_a_row_keeps_its_bars_where_its_blanks_suffice_and_other_rows_stay(table):
    text, line, number, cell, column, words = table
    change = change_of(table)
    (aligned,) = aligned_changes(text, [change])
    plain, new = (apply_edits(text, each.edits).splitlines() for each in (change, aligned))
    before = text.splitlines()
    assert [row for at, row in enumerate(new) if at != number] == [row for at, row in enumerate(before) if at != number]
    assert re.sub(" +", " ", new[number]) == re.sub(" +", " ", plain[number])
    grown = len(words) - len(cell)
    inside = line[bars(line)[column] + 1 : bars(line)[column + 1]]
    behind, ahead = len(inside) - len(inside.rstrip()), len(inside) - len(inside.lstrip())
    assert (bars(new[number]) == bars(line)) == (grown <= 0 or grown < max(behind, ahead))


def test_a_table_whose_bars_do_not_stand_below_each_other_is_let_be():
    text = "| Title | Year |\n|---|---|\n| A title    | 2020 |\n"
    change = change_of((text, "| A title    | 2020 |", 2, "title", 0, "long title"))
    assert aligned_changes(text, [change]) == [change]


def test_what_several_changes_add_to_a_cell_is_taken_from_its_blanks_once():
    text = "| Link          | Year |\n|---------------|------|\n| http://a.b    | 2020 |\n"
    at = text.index("http:")
    edits = (Edit(start=at + 4, end=at + 4, replacement="s"), Edit(start=at + 10, end=at + 10, replacement="/c"))
    changes = [Change(code=str(edit.start), line=3, message="", edits=(edit,)) for edit in edits]
    new = apply_edits(text, edits_of(aligned_changes(text, changes)))
    assert new == text.replace("http://a.b    |", "https://a.b/c |")
