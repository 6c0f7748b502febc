"""`paperlake fix` and `paperlake add`: what they print, what they write, and what they leave as it is."""

import json
import stat
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli import app
from sources.errors import UsageError
from sources.lists.edits.fixes import FIXES
from sources.lists.reading import parse_reading_list

LIST = (
    "\ufeff# Reading\r\n\r\n"
    "* [Fast R-CNN](http://arxiv.org/abs/1504.08083)\r\n"
    "* [Deep Residual Learning for Image Recognition](https://arxiv.org/abs/1512.03385) \r\n"
    "* [Attention Is All You Need]()\r\n"
    "\r\nThe end."
)
FIXED = LIST.replace("http://arxiv.org/abs", "https://arxiv.org/abs").replace(
    "Need]()", "Need](https://arxiv.org/abs/1706.03762)"
)


@pytest.fixture
def run(tmp_path, monkeypatch, standins):
    monkeypatch.chdir(tmp_path)
    env = {"COLUMNS": "80", **standins.env()}
    for name, value in env.items():
        monkeypatch.setenv(name, value)

    def invoke(*arguments, code=0):
        done = CliRunner().invoke(app, [*map(str, arguments)])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == code, done.output
        return done.stdout

    return invoke


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "list.md"
    file.write_bytes(LIST.encode())
    return file


@pytest.mark.slow
def test_nothing_is_written_without_write_and_the_patch_makes_the_changes(run, path):
    printed = run("fix", path)
    assert path.read_bytes() == LIST.encode()
    assert printed.startswith(
        "# list.md:3: http-address: https in the place of http: https://arxiv.org/abs/1504.08083 ("
    )
    assert "# list.md:5: empty-link: the address of the link: https://arxiv.org/abs/1706.03762 (the paper is" in printed
    run("fix", path, "--patch", "fixes.patch")
    subprocess.run(["git", "apply", "--whitespace=nowarn", "fixes.patch"], check=True)
    assert path.read_bytes() == FIXED.encode()
    assert run("fix", path) == ""


def test_a_table_is_refused_by_name(run, tmp_path, capsys):
    table = tmp_path / "papers.csv"
    table.write_text("title,authors\nAttention Is All You Need,Vaswani\n", encoding="utf-8")
    assert run("parse", table).startswith("papers.csv: 1 mention")
    for arguments in (("add", table, "1512.03385", "--write"), ("fix", table, "--write")):
        with pytest.raises(UsageError, match=rf"papers\.csv is a table in CSV, which {arguments[0]} cannot write to"):
            run(*arguments, code=2)
    assert table.read_text(encoding="utf-8").startswith("title,authors\nAttention")


@pytest.mark.slow
def test_write_keeps_bytes_mode_and_links_and_a_second_run_changes_nothing(run, path, tmp_path):
    path.chmod(0o640)
    link = tmp_path / "link.md"
    link.symlink_to(path.name)
    run("fix", link, "--write")
    assert link.is_symlink()
    assert path.read_bytes() == FIXED.encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    before = path.stat()
    run("fix", path, "--write")
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["link.md", "list.md"]


def test_check_ends_with_1_where_there_is_something_to_change_and_exclude_leaves_kinds_out(run, path):
    run("fix", path, "--offline", "--check", code=1)
    assert path.read_bytes() == LIST.encode()
    assert run("fix", path, "--offline", "--check", "--exclude", "http-address") == ""
    run("fix", path, "--offline", "--write")
    run("fix", path, "--offline", "--check")


def test_json_has_each_change_with_its_edits_and_the_diff(run, path):
    printed = json.loads(run("fix", path, "--offline", "--only", "http-address", "--json"))
    assert path.read_bytes() == LIST.encode()
    (mended,) = printed["lists"]
    (change,) = mended["changes"]
    assert (printed["changes"], printed["written"], printed["patch"], mended["list"]) == (1, False, None, "list.md")
    assert (change["code"], change["line"]) == ("http-address", 3)
    text = LIST.removeprefix("\ufeff")
    (edit,) = change["edits"]
    new = text[: edit["start"]] + edit["replacement"] + text[edit["end"] :]
    assert new == text.replace("http://arxiv", "https://arxiv")
    Path("of.patch").write_bytes(mended["diff"].encode())
    written = json.loads(run("fix", path, "--offline", "--only", "http-address", "--json", "--write"))
    assert (written["changes"], written["written"]) == (1, True)
    subprocess.run(["git", "apply", "--whitespace=nowarn", "--reverse", "of.patch"], check=True)
    assert path.read_bytes() == LIST.encode()


@pytest.mark.parametrize(
    "where", ["<!-- paperlake: ignore-file http-address -->", " <!-- paperlake: ignore http-address -->", "setting"]
)
def test_what_only_fix_mends_can_be_switched_off(run, path, where):
    entry = "- [Fast R-CNN](http://arxiv.org/abs/1504.08083)"
    if where == "setting":
        Path("paperlake.toml").write_text('[check]\nignore = ["http-address"]\n', encoding="utf-8")
    text = f"# Reading\n\n{entry}{where}\n" if where.startswith(" ") else f"# Reading\n\n{entry}\n\n{where}\n"
    other = "- [Mask R-CNN](http://arxiv.org/abs/1703.06870)\n" if where.startswith(" ") else ""
    path.write_text(text + other, encoding="utf-8")
    run("fix", path, "--offline", "--write")
    assert path.read_text(encoding="utf-8") == text + other.replace("http:", "https:")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "spelling"], "nothing is called 'spelling'; there are broken-markup"),
        (["--exclude", ",".join(FIXES)], "nothing is left to mend"),
        (["--only", "empty-link", "--exclude", "http-address"], "name one of the two"),
        (["--write", "--patch", "a.patch"], "name one of the two"),
        (["--as", "badge"], "--annotate shows"),
    ],
)
def test_wrong_usage_is_refused_and_changes_nothing(run, path, arguments, message):
    with pytest.raises(Exception, match=message):
        run("fix", path, "--offline", *arguments)
    assert path.read_bytes() == LIST.encode()
    with pytest.raises(UsageError, match=r"standard input|no file on this machine"):
        CliRunner().invoke(app, ["fix", "-", "--offline", "--write"], input=LIST, catch_exceptions=False)


