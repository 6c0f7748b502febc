"""Edits, diffs and places: what is outside of an edit never changes, and a patch makes what the edits make."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.errors import EditConflict, UsageError
from sources.lists.checks.findings import Edit
from sources.lists.checks.list_text import ListText
from sources.lists.edits.edits import Change, apply_edits, diff_text, hunks_of, without_conflicts
from sources.lists.edits.spans import addresses_in, spans_of, with_https, with_present_resolver
from sources.lists.reading import parse_reading_list
from tests.matrices import for_each


def edit(start, end, replacement):
    return Edit(start=start, end=end, replacement=replacement)


def change(*edits, code="http-address"):
    return Change(code=code, line=1, message="", edits=edits)


def test_edits_that_touch_are_made_and_those_that_overlap_refused():
    assert apply_edits("abcdef", [edit(3, 4, "X"), edit(1, 3, "")]) == "aXef"
    with pytest.raises(EditConflict):
        apply_edits("abcdef", [edit(1, 3, ""), edit(2, 4, "x")])
    with pytest.raises(EditConflict):
        apply_edits("abc", [edit(2, 9, "")])
    first, overlapping, idle = change(edit(1, 3, "")), change(edit(2, 4, "x")), change(edit(5, 6, "f"))
    assert without_conflicts("abcdef", [first, overlapping, idle]) == ([first], [overlapping])


LINES = st.lists(st.text(st.sampled_from("ab*\t "), max_size=4), min_size=1, max_size=30)
ENDS = st.sampled_from(["\n", "\r\n"])


@st.composite
def texts_and_edits(draw):
    end = draw(ENDS)
    text = end.join(draw(LINES)) + draw(st.sampled_from(["", end])) or "a"
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8, unique=True)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    replacements = draw(st.lists(st.sampled_from(["", "x", "y\nz", "\n"]), min_size=len(pairs), max_size=len(pairs)))
    return text, [edit(*pair, new) for pair, new in zip(pairs, replacements, strict=True)]


@pytest.mark.slow
@given(texts_and_edits())
def test_the_patch_makes_what_the_edits_make_and_undoes_it(tmp_path_factory, case):
    text, edits = case
    new = apply_edits(text, edits)
    patch = diff_text("list.md", hunks_of(text, [change(item) for item in edits]))
    assert (patch == "") == (new == text)
    if not patch or not new:
        return
    folder = tmp_path_factory.mktemp("patch")
    file = folder / "list.md"
    file.write_bytes(text.encode())
    (folder / "patch").write_bytes(patch.encode())
    command = ["git", "apply", "--whitespace=nowarn", "--unsafe-paths", "patch"]
    subprocess.run(command, cwd=folder, check=True)
    assert file.read_bytes() == new.encode()
    subprocess.run([*command[:2], "--reverse", *command[2:]], cwd=folder, check=True)
    assert file.read_bytes() == text.encode()


@pytest.mark.parametrize("name", ['q"\\ a.md', "Größe\t表.md", "a\udcff.md"])
def test_git_applies_a_patch_to_a_list_of_any_name(tmp_path, name):
    (tmp_path / name).write_text("one\n")
    patch = diff_text(name, hunks_of("one\n", [change(Edit(start=0, end=3, replacement="two"))]))
    subprocess.run(["git", "apply"], cwd=tmp_path, input=patch.encode(), check=True)
    assert (tmp_path / name).read_text() == "two\n"


def test_a_name_with_line_feeds_brings_no_headers_into_a_patch():
    hunks = hunks_of("one\n", [change(Edit(start=0, end=3, replacement="two"))])
    for control in "\n\r\x00\x1b\x7f":
        with pytest.raises(UsageError, match="control characters"):
            diff_text(f"list.md{control}+++ b/other.md", hunks)


def test_a_hunk_says_what_is_changed_in_it():
    text = "one\n\ntwo\n" + "x\n" * 20 + "three"
    hunks = hunks_of(text, [change(edit(0, 1, "O"), code="a"), change(edit(len(text), len(text), "!"), code="b")])
    assert [(hunk.header, [item.code for item in hunk.changes]) for hunk in hunks] == [
        ("@@ -1,4 +1,4 @@ a", ["a"]),
        ("@@ -21,4 +21,4 @@ b", ["b"]),
    ]
    assert hunks[1].lines[-2:] == (
        "-three\n\\ No newline at end of file\n",
        "+three!\n\\ No newline at end of file\n",
    )


@for_each(
    ("text", "found"),
    [
        ("[a [b] c](http://x.org/a_(b)) d", "http://x.org/a_(b)"),
        ("[a](<http://x.org/a b>)", "http://x.org/a b"),
        ('<a href="http://x.org">x</a>', "http://x.org"),
        ("see http://x.org/a. Then", "http://x.org/a"),
        ("[t]() and `[c](http://x.org)`", ""),  # empty, and code
    ],
)
def test_addresses_are_found_where_they_stand(text, found):
    spans = addresses_in(text)
    assert [span.url for span in spans] == [found]
    assert all(text[span.start : span.end] == span.url for span in spans)


def test_present_forms_of_addresses():
    assert with_https("http://arxiv.org/abs/1706.03762") == "https://arxiv.org/abs/1706.03762"
    assert with_https("http://www.jmlr.org/a") == "https://www.jmlr.org/a"
    others = ("http://example.org/a", "https://arxiv.org/abs/1", "http://arxiv.org:8080/abs/1", "http://me@arxiv.org/")
    assert [with_https(other) for other in others] == [None] * 4
    assert with_present_resolver("http://dx.doi.org/10.1145/1") == "https://doi.org/10.1145/1"
    assert with_present_resolver("http://dx.doi.org/help") is None
    assert with_present_resolver("https://doi.org/10.1145/1") is None


def test_a_field_that_stands_twice_has_no_place():
    text = "* [Learning to Learn](http://arxiv.org/abs/1706.03762), see also Learning to Learn, NIPS 2016, 2016\n"
    spans = spans_of(ListText(text), parse_reading_list(text).mentions[0])
    assert spans.title is None
    assert len(spans.years) == 2
