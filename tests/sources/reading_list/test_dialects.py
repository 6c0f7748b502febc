"""Markdown as note-taking and publishing programs extend it: what their marks hold is read, the marks are not.

The folder beside this file has a list in each dialect, with the papers in it and what is to be read of each.
"""

import json
from pathlib import Path

from sources.lists.reading import parse_reading_list
from sources.lists.reading.document import plain_markdown
from sources.records import Mention
from tests.matrices import for_each

FOLDER = Path(__file__).with_name("dialects")


def read(text: str) -> dict[str | None, Mention]:
    return {mention.title: mention for mention in parse_reading_list(text).mentions}


@for_each("path", sorted(FOLDER.glob("*.md")))
def test_the_papers_of_a_list_in_a_dialect_are_read_and_nothing_else(path: Path):
    rows = [json.loads(row) for row in path.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()]
    text = path.read_text(encoding="utf-8")
    mentions, lines = parse_reading_list(text).mentions, text.split("\n")
    assert [mention.title for mention in mentions] == [row["title"] for row in rows]
    for mention, row in zip(mentions, rows, strict=True):
        assert json.loads(json.dumps({field: getattr(mention, field) for field in row})) == row
        assert mention.text.split("\n") == lines[mention.last_line - mention.text.count("\n") - 1 : mention.last_line]


@for_each(
    ("field", "arxiv_id"),
    [
        ("eprint = {1706.03762v5}", "1706.03762"),
        ("eprint = {arXiv:1706.03762}", "1706.03762"),
        ("eprint = {cs.CL/0701001}", "cs/0701001"),
        ("doi = {10.48550/arXiv.1706.03762}", "1706.03762"),
        ("doi = {https://doi.org/10.48550/arXiv.1706.03762}", "1706.03762"),
        ("eprint = {2019/1234}", None),
    ],
)
def test_bibtex_names_a_paper_of_arxiv_by_eprint_or_doi(field: str, arxiv_id: str | None):
    known = "title = {Attention Is All You Need}, author = {Vaswani, A. and Shazeer, N.}"
    entry = f"@article{{vaswani2017, {known}, {field}}}\n"
    (mention,) = read(f"```bibtex\n{entry}```\n").values()
    assert mention.arxiv_id == arxiv_id


def test_a_broken_number_of_arxiv_in_bibtex_is_reported():
    entry = (
        "@misc{x, title = {Attention Is All You Need}, archivePrefix = {arXiv}, eprint = {1799.03762}, year = 2017}\n"
    )
    (mention,) = read(f"```bibtex\n{entry}```\n").values()
    assert mention.arxiv_id is None
    assert [finding.code for finding in mention.findings] == ["malformed-arxiv-id"]


@for_each(
    "bibtex",
    [
        "@article{x, title = {",
        "@article{x, title = {A {b} c", '@article{x, title = "', "@article{x,\n}", "@article{x, = }",
        "@string{x, title = {A Title of Some Paper}}",
        "@article{x, title = {A Title of Some Paper}, author = { and }, year = {}}",
        "@article{x, title = {A Title}}@article{y, title = {Another}}",
    ],
)  # fmt: skip
def test_broken_bibtex_harms_nothing(bibtex: str):
    text = f"{bibtex}\n\n- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"
    assert "1504.08083" in {mention.arxiv_id for mention in parse_reading_list(text).mentions}


@for_each(
    "line",
    [
        "- [A Title](https://medium.com/@jane2019/x~1~/{id=3})",
        "- `{: .class}` and `[[a|b]]`",
        "- $O(n^{2})$ and $x_{i}$, {N}ormalization, $\\mathbb{R}^{n}$",
        "- see [1], [2]: a list; a b; std::vector is fast; it costs ~50 and ~60",
        "- jane@example2019.org wrote ~~a title~~",
        "A sentence, imported from 'here'.", "- [ ] open and [x] done", "- C++ vs {a, b}",
    ],
)  # fmt: skip
def test_what_is_no_mark_of_a_dialect_stays(line: str):
    assert plain_markdown(line) == line


@for_each("text", ["%%\nnever closed\n- a", "{/*\nx", ":LOGBOOK:\n- a", "```\n%%\n```\n- a\n%%\nb\n%%\nc"])
def test_every_line_stays_a_line(text: str):
    assert plain_markdown(text).count("\n") == text.count("\n")
    longer = (FOLDER / "obsidian.md").read_text(encoding="utf-8") + text
    assert plain_markdown(longer).count("\n") == longer.count("\n")


def test_what_stands_in_a_code_block_opens_no_comment():
    assert plain_markdown("```\n%%\n```\n- a\n").endswith("- a\n")
