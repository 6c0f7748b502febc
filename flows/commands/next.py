"""`paperlake next`: shows what to read next of a list, each paper with the reason."""

from __future__ import annotations

from collections.abc import Iterator

from flows.commands.related import basis_sentence, title_with_year
from flows.commands.shared import Json, KnownLists, Lake, Limit, Row, begin, open_to_read, report
from flows.console import BOLD, DIM, paragraph, styled
from flows.list_names import list_title, wanted_lists
from sources.text import counted, shown


def next_to_read(lists: KnownLists = None, limit: Limit = 5, lake: Lake = None, as_json: Json = False) -> None:
    """Shows what to read next of a list: papers that it does not mark as read, each with the reason.

    Read is what the list strikes out, what has a box with an x (`- [x]`), and what says so (`read: 2024-05-01`,
    `read: yes`). First come papers that others of the list cite; then links to what was read, how new a paper is, and
    how often it is cited of late count half as much each. Retracted and withdrawn papers are left out. Nothing is asked
    for here.

    Example: `paperlake next README.md`
    """
    begin("reading the lake")
    from warehouse.query.citations import basis_of
    from warehouse.query.reading import next_of

    reports = []
    with open_to_read(lake) as connection:
        for location, list_id in wanted_lists(connection, lists or ()).items():
            rows, states = next_of(connection, list_id, limit=limit)
            reports.append({"list": location, "basis": basis_of(connection, list_id) | states, "next": rows})
    report({"lists": reports}, (line for each in reports for line in _lines(each)), as_json=as_json)


def _lines(found: Row) -> Iterator[str]:
    basis, rows = found["basis"], found["next"]
    yield styled(shown(f"To read next of {list_title(found['list'])}: {len(rows)} of {basis['to_read']}"), BOLD)
    for row in rows:
        yield from paragraph(title_with_year(row), indent=" " * 5, first=f"{row['rank']:>3}. ")
        yield from paragraph(f"line {row['line']}: {row['because']}", indent=" " * 5, style=DIM)
    yield ""
    marks = f"{basis['marked_read']} marked as read" if basis["marked_read"] else "none marked as read"
    gone = basis["retracted_or_withdrawn"]
    left = f"; {counted(gone, 'other')} left out as retracted or withdrawn" if gone else ""
    papers = f"{counted(basis['papers'], 'paper')}, {marks}{left}."
    yield from paragraph(f"{papers} {basis_sentence(basis)}", indent="", style=DIM)