def test_a_list_in_another_encoding_stays_in_it(run, path):
    text = "<!-- coding: gb18030 -->\n# 论文\n\n- [Mask R-CNN](http://arxiv.org/abs/1703.06870) 实例分割\n"
    path.write_bytes(text.encode("gb18030"))
    run("fix", path, "--offline", "--write")
    assert path.read_bytes() == text.replace("http:", "https:").encode("gb18030")


@pytest.mark.nightly
def test_what_could_not_be_asked_stays_as_it_is(run, path, standins, monkeypatch):
    monkeypatch.setenv("PAPERLAKE_TRIES", "1")
    for service in ("arxiv", "s2", "openalex"):
        standins.fault(service, "503")
    run("fix", path, "--write", "--only", "empty-link")
    assert path.read_bytes() == LIST.encode()


@pytest.mark.slow
def test_add_writes_the_entry_as_the_list_does_and_refuses_it_the_second_time(run, path):
    run("add", path, "1910.02054")
    printed = json.loads(run("add", path, "1910.02054", "--json"))
    assert (printed["changes"], len(printed["lists"][0]["changes"])) == (1, 1)
    assert path.read_bytes() == LIST.encode()
    run("add", path, "1910.02054", "--write")
    title = "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models"
    entry = f"* [{title}](https://arxiv.org/abs/1910.02054)\r\n"
    assert path.read_bytes() == LIST.replace("Need]()\r\n", f"Need]()\r\n{entry}").encode()
    with pytest.raises(Exception, match="line 6 has this paper already"):
        run("add", path, "https://arxiv.org/pdf/1910.02054v3.pdf")
    with pytest.raises(Exception, match="line 3 has this paper already"):
        run("add", path, "Fast R-CNN")


@pytest.mark.slow
def test_add_takes_several_papers_from_arguments_a_bibliography_and_standard_input(run, path, tmp_path, capsys):
    bibliography = tmp_path / "refs.bib"
    bibliography.write_text(
        "@misc{zero,\n  title = {{ZeRO}: Memory Optimizations Toward Training Trillion Parameter Models},\n"
        "  eprint = {1910.02054},\n  archivePrefix = {arXiv}\n}\n",
        encoding="utf-8",
    )
    printed = json.loads(run("add", path, bibliography, "1504.08083", "1506.01497", "--json", code=1))
    assert path.read_bytes() == LIST.encode()
    assert [change["message"][:5] for change in printed["lists"][0]["changes"]] == ["“ZeRO", "“Fast"]
    assert printed["unasked"] == [
        "1504.08083: not added: line 3 has this paper already, with the same identifier: Fast R-CNN"
    ]
    done = CliRunner().invoke(app, ["add", str(path), "-", "--write"], input="1910.02054\n\n1504.08083\n1506.01497\n")
    assert done.exit_code == 1
    assert "paperlake: 1504.08083: not added: line 3 has this paper already" in done.stderr
    added = [mention.arxiv_id for mention in parse_reading_list(path.read_text(encoding="utf-8")).mentions]
    assert added == ["1504.08083", "1512.03385", None, "1910.02054", "1506.01497"]
    run("add", path, bibliography, "1506.01497", code=1)
    with pytest.raises(UsageError, match="no bibliography in BibTeX or RIS"):
        run("add", path, path)


@pytest.mark.slow
def test_add_says_that_a_paper_is_not_found_or_not_asked_about(run, path):
    for words, said in (
        (["A Made-up Study of Reading Lists That Nobody Ever Wrote Down"], "no paper was found for"),
        (["1708.05899"], r"arXiv has no paper 1708\.05899"),
        (["1910.02054", "--offline"], "offline"),
    ):
        with pytest.raises(UsageError, match=said):
            run("add", path, *words)
    assert Path(path).read_bytes() == LIST.encode()


@pytest.mark.slow
def test_a_list_is_exported_in_one_step_and_what_is_left_out_is_named(run, path, tmp_path):
    path.write_text(
        f"{LIST}\n\n* A Made-up Study of Reading Lists That Nobody Ever Wrote Down (2020)\n", encoding="utf-8"
    )
    done = CliRunner().invoke(app, ["export", "bibtex", str(path), "papers.bib"])
    assert done.exit_code == 0, done.output
    written = Path("papers.bib").read_text(encoding="utf-8")
    assert "@inproceedings{vaswani2017attention," in written or "{vaswani2017attention," in written
    assert "is left out: no paper was found for it that is surely meant: A Made-up Study" in done.stderr
    assert sorted(item.name for item in tmp_path.iterdir()) == ["list.md", "papers.bib"]
    assert run("export", "bibtex", path).count("@") == written.count("@")


def test_a_list_is_exported_offline_from_its_own_fields(run, path):
    path.write_text(
        "# L\n\n- Ada Lovelace, Alan Turing. Notes on Engines for Numbers. In ICML, 2020.\n" * 2, encoding="utf-8"
    )
    printed = run("export", "bibtex", path, "--offline")
    assert printed.count("@") == 1
    assert "{lovelace2020notes," in printed
    assert "Turing, Alan" in printed
    with pytest.raises(Exception, match="csv is written of a lake"):
        run("export", "csv", path, "--offline")
