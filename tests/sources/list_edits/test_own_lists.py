"""Over the lists of this repository, with faults claimed of every entry: what no edit touches is read as before."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sources.lists.checks.findings import CODES, CheckedEntry, ListFinding, PaperFacts, Publication
from sources.lists.edits.annotations import aligned_changes
from sources.lists.edits.edits import Change, apply_edits, edits_of
from sources.lists.edits.fixes import changes_of
from sources.lists.edits.sound import SURE, settled_changes
from sources.lists.reading import parse_reading_list
from sources.records import Mention
from tests.matrices import first_each_push

TESTS = Path(__file__).resolve().parents[2]
OWN = sorted([*TESTS.glob("lists/*-*.md"), *TESTS.glob("fixtures/*/*.md")], key=lambda path: path.name[::-1])
FIELDS = ("title", "name", "authors", "year", "venue", "url", "identifiers", "notes", "struck")


def claimed(mention: Mention, number: int) -> tuple[PaperFacts, list[ListFinding]]:
    """A paper that is published and has an address, of every third a word less a letter; and what is found of it."""
    words = (mention.title or "A Paper without a Title").split()
    at = next((at for at, word in enumerate(words) if len(word) > 7 and word.isascii() and word.isalpha()), None)
    if at is not None and number % 3 == 0:
        words[at] = words[at][:4] + words[at][5:]
    published = (Publication(source="dblp", venue=mention.venue or "NeurIPS", year=mention.year or 2019),)
    known = {"authors": mention.authors, "year": mention.year or 2019, "publications": published}
    paper = PaperFacts(
        paper_id=f"p{number}", title=" ".join(words), arxiv_id=mention.arxiv_id or f"1901.{number:05}", **known
    )
    codes = ["title-misspelt", "published-version", "missing-link"]
    codes += ["dead-link"] if number % 5 == 0 and mention.url and not mention.identifiers else []
    message = f"The link {mention.url} leads nowhere."
    lines = {"line": mention.line, "last_line": mention.last_line}
    return paper, [ListFinding(code=code, level=CODES[code].level, message=message, **lines) for code in codes]


@pytest.mark.parametrize("path", first_each_push(OWN, count=12), ids=lambda path: path.stem)
def test_what_no_edit_touches_is_read_as_before_and_a_second_run_changes_nothing(path):
    text = path.read_text(encoding="utf-8")
    mentions = parse_reading_list(text).mentions
    claims = {paper.paper_id: (paper, found) for paper, found in map(claimed, mentions, range(len(mentions)))}

    def mend(current: str, entries: Sequence[CheckedEntry]) -> list[Change]:
        found = [replace(item, line=each.mention.line) for each in entries for item in claims[each.paper.paper_id][1]]
        return changes_of(current, entries, found)[0]

    entries = [
        CheckedEntry(mention=mention, paper=paper, unasked=False)
        for mention, (paper, _) in zip(mentions, claims.values(), strict=True)
    ]
    changes = aligned_changes(text, settled_changes(text, entries, mend))
    new = apply_edits(text, edits_of(changes))
    touched = {
        line
        for edit in edits_of(changes)
        for line in range(text.count("\n", 0, edit.start) + 1, text.count("\n", 0, edit.end) + 2)
    }
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
