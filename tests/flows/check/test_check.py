"""`paperlake check`: what it knows of papers, what it reports on, how it prints it, and how it ends."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from flows.check import formats
from flows.check.report import changed_lines, check_lists
from flows.cli import app
from flows.progress import Silent
from sources.errors import UsageError
from sources.lists.checks.findings import CODES
from sources.lists.links import LinkAnswer
from standins.trials.bench import Bench
from tests.flows.check.test_changed_lines import git
from tests.matrices import for_each

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "checks.md").read_text(encoding="utf-8")
LIST = """# Reading

- [Mixed Precision Training](https://arxiv.org/abs/1504.08083)
- [Attention Is All You Need](https://arxiv.org/abs/1706.03762), 2003
- [A paper | with % marks, and <b>more](https://arxiv.org/abs/1913.00001) @somebody
"""
TEXT = """

- [Fast R-CNN](https://arxiv.org/abs/1504.08083
- [Mask R-CNN](https://arxiv.org/abs/1703.06870) [code]()
"""


def codes(bench: Bench, *lists: str, **changes) -> list[tuple[int, str]]:
    report = check_lists(lists, bench.settings(**changes), ref=None, report=Silent())
    return [(item.line, item.code) for each in report.lists for item in each.findings]


def run(folder: Path, *arguments: str, **env: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["check", *arguments], env={"COLUMNS": "80", **env})
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout


def test_the_page_of_codes_has_each_code_with_its_level_and_an_example():
    sections = re.findall(r"^### `([a-z-]+)` \((\w+)\)\n\n(.*?)(?=^### |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert [(name, level) for name, level, _ in sections] == [(name, code.level) for name, code in CODES.items()]
    for name, _, text in sections:
        assert CODES[name].summary[1:] in text
        assert CODES[name].meaning in " ".join(text.split())
        assert re.search(r"^    \S", text, re.MULTILINE), f"{name} has no example"


@pytest.mark.parametrize(
    "code", ["malformed-arxiv-id", "malformed-doi", "unregistered-doi", "duplicate", "duplicate-section",
             "duplicate-version", "link-repeated-under-another-title", "empty-link", "broken-markup",
             "dead-anchor", "odd-row", "future-year", "joined-entries", "copied-code", "name-at-odds"]
)  # fmt: skip
def test_the_examples_that_need_no_facts_are_found(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (section,) = re.findall(rf"^### `{code}` .*?$(.*?)(?=^### |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    example = "\n".join(line[4:] for line in section.splitlines() if line.startswith("    ") or not line)
    monkeypatch.chdir(tmp_path)
    Path("list.md").write_text(example, encoding="utf-8")
    _, printed = run(tmp_path, "list.md", "--offline", "--format", "json")
    assert code in {item["code"] for item in json.loads(printed)["lists"][0]["findings"]}


def test_without_a_lake_the_services_are_asked_and_nothing_is_kept(bare_bench: Bench):
    path = bare_bench.write(LIST)
    assert codes(bare_bench, path) == [
        (3, "link-title-disagree"), (4, "year-at-odds"), (5, "malformed-arxiv-id")
    ]  # fmt: skip
    assert sorted(item.name for item in bare_bench.folder.iterdir()) == ["list.md"]


@pytest.mark.slow
def test_a_lake_is_read_first_and_only_what_it_lacks_is_asked_for(bench: Bench, standins):
    path = bench.write(LIST)
    bench.refresh(path)
    before = bench.contents()
    sent = len(standins.requests())
    assert codes(bench, path) == [(3, "link-title-disagree"), (4, "year-at-odds"), (5, "malformed-arxiv-id")]
    assert len(standins.requests()) == sent
    zero = "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models"
    bench.write(f"{LIST}- [{zero}](https://arxiv.org/abs/1910.02054), 1999\n")
    assert (6, "year-at-odds") in codes(bench, path)
    assert len(standins.requests()) > sent
    assert bench.contents() == before


@for_each(
    ("abstract", "expected"),
    [
        ("We introduce a model called FarSeer, and show that it sees.", [(4, "name-at-odds")]),
        ("We present FarSeer, which was far better than NearSeer.", [(4, "name-at-odds")]),
        ("We present FarSeer, also named NearSeer.", []),
        ("We present a model of seas.", []),
    ],
)
def test_an_abstract_tells_what_a_paper_is_called(abstract, expected, bare_bench: Bench, standins):
    titles = {"2401.00008": "NearSeer: Counting Birds over Seas", "2401.00009": "Counting Towns on Long Roads"}
    standins.add(
        [
            {"title": title, "arxiv_id": arxiv_id, "authors": [name], "year": 2024, "abstract": abstract}
            for (arxiv_id, title), name in zip(titles.items(), ("Ada Byron", "Bo Lund"), strict=True)
        ]
    )
    path = bare_bench.write(
        "# Reading\n\n- [NearSeer: Counting Birds over Seas](https://arxiv.org/abs/2401.00008)\n"
        "- [NearSeer](https://arxiv.org/abs/2401.00009)\n"
    )
    assert codes(bare_bench, path) == expected


@pytest.mark.slow
def test_what_could_not_be_asked_is_said_and_is_no_error(bare_bench: Bench, standins):
    standins.fault("arxiv", "503")
    standins.fault("s2", "503")
    path = bare_bench.write("- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n")
    report = check_lists([path], bare_bench.settings(tries=1), ref=None, report=Silent())
    assert report.count("error") == report.count("warning") == 0
    assert any("1 of 1 entry" in sentence for sentence in report.unasked)


def test_offline_sends_nothing_and_says_what_was_not_asked(bare_bench: Bench, standins):
    path = bare_bench.write(TEXT)
    report = check_lists([path], bare_bench.settings(offline=True), ref=None, report=Silent())
    assert [item.code for item in report.lists[0].findings] == ["broken-markup", "empty-link"]
    assert report.unasked == ("nobody was asked about 2 of 2 entries, so only their text was checked",)
    assert standins.requests() == []


def test_settings_switch_codes_off(bare_bench: Bench):
    path = bare_bench.write(TEXT)
    assert codes(bare_bench, path, offline=True, check={"ignore": ["empty-link"]}) == [(3, "broken-markup")]
    with pytest.raises(ValueError, match="no finding called 'empty-links'"):
        bare_bench.settings(check={"ignore": ["empty-links"]})


@pytest.fixture
def branch(tmp_path: Path) -> Path:
    """A repository in which a branch moved a list to another name and added a line to it."""
    git(tmp_path, "init", "-q", "-b", "main")
    lines = [f"- [Learning to Find {word} in Pictures](https://example.org/{word}.pdf)\n" for word in "ABCDEFGHIJ"]
    (tmp_path / "old name.md").write_text("".join(lines), encoding="utf-8")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "a")
    git(tmp_path, "checkout", "-q", "-b", "topic")
    git(tmp_path, "mv", "old name.md", "new.md")
    (tmp_path / "new.md").write_text("".join([*lines[:4], TEXT.splitlines()[2] + "\n", *lines[4:]]), encoding="utf-8")
    git(tmp_path, "commit", "-q", "-a", "-m", "b")
    git(tmp_path, "checkout", "-q", "main")
    (tmp_path / "old name.md").write_text("".join(lines[2:]), encoding="utf-8")
    git(tmp_path, "commit", "-q", "-a", "-m", "c")
    git(tmp_path, "checkout", "-q", "topic")
    return tmp_path


def test_changed_lines_are_those_since_the_branch_left_also_of_renamed_and_new_lists(branch: Path):
    list_path = branch / "new.md"
    assert changed_lines(str(list_path), "main") == {5}
    list_path.write_text(list_path.read_text(encoding="utf-8") + "- more\n", encoding="utf-8")
    assert changed_lines(str(list_path), "main") == {5, 12}
    (branch / "other.md").write_text(TEXT, encoding="utf-8")
    assert changed_lines(str(branch / "other.md"), "main") is None


def test_changed_reports_only_on_these_lines(branch: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(branch)
    path = branch / "new.md"
    path.write_text(path.read_text(encoding="utf-8") + "- [Attention Is All You Need]()\n", encoding="utf-8")
    git(branch, "commit", "-q", "-a", "-m", "d")
    path.write_text("- [Mixed Precision Training of Networks]()\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    exit_code, printed = run(branch, "new.md", "--offline", "--changed", "HEAD", "--format", "json")
    assert [item["line"] for item in json.loads(printed)["lists"][0]["findings"]] == [1]
    assert exit_code == 0
    assert run(branch, "new.md", "--offline", "--changed", "main")[0] == 1


@pytest.mark.parametrize("ref", ["nowhere", "--output=x", ""])
def test_a_ref_that_git_does_not_know_is_wrong_usage(branch: Path, ref: str):
    with pytest.raises(UsageError, match="--changed"):
        changed_lines(str(branch / "new.md"), ref)


@pytest.fixture
def printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("my list.md").write_text(TEXT + LIST.splitlines()[-1] + "\n", encoding="utf-8")
    return lambda fmt: run(tmp_path, "my list.md", "--offline", "--format", fmt)


def test_text_is_readable_at_80_columns(printed):
    exit_code, text = printed("text")
    assert exit_code == 1
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("my list.md:3:48: error broken-markup: A link is shown as text")
    heads = [line for line in lines if line.startswith("my list.md:")]
    assert [line.split()[2:4] for line in heads] == [
        ["error", "broken-markup:"], ["error", "malformed-arxiv-id:"], ["warning", "empty-link:"],
    ], "errors come first"  # fmt: skip
    assert "  1 warning empty-link: a link without an address" in lines
    assert "2 errors, 1 warning in 3 entries of 1 list" in text


NOTED = "- [Layer Normalization](https://arxiv.org/abs/1607.06450) [arXiv](https://arxiv.org/abs/1504.08083)\n" + TEXT


def test_notes_are_shown_on_request_a_level_leaves_them_out_and_strict_ends_with_1_for_warnings(
    tmp_path: Path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("list.md").write_text(NOTED, encoding="utf-8")
    quiet, all_told, severe = (
        run(tmp_path, "list.md", "--offline", *more)[1] for more in ((), ("-v",), ("--level", "error"))
    )
    assert "list.md:1:1: note second-arxiv-id" not in quiet
    assert "  1 note second-arxiv-id: the entry names a second arXiv paper as its own" in quiet.splitlines()
    assert "--notes shows the notes" in quiet
    assert "list.md:1:1: note second-arxiv-id:" in all_told
    assert "--notes" not in all_told
    assert ("error" in severe, "warning" in severe, "note" in severe) == (True, False, False)
    Path("list.md").write_text("- [Attention Is All You Need]()\n", encoding="utf-8")
    assert [run(tmp_path, "list.md", "--offline", *more)[0] for more in ((), ("--strict",))] == [0, 1]
    assert '"notes": 0' in run(tmp_path, "list.md", "--offline", "--json", "--level", "warning")[1]


def test_a_baseline_leaves_out_old_findings_wherever_they_stand_by_now(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("list.md").write_text(TEXT, encoding="utf-8")
    assert run(tmp_path, "list.md", "--offline", "--write-baseline", "old.json") == (
        0, "2 findings in old.json: --baseline leaves them out\n",
    )  # fmt: skip
    again = ("list.md", "--offline", "--baseline", "old.json")
    exit_code, text = run(tmp_path, *again)
    assert (exit_code, text.splitlines()[-1]) == (0, "no findings in 2 entries of 1 list")
    moved = f"# Reading\n\nWords.\n{TEXT}- [Batch Normalization](https://arxiv.org/abs/1502.03167) [slides]()\n"
    Path("list.md").write_text(moved + TEXT.splitlines()[-1] + "\n", encoding="utf-8")
    text = run(tmp_path, *again)[1]
    found = re.findall(r"^list\.md:(\d+):\d+: warning empty-link", text, re.MULTILINE)
    assert found == ["8", "9"], "the new one, and the copy of an old one"
    for body in ("{}", "[", "not JSON"):
        Path("old.json").write_text(body, encoding="utf-8")
        with pytest.raises(UsageError, match=r"old.json is no baseline"):
            run(tmp_path, *again)
    with pytest.raises(UsageError, match=r"cannot read gone.json"):
        run(tmp_path, "list.md", "--offline", "--baseline", "gone.json")


def test_github_commands_are_escaped(printed):
    lines = printed("github")[1].splitlines()
    assert lines[0].startswith("::error file=my list.md,line=3,endLine=3,title=paperlake%3A broken-markup::A link")
    assert lines[1].startswith("::warning file=my list.md,line=4,")
    assert all(line.count("::") == 2 for line in lines)


def test_a_file_name_with_a_line_feed_gives_no_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    name = "a\n::error::b\x1b[31m.md"
    Path(name).write_text(TEXT, encoding="utf-8")
    text = run(tmp_path, "--offline", "--format", "github", name)[1]
    assert "file=a%0A%3A%3Aerror" in text
    assert "\n::error::" not in text
    assert "\x1b" not in text + run(tmp_path, "--offline", name)[1]


@pytest.mark.parametrize("url", [None, "file:///home/me/paperlake", "https://github.com/a/p.git"])
def test_sarif_has_what_the_standard_knows_and_leads_to_the_page_of_the_installed_commit(printed, monkeypatch, url):
    """What sections 3.13 to 3.57 of SARIF 2.1.0 say of the objects written, which allow no other properties."""
    is_public = url is not None and "github" in url
    vcs = {"vcs_info": {"vcs": "git", "commit_id": "c" * 40}} if is_public else {}
    origin = SimpleNamespace(read_text=lambda _: json.dumps({"url": url} | vcs) if url else None)
    monkeypatch.setattr(formats, "distribution", lambda _: origin)
    (done,) = json.loads(printed("sarif")[1])["runs"]
    driver = done["tool"]["driver"]
    assert driver.keys() == {"name", "fullName", "version", "rules"} | ({"informationUri"} if is_public else set())
    assert [rule["id"] for rule in driver["rules"]] == list(CODES)
    rule = driver["rules"][0]
    texts = {"shortDescription", "fullDescription", "help", "defaultConfiguration"}
    assert rule.keys() == {"id", "name", *texts} | ({"helpUri"} if is_public else set())
    assert rule["name"] == "TheLinkLeadsToAnotherPaperThanTheTitleNames"
    assert rule["defaultConfiguration"] == {"level": "error"}
    page = f"https://github.com/a/p/blob/{'c' * 40}/docs/checks.md#link-title-disagree-error"
    assert rule.get("helpUri") == (page if is_public else None)
    assert done.keys() == {"tool", "columnKind", "invocations", "results"}
    said = "not asked: nobody was asked about 3 of 3 entries, so only their text was checked"
    notes = [{"level": "note", "message": {"text": said}}]
    assert done["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": notes}]
    place, message = (
        {"uri": "my%20list.md"},
        "A link is shown as text: the round bracket behind the address is missing.",
    )
    added = {"deletedRegion": {"charOffset": 49, "charLength": 0}, "insertedContent": {"text": ")"}}
    change = {"artifactLocation": place, "replacements": [added]}
    assert done["results"][0] == {
        "ruleId": "broken-markup",
        "ruleIndex": list(CODES).index("broken-markup"),
        "level": "error",
        "message": {"text": f"{message} (](https://arxiv.org/abs/1504.08083)"},
        "locations": [{"physicalLocation": {"artifactLocation": place, "region": {"startLine": 3, "endLine": 3}}}],
        "fixes": [{"description": {"text": message}, "artifactChanges": [change]}],
    }


def test_markdown_escapes_what_lists_write_and_notifies_nobody(printed):
    text = printed("markdown")[1]
    assert text.startswith("**paperlake**: 2 errors, 1 warning\n")
    assert "\\[code\\]\\(\\)" in text
    assert not re.search(r"[^\\]<b>|@\w|[^->]//", text)


def test_links_are_dead_or_moved_only_where_their_servers_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    addresses = [f"https://example.org/{name}" for name in ("gone", "there", "moved", "wall")]
    asked_at = datetime(2026, 11, 22, tzinfo=UTC)
    answers = {
        addresses[0]: LinkAnswer(kind="dead", status=404, reason="404, twice", asked_at=asked_at),
        addresses[1]: LinkAnswer(kind="alive", status=200, asked_at=asked_at),
        addresses[2]: LinkAnswer(kind="moved", status=301, location="https://example.org/new", asked_at=asked_at),
        addresses[3]: LinkAnswer(kind="blocked", status=403, reason="403", asked_at=asked_at),
    }
    text = "".join(f"- [Learning to Find {n} in Pictures]({url})\n" for n, url in zip("ABCD", addresses, strict=True))
    path = tmp_path / "list.md"
    path.write_text(f"{text}<!-- https://example.org/no -->\n", encoding="utf-8")

    def ask(urls, **_):
        assert list(urls) == addresses
        return answers

    monkeypatch.setattr("flows.check.links.check_links", ask)
    report = check_lists([str(path)], None, ref=None, report=Silent(), asks_links=True)
    (checked,) = report.lists
    assert [(item.line, item.code, item.level) for item in checked.findings] == [
        (1, "dead-link", "error"), (3, "moved-link", "note")
    ]  # fmt: skip
    (edit,) = checked.findings[1].edits
    assert path.read_text(encoding="utf-8")[edit.start : edit.end] == addresses[2]
    assert "1 link could not be looked at: 403" in report.unasked


def test_links_of_switched_off_and_of_unchanged_lines_are_not_asked_for(branch: Path, monkeypatch: pytest.MonkeyPatch):
    path = branch / "new.md"
    text = path.read_text(encoding="utf-8")
    off = "- [Learning to Find K in Pictures](https://example.org/K.pdf) <!-- paperlake: ignore dead-link -->\n"
    path.write_text(f"{text}{off}{off.replace('K', 'L').split(' <!')[0]}\n", encoding="utf-8")
    urls: list[str] = []

    def ask(addresses, **_):
        urls.extend(addresses)
        return {}

    monkeypatch.setattr("flows.check.links.check_links", ask)
    check_lists([str(path)], None, ref="main", report=Silent(), asks_links=True)
    assert [url for url in urls if "example" in url] == ["https://example.org/L.pdf"]


def test_findings_are_written_to_files_in_the_form_of_their_endings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("list.md").write_text(TEXT, encoding="utf-8")
    files = ("comment.md", "findings.json", "findings.sarif", "findings.txt")
    saved = [word for name in files for word in ("--save", name)]
    status, printed = run(tmp_path, "list.md", "--offline", "--format", "github", *saved)
    assert status == 1
    assert printed.startswith("::error file=list.md,line=3")
    assert Path("comment.md").read_text().startswith("**paperlake**: 1 error, 1 warning")
    assert json.loads(Path("findings.json").read_text())["errors"] == 1
    assert json.loads(Path("findings.sarif").read_text())["version"] == "2.1.0"
    assert "1 error, 1 warning" in Path("findings.txt").read_text()
    for name, message in (("a.html", "ending says"), ("no/a.md", "cannot write no/a.md")):
        with pytest.raises(UsageError, match=message):
            run(tmp_path, "list.md", "--offline", "--save", name)
