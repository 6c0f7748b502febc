"""What holds for any text at all: no exception, words that stand where they are said to stand, bounded work."""

import re
import sys
import unicodedata

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sources.lists.reading import parse_reading_list
from tests.matrices import first_each_push

PIECES = (
    "Attention Is All You Need", "[Deep Residual Learning for Image Recognition](https://arxiv.org/abs/1512.03385)",
    "[pdf](https://arxiv.org/pdf/1706.03762v5.pdf)", "[[code](https://github.com/a/b)]",
    "https://arxiv.org/abs/2005.14165", "J. Dean, S. Ghemawat, and A. Ng.", "Vaswani et al. (2017)", "NIPS'17",
    "(2020.5.23)", "2018年", "**GPipe**:", "*ICML 2019*", "~~struck out~~", "[笔记](./notes/a b.md)", "《一个标题》",
    "<b>A Title of Some Length (2019 CVPR)</b>", "<li><a href='https://doi.org/10.1145/3065386'>x</a></li>",
    "<details><summary>s</summary>", "| a | b |\n|---|---|\n", "arXiv:1904.10631", "doi:10.1109/5.726791",
    "abs/1802.4924", "[1]: https://arxiv.org/abs/1810.04805", "[BERT][1]", "![badge](https://img.shields.io/x.svg)",
    "\u200b", "&amp;", "\\", "[[", "](", "`(1)`", "$x^2$",
)  # fmt: skip
MARKS = (
    "\n", "\n\n", "\n- ", "\n  - ", "\n1. ", "\n## ", "\n> ", " ", ", ", ". ", ": ", " - ", " | ", "\t", "\r\n",
    "\n---\n",
)  # fmt: skip
LISTS = st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(MARKS), st.text(max_size=8)), max_size=40).map(
    "".join
)
BOUNDED = settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow])


def words(text):
    return set(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).lower()))


@BOUNDED
@given(st.one_of(LISTS, st.text(max_size=300)))
def test_no_text_raises(text):
    assert parse_reading_list(text) == parse_reading_list(text)


@BOUNDED
@given(LISTS)
@example("](Attention Is All You Need<b>A Title of Some Length (2019 CVPR)</b>")
@example("[BERT][1]\nAttention Is All You NeedAttention Is All You Need")
def test_every_word_of_a_mention_stands_in_its_text_and_that_on_its_lines(text):
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for mention in parse_reading_list(text).mentions:
        assert 1 <= mention.line <= mention.last_line <= len(lines)
        assert mention.text.split("\n") == lines[mention.last_line - mention.text.count("\n") - 1 : mention.last_line]
        here = mention.text
        here = unicodedata.normalize("NFKC", re.sub("[\u200b-\u200f\u2060\u00ad\ufeff]", "", here)).lower()
        stated = words(" ".join(filter(None, (mention.title, mention.name, mention.venue, *mention.authors))))
        # Without tags and addresses, words run together as they do on the page; no address holds a blank.
        squeezed = re.sub(r"<[^>]*>|\]\([^)\s]*(?:\s+\"[^\"]*\")?\)|[\W_]", "", here)
        assert [word for word in stated if word not in here and word not in squeezed] == []


def calls_while_parsing(text):
    """Counts the calls made while parsing: work, not time."""
    count = 0

    def count_call(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(count_call)
    try:
        parse_reading_list(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "make",
    first_each_push(
        [
            pytest.param(lambda n: "[" * n, id="brackets"),
            pytest.param(lambda n: "- " * n + "x", id="nested bullets on a line"),
            lambda n: "".join("  " * i + "- A Title of a Paper\n" for i in range(n // 40)),
            pytest.param(lambda n: "word " * n, id="one line"),
            pytest.param(lambda n: "J. Smith, " * n, id="names"),
            pytest.param(lambda n: "*a " * n, id="open emphasis"),
            pytest.param(lambda n: "https://arxiv.org/abs/1706.03762 " * (n // 10), id="bare links"),
            pytest.param(lambda n: "<li><a href='x'>A Title of a Paper</a></li>\n" * (n // 20), id="HTML items"),
            pytest.param(lambda n: "A Title of a Paper, ICML 2019\n" * (n // 10), id="lines of a paragraph"),
            pytest.param(lambda n: "| a | b |\n|---|---|\n" + "| A Title of a Paper | 2019 |\n" * (n // 20), id="rows"),
            pytest.param(lambda n: '"a ' * n, id="quotes"),
            pytest.param(lambda n: "<!-->" * n, id="comments"),
            pytest.param(lambda n: "<div><![ >" * n, id="sections"),
            pytest.param(lambda n: "<div>" + "<" * n, id="angle brackets"),
            pytest.param(lambda n: "<div>" + "<script>" * n, id="scripts without end"),
            pytest.param(lambda n: "<div>\n" + "<p>A Title of a Paper\n" * (n // 20), id="paragraphs"),
            pytest.param(lambda n: "@article{x, title={" * (n // 10), id="open BibTeX"),
            pytest.param(lambda n: "[[a|" * n, id="wiki links"),
            pytest.param(lambda n: "{: .a" * n, id="attributes"),
            pytest.param(lambda n: "a\n: b\n\n" * (n // 10), id="definitions"),
            pytest.param(lambda n: "a:: b\n" * (n // 10), id="properties"),
            pytest.param(lambda n: "- a[^1]\n" * (n // 20) + "\n[^1]: b\n" * (n // 20), id="footnotes"),
        ],
        count=16,
    ),
)
def test_twice_the_text_is_at_most_little_more_than_twice_the_work(make):
    once, twice = calls_while_parsing(make(4_000)), calls_while_parsing(make(8_000))
    assert twice <= 2.6 * once + 2_000


def test_a_list_of_every_length_up_to_pathological_ends():
    for text in ("[" * 100_000, "word " * 200_000, "- " * 10_000 + "x", "> " * 10_000, "`" * 50_000, "<" * 100_000):
        assert parse_reading_list(text).mentions == ()
