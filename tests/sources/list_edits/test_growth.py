"""The work of mending a line grows with what stands in it, and not with its square: steps are counted, never time."""

import sys

import pytest

from flows.commands.fix import fix
from sources.lists.checks.list_text import ListText, tables_of
from tests.matrices import first_each_push

SIZE = 150
START = "- Attention Is All You Need. "
WORDS = "Graph Neural System Quantum Kernel Proof Model Stream Index Cache Lattice".split()


def address(at: int) -> str:
    return f"http://arxiv.org/abs/{1000 + at // 9000}.{at % 9000 + 1000:05}"


def title(at: int) -> str:
    return " ".join(WORDS[(at // len(WORDS) ** place + place) % len(WORDS)] for place in range(4))


def linked(at: int) -> str:
    return f"[{title(at)}]({address(at)})"


def element(at: int) -> str:
    return f"<a href='{address(at)}'>{title(at)}</a>"


SHAPES = {
    "links of an entry": lambda n: START + " ".join(f"[v{at}]({address(at)})" for at in range(n)),
    "bare addresses": lambda n: START + " ".join(map(address, range(n))),
    "one identifier": lambda n: START + " ".join(f"[v{at}]({address(1)}) 1000.01001" for at in range(n)),
    "cells of a row": lambda n: f"|{' Paper |' * n}\n|{'---|' * n}\n|{''.join(f' {linked(at)} |' for at in range(n))}",
    "blanks of a cell": lambda n: f"| Title | Year |\n|---|---|\n| {linked(1)} {' ' * 9 * n}| 2017 |",
    "papers of a line": lambda n: f"<ul>{''.join(f'<li>{element(at)}</li>' for at in range(n))}</ul>",
    "papers of a paragraph": lambda n: "\n".join(f"{linked(at)}, 2017." for at in range(n)),
    "users of a definition": lambda n: " ".join(f"[{title(at)}][a{at}]." for at in range(n)) + "\n\n"
    + "\n".join(f"[a{at}]: {address(at)}" for at in range(n)),
}  # fmt: skip


def steps_of(path) -> int:
    """Returns how many lines of code under `list_edits`, each round of a loop anew, `fix` takes for a list."""
    count = 0

    def in_frame(_frame, event, _argument):
        nonlocal count
        count += event == "line"
        return in_frame

    def on_call(frame, _event, _argument):
        return in_frame if "lists/edits" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        fix([str(path)], as_json=True, links=False, offline=True)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("shape", first_each_push(SHAPES, count=3))
def test_twice_as_much_in_a_line_takes_about_twice_the_steps(tmp_path, shape, capsys):
    steps = []
    for size in (SIZE, 2 * SIZE):
        path = tmp_path / f"{size}.md"
        path.write_text(f"# Papers\n\n{SHAPES[shape](size)}\n", encoding="utf-8")
        steps.append(steps_of(path))
    capsys.readouterr()
    assert 0 < steps[1] <= 2.4 * steps[0]


def test_the_blanks_of_what_is_no_rule_of_a_table_are_looked_at_once():
    assert tables_of(ListText("| a | b |\n|---|" + "    |" * 40 + "x\n")) == []
