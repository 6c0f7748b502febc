"""What others named makes no link, element or mark-up of its own in a list, and reads back as they named it."""

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from flows.check.links import LinkedAddress, link_findings
from flows.commands.add import _address_of
from sources.errors import UsageError
from sources.lists.checks.findings import CheckedEntry
from sources.lists.edits.additions import addition
from sources.lists.edits.edits import apply_edits, edits_of
from sources.lists.edits.fixes import changes_of
from sources.lists.edits.spans import addresses_in
from sources.lists.edits.writing import address_for, markdown_address
from sources.lists.links import LinkAnswer
from sources.lists.reading import parse_reading_list
from tests.matrices import first_each_push, for_each
from tests.sources.list_edits.lists import PAPERS, facts, listed

STYLES = {
    "bullets": ("# Papers\n\n", "- [{t}]({u}) ({v} {y})", "\n"),
    "bold": ("# Papers\n\n", "* **{t}.** *{v}, {y}.* [[paper]({u})]", "\n"),
    "paragraphs": ("# Papers\n\n", "{t}. {v} {y}. [paper]({u})", "\n\n"),
    "code": ("# Papers\n\n", "- `{t}` [paper]({u}) ({v} {y})", "\n"),
    "bare": ("# Papers\n\n", "- {t}, {v} {y}, {u}", "\n"),
    "table": (
        "# Papers\n\n| Title | Venue | Year | Link |\n|---|---|---|---|\n",
        "| {t} | {v} | {y} | [link]({u}) |",
        "\n",
    ),
    "html": ("# Papers\n\n<ul>\n", '<li><a href="{u}">{t}</a>, {v} {y}</li>', "\n"),
    "html apostrophes": ("# Papers\n\n<ul>\n", "<li><a href='{u}'>{t}</a>, {v} {y}</li>", "\n"),
    "html rows": ("# Papers\n\n<table>\n", '<tr><td><a href="{u}">{t}</a></td><td>{v}</td><td>{y}</td></tr>', "\n"),
    "html in a line": ("# Papers\n\n", '- <a href="{u}">{t}</a>, {v} {y}', "\n"),
}
HOSTILE = [
    "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "<b>", "</a>", "</li>", "<!--", "-->", "&lt;i&gt;",
    "AT&T", "&copy;", ")[x](javascript:alert(1))", "](javascript:alert(1))", ")![x](http://evil.example/x.png)", "[x]",
    "*x*", "**", "_x_", "__init__", "snake_case", "~~x~~", "~", "#", "# x", "|", "| x |", "`x`", "``", "\\", "\\*",
    "C#", "C++", "![", "!", "$x_1$", "{{ x }}", "{.x}", "==x==", "^2", "%%x%%", '"', "'", "\" onclick=\"x", "<http://e.example>",
    "data:text/html,x", "\n", "\u202e", "@x", "1.", "- x", "+ x", "> x", "::", "key:: value", "λ-calculus", "注意力",
]  # fmt: skip
ADDRESSES = [
    ")![x](http://evil.example)", "[click](javascript:alert(1))", "<script>", '"', "'",
    " ", "(", ")", "((", "a(b)c", "[", "]", "<", ">",
    "&amp;", "&", "?a=1&lt;b", "\\", "`", "|", "{", "}", "*", "_x_",
    "~~", "#x", "%", "%29", "%zz", "\n", "\t", ".", ",", "ü", "文",
]  # fmt: skip
WORDS = st.sampled_from(["Learning", "Deep Models", "a Study of Towns"])
MARKS = st.lists(st.one_of(st.sampled_from(HOSTILE), WORDS), min_size=1, max_size=4)
TITLES = st.builds(lambda parts, space: f"Large {space.join(parts)} Networks", MARKS, st.sampled_from([" ", ""]))
SUFFIXES = st.lists(st.sampled_from(ADDRESSES), min_size=1, max_size=4).map("".join)


