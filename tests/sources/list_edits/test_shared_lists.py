"""Over whole lists, with every kind of fault claimed of every entry: nothing changes but what an edit says.

The lists are those of this repository and, where they are beside the checkout, shared ones.
`python -m tests.sources.list_edits.test_shared_lists` prints the figures of docs/accuracy.md, of all of these.
"""

from __future__ import annotations

import difflib
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sources.lists.checks.findings import CODES, CheckedEntry, Edit, ListFinding, PaperFacts, Publication
from sources.lists.edits.annotations import aligned_changes
from sources.lists.edits.edits import Change, apply_edits, diff_text, edits_of, hunks_of, in_order
from sources.lists.edits.fixes import FIXES, changes_of
from sources.lists.edits.sound import SURE, settled_changes
from sources.lists.local_files import decode_list
from sources.lists.reading import parse_reading_list
from sources.records import Mention
from tests.matrices import first_each_push

TESTS = Path(__file__).resolve().parents[2]
OWN = sorted([*TESTS.glob("lists/*-*.md"), *TESTS.glob("fixtures/*/*.md")], key=lambda path: path.name[::-1])
SHARED = TESTS.parents[1] / "shared"
LABELLED = sorted([*SHARED.glob("lists/*.txt"), *SHARED.glob("practice/*.md")])
CORPUS = sorted(SHARED.glob("corpus/positive/*"))
LISTS = [path for path in (*LABELLED, *CORPUS) if path.name != "README.md"]
SAMPLE = [path for path in (*LABELLED[::5], *CORPUS[::48]) if path.name != "README.md"]

FIELDS = ("title", "name", "authors", "year", "venue", "url", "identifiers", "notes", "struck")


def claimed(mention: Mention, number: int) -> tuple[PaperFacts, list[ListFinding]]:
    """A paper that is published and has an address, of every third a word less a letter; and what is found of it."""
    words = (mention.title or "A Paper without a Title").split()
    at = next((at for at, word in enumerate(words) if len(word) > 7 and word.isascii() and word.isalpha()), None)
    if at is not None and number % 3 == 0:
        words[at] = words[at][:4] + words[at][5:]
    published = (Publication(source="dblp", venue=mention.venue or "NeurIPS", year=mention.year or 2019),)
    known = {"authors": mention.authors, "year": mention.year or 2019, "publications": published}
    arxiv_id = mention.arxiv_id or f"1901.{number % 100000:05}"
    paper = PaperFacts(paper_id=f"p{number}", title=" ".join(words), arxiv_id=arxiv_id, **known)
    codes = ["title-misspelt", "published-version", "missing-link"]
    codes += ["dead-link"] if number % 5 == 0 and mention.url and not mention.identifiers else []
    message = f"The link {mention.url} leads nowhere."
    lines = {"line": mention.line, "last_line": mention.last_line}
    return paper, [ListFinding(code=code, level=CODES[code].level, message=message, **lines) for code in codes]


def try_list(text: str) -> Counter[str]:
    """Mends a list and holds the result against it; returns how many changes of each kind were made.

    Raises:
        AssertionError: Something else changed, a second run finds something, or the patch does not fit.
    """
    mentions = parse_reading_list(text).mentions
    claims = {paper.paper_id: (paper, found) for paper, found in map(claimed, mentions, range(len(mentions)))}

    def mend(current: str, entries: Sequence[CheckedEntry]) -> list[Change]:
        found = [replace(item, line=each.mention.line) for each in entries for item in claims[each.paper.paper_id][1]]
        return changes_of(current, entries, found)[0]

    papers = (paper for paper, _ in claims.values())
    entries = [CheckedEntry(mention=m, paper=paper, unasked=False) for m, paper in zip(mentions, papers, strict=True)]
    changes = aligned_changes(text, settled_changes(text, entries, mend))
    new = apply_edits(text, edits_of(changes))
    touched = {line for change in changes for edit in change.edits for line in lines_of(text, edit)}
    hold_difference(text, new, changes, touched)
    again, after = [], list(parse_reading_list(new).mentions)
    for entry in entries:
        mention = entry.mention
        is_touched = not touched.isdisjoint(range(mention.last_line - mention.text.count("\n"), mention.last_line + 1))
        if not is_touched and (mention.confidence or 0) < SURE and (not after or after[0].title != mention.title):
            continue  # a doubtful entry may be one no more
        read = after.pop(0)
        assert is_touched or [getattr(read, name) for name in FIELDS] == [getattr(mention, name) for name in FIELDS]
        again.append(replace(entry, mention=read))
    assert not after
    assert [(change.code, change.line, change.message) for change in mend(new, again)] == []
    hold_patch(text, new, changes)
    return Counter(change.code for change in changes)


def lines_of(text: str, edit: Edit) -> range:
    first = text.count("\n", 0, edit.start) + 1
    return range(first, first + text.count("\n", edit.start, edit.end) + 1)


def hold_difference(text: str, new: str, changes: list[Change], edited: set[int]) -> None:
    """Asserts, by a comparison that knows no edits, that nothing differs outside of the lines that are edited."""
    before, after = (part.split("\n") for part in (text, new))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, last, _, _ in matcher.get_opcodes():
        if tag == "insert":  # behind the line that it was added to
            assert edited & {first, first + 1}
        elif tag != "equal":
            assert edited.issuperset(range(first + 1, last + 1))
    edits = in_order(text, edits_of(changes))
    removed = sum(edit.end - edit.start for edit in edits)
    assert len(new) - len(text) == sum(len(edit.replacement) for edit in edits) - removed


def hold_patch(text: str, new: str, changes: list[Change]) -> None:
    """Asserts that git makes the new list of the old one by the patch, and the old one of the new."""
    patch = diff_text("list.md", hunks_of(text, changes))
    assert bool(patch) == (text != new)
    if not patch:
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "list.md")
        file.write_bytes(text.encode())
        Path(folder, "patch").write_bytes(patch.encode())
        for options, expected in ((["--whitespace=nowarn"], new), (["--whitespace=nowarn", "--reverse"], text)):
            subprocess.run(["git", "apply", *options, "patch"], cwd=folder, check=True)
            assert file.read_bytes() == expected.encode()


@pytest.mark.parametrize(
    "path",
    [*first_each_push(OWN, count=12), *(pytest.param(path, marks=pytest.mark.slow) for path in SAMPLE)],
    ids=lambda path: path.name,
)
def test_only_what_an_edit_says_changes_in_a_list_and_a_second_run_changes_nothing(path):
    try_list(decode_list(path.read_bytes(), name=path.name))


def main() -> None:
    total: Counter[str] = Counter()
    failed = 0
    for path in LISTS[int(sys.argv[1]) :: int(sys.argv[2])] if len(sys.argv) > 2 else LISTS:
        try:
            found = try_list(decode_list(path.read_bytes(), name=path.name))
        except (AssertionError, ValueError, subprocess.CalledProcessError) as error:
            failed += 1
            sys.stdout.write(f"{path.name}: {type(error).__name__}: {str(error)[:600]}\n")
            continue
        total += found
        total["lists"] += 1
        sys.stdout.write(f"{path.name}: {sum(found.values())}\n")
        sys.stdout.flush()
    kinds = ", ".join(f"{code} {total[code]}" for code in FIXES if total[code])
    sys.stdout.write(f"{total['lists']} lists, {failed} failed: {kinds}\n")


if __name__ == "__main__":
    main()
