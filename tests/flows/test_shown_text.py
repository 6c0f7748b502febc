"""Text of lists reaches no terminal as it is: by whatever command it is shown."""

from __future__ import annotations

import io
import sys
from contextlib import suppress

import pytest

from flows.cli import main
from flows.progress import watched
from standins.trials.rows import candidate_row, finding_row, list_row, mention_row, run_row
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing
from warehouse.loading.load import append
from warehouse.tables import declarations as tables

HOSTILE = "Evil \x1b]52;c;cm0=\x07\x1b[2J\x9b2J\u202eeltit\u2066 \u200bx\r"


@pytest.fixture(scope="module")
def lake(tmp_path_factory) -> LakePlace:
    place = LakePlace.of(tmp_path_factory.mktemp("shown") / "lake")
    with writing(place) as connection:
        append(connection, tables.READING_LISTS, [list_row(title=HOSTILE, location=f"https://e.org/{HOSTILE}")])
        mention = mention_row(title=HOSTILE, text=HOSTILE, status="ambiguous", reason=HOSTILE)
        append(connection, tables.MENTIONS, [mention])
        append(connection, tables.CANDIDATES, [candidate_row(title=HOSTILE, reasons=[HOSTILE])])
        append(connection, tables.FINDINGS, [finding_row(message=HOSTILE)])
        append(connection, tables.RUNS, [run_row(problems=[HOSTILE])])
    return place


@pytest.mark.parametrize(
    "command",
    [
        ["status"],
        ["sql", "FROM mentions"],
        ["sql", "FROM mentions", "--format", "json"],
        ["sql", f'SELECT 1 AS "{HOSTILE}"'],
        ["sql", f"SELECT '{HOSTILE}' FRM x"],
        ["review"],
        ["export", "csv", f"/no/such/{HOSTILE}/file"],
    ],
)
def test_no_command_passes_on_what_steers_a_terminal(lake, monkeypatch, capsys, command):
    monkeypatch.setattr(sys, "argv", ["paperlake", *command, "--lake", str(lake.folder)])
    with suppress(SystemExit):
        main()
    said = capsys.readouterr()
    assert said.out + said.err
    assert [line for line in (said.out + said.err).split("\n") if not line.isprintable()] == []


@pytest.mark.parametrize("fmt", ["table", "jsonl"])
def test_parse_passes_on_nothing_that_steers_a_terminal(tmp_path, monkeypatch, capsys, fmt):
    file = tmp_path / "list.md"
    text = f"# {HOSTILE}\n\n- [Attention {HOSTILE} Need](https://arxiv.org/abs/1706.03762)\n"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["paperlake", "parse", str(file), "--format", fmt])
    with suppress(SystemExit):
        main()
    said = capsys.readouterr().out
    assert "1706.03762" in said
    assert [line for line in said.split("\n") if not line.isprintable()] == []


@pytest.mark.parametrize("command", ["parse", "check --offline", "refresh --offline", "export bibtex --offline"])
@pytest.mark.parametrize("text", ["- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n", "Milk and bread.\n"])
def test_a_line_feed_in_the_name_of_a_list_begins_no_line(tmp_path, monkeypatch, capsys, command, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a\nlist.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["paperlake", *command.split(), "a\nlist.md"])
    with suppress(SystemExit):
        main()
    said = capsys.readouterr()
    assert said.out + said.err
    assert "\nlist.md" not in said.out + said.err


def test_what_a_run_says_on_the_way_is_shown_without_it(monkeypatch):
    errors = io.StringIO()
    monkeypatch.setattr(sys, "stderr", errors)
    with watched() as reporter:
        reporter.say(HOSTILE)
    assert errors.getvalue().strip("\n").isprintable()