class Elements(HTMLParser):
    """The elements of a page, and its words."""

    def __init__(self, page):
        super().__init__()
        self.found, self.links, self.words = [], [], ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, *(name for name, _ in attrs)))
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_comment(self, data):
        self.found.append(("comment",))

    def handle_data(self, data):
        self.words += data


def rendered(text):
    return Elements(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text))


def list_of(style):
    head, form, between = STYLES[style]
    return f"{head}{listed(form.replace('{u}', 'https://doi.org/10.1145/{i}'), between=between)}\n"


def paper_with(title="Attention Networks for Documents", doi="10.1145/3292504"):
    return facts(title=title, doi=doi, arxiv_id=None)


def added(text, paper):
    return apply_edits(text, addition(text, paper).edits)


def assert_only_words(style, new, paper):
    """Asserts that `new` has what the addition of a plain paper brings: the same elements, and one link more."""
    text = list_of(style)
    before, after, plain = rendered(text), rendered(new), rendered(added(text, paper_with()))
    assert Counter(after.found) == Counter(plain.found)
    assert len(after.links) == len(before.links) + (style != "bare")
    assert all(link.startswith("https://doi.org/10.") for link in after.links)
    assert " ".join(re.sub("[\u202e]", "", paper.title).split()) in " ".join(after.words.split())
    mentions = parse_reading_list(new).mentions
    assert len(mentions) == len(PAPERS) + 1
    (mention,) = [item for item in mentions if item.doi == paper.doi]
    return mention


@pytest.mark.parametrize("style", first_each_push(STYLES, count=4))
@given(TITLES)
def test_a_title_is_words_in_the_language_of_its_entry(style, title):
    paper = paper_with(title)
    try:
        new = added(list_of(style), paper)
    except UsageError:  # it cannot be read back: somebody has to write it by hand
        return
    assert_only_words(style, new, paper)


MARKED = [
    "Learning <img src=x onerror=alert(1)> Networks",
    "Learning *Deep* and _Shallow_ Networks",
    "Learning ~~Deep~~ Networks",
    "Learning in C# & C++ | a Survey",
    "Learning __init__ from `code` and snake_case",
    "Learning [Deep] Networks &lt; Trees",
    "What <b>Networks</b> Learn",
]


@for_each("style", [style for style in STYLES if style != "code"])
def test_marks_in_titles_are_written_and_read_back(style):
    for title in MARKED:
        mention = assert_only_words(style, added(list_of(style), paper_with(title)), paper_with(title))
        assert mention.title == title


@pytest.mark.parametrize("style", first_each_push(STYLES, count=4))
@given(SUFFIXES)
def test_a_doi_of_any_signs_is_one_link(style, suffix):
    paper = paper_with(doi=f"10.1002/x{suffix}9".lower())
    try:
        new = added(list_of(style), paper)
    except UsageError:
        return
    after = rendered(new)
    assert Counter(after.found) == Counter(rendered(added(list_of(style), paper_with())).found)
    assert len(after.links) == len(PAPERS) + 1 or style == "bare"
    assert all(link.startswith("https://doi.org/10.") for link in after.links)


SICI = [
    "10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2",
    "10.1002/(SICI)1521-3773(19980703)37:12<1626::AID-ANIE1626>3.0.CO;2-#",
    "10.1016/S0140-6736(97)11096-0",
    "10.1175/1520-0493(1995)123<1458:TNSSFS>2.0.CO;2",
]


@for_each("doi", SICI)
def test_dois_of_old_forms_are_added_and_read_back(doi):
    paper = paper_with(doi=doi.lower())
    for style in STYLES:
        new = added(list_of(style), paper)
        (mention,) = [item for item in parse_reading_list(new).mentions if item.title == paper.title]
        assert mention.doi == doi.lower()
        assert style == "bare" or len(rendered(new).links) == len(PAPERS) + 1
    (mention,) = parse_reading_list(f"- {_address_of(doi)}").mentions
    assert mention.doi == doi.lower()


@pytest.mark.parametrize("style", first_each_push(STYLES, count=4))
@given(SUFFIXES)
def test_where_a_page_has_moved_to_is_one_address(style, suffix):
    old = "https://old.example/paper/1"
    text = list_of(style).replace("https://doi.org/10.1145/1409.3215", old)
    (span,) = [span for span in addresses_in(text) if span.url == old]
    linked = [LinkedAddress(1 + text.count("\n", 0, span.start), span)]
    answer = LinkAnswer(kind="moved", location=f"https://new.example/{suffix}9", reason="it has moved for good")
    findings = link_findings(linked, {old: answer})
    entries = [CheckedEntry(mention=item) for item in parse_reading_list(text).mentions]
    changes, _ = changes_of(text, entries, findings)
    new = apply_edits(text, edits_of(changes))
    before, after = rendered(text), rendered(new)
    assert Counter(after.found) == Counter(before.found)
    assert len(after.links) == len(before.links)
    assert after.words == before.words or style == "bare"
    assert all(link.startswith(("https://doi.org/10.", old, "https://new.example/")) for link in after.links)
    assert changes
    assert [item.title for item in parse_reading_list(new).mentions] == [item.mention.title for item in entries]
    urls = [span.url for span in addresses_in(new)]
    assert len(urls) == len(PAPERS)
    assert urls[2] == markdown_address(answer.location).replace("'", "%27" if "html" in style else "'")


@for_each(
    "address",
    ["javascript:alert(1)", "data:text/html,x", "ftp://a.example/", "//a.example", "https://u@a.example/", "https://",
     'https://a"b.example/', "https://a.example\\@evil.example/", "paper.pdf", "vbscript:x",
     "https://a b.example/", ""],
)  # fmt: skip
@for_each("language", ["markdown", "html"])
def test_other_schemes_and_hosts_are_refused_in_one_line(language, address):
    with pytest.raises(UsageError, match=r"^cannot write .* into a list as an address: .* give another one$"):
        address_for(language, address)


def test_a_page_that_has_moved_to_no_address_keeps_its_link_and_says_why():
    text = list_of("bullets")
    (span, *_) = addresses_in(text)
    answer = LinkAnswer(kind="moved", location="javascript:alert(1)", reason="it has moved for good")
    (finding,) = link_findings([LinkedAddress(3, span)], {span.url: answer})
    assert not finding.edits
    assert "cannot write 'javascript:alert(1)'" in finding.evidence[-1]


@for_each(
    ("address", "markdown", "html"),
    [
        ("https://a.example/x_y?a=1&b=2", None, "https://a.example/x_y?a=1&amp;b=2"),
        ("https://de.wikipedia.org/wiki/Köln_(Stadt)", None, None),
        ("http://a.example/~user/", None, None),
        ("HTTPS://[::1]:80/x", None, None),
        ("https://a.example/a((b", "https://a.example/a%28%28b", "https://a.example/a%28%28b"),
        ("https://a.example/100%", "https://a.example/100%25", "https://a.example/100%25"),
        ("https://a.example/O'Neil", None, "https://a.example/O%27Neil"),
        ("doi:10.1145/3292500", None, None),
    ],
)
def test_an_address_changes_only_where_it_would_end(address, markdown, html):
    assert markdown_address(address) == (markdown or address)
    assert markdown_address(markdown_address(address)) == markdown_address(address)
    assert address_for("html", address) == (html or address)


def test_an_address_in_html_is_mended_without_its_references_being_escaped_again():
    text = "# Papers\n\n<ul>\n<li><a href='http://arxiv.org/abs/1706.03762?a=1&amp;b=2'>Attention</a></li>\n"
    entries = [CheckedEntry(mention=item) for item in parse_reading_list(text).mentions]
    (change,), _ = changes_of(text, entries)
    assert apply_edits(text, change.edits) == text.replace("http:", "https:")
