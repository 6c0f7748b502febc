"""A list as written, with what is known of its papers and what was found in it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sources.list_checks.findings import Entry, ListFinding, PaperFacts
from sources.list_edits.siblings import WrittenEntry, WrittenList
from sources.records import SERVICE_NAMES


@dataclass(frozen=True, eq=False)
class KnownList:
    """A list, what is known of its papers, and what was found in it."""

    written: WrittenList
    entries: Sequence[Entry]
    findings: Sequence[ListFinding]

    def pairs(self) -> Iterator[tuple[WrittenEntry, Entry]]:
        """Yields each entry as written with what is known of its paper."""
        yield from zip(self.written.entries, self.entries, strict=True)

    def found(self, code: str) -> Iterator[tuple[ListFinding, WrittenEntry, Entry]]:
        """Yields the findings of a kind, each with the entry that it is about."""
        for finding in self.findings:
            if finding.code == code:
                for written, entry in self.pairs():
                    if written.mention.line == finding.line:
                        yield finding, written, entry
                        break


def known_by(paper: PaperFacts) -> str:
    """Returns who knows the paper, and as what, as evidence for people."""
    tellers = ", ".join(SERVICE_NAMES.get(source, source) for source in paper.sources)
    year = f" ({paper.year})" if paper.year else ""
    return f"the paper is “{paper.title}”{year}{', as ' + tellers + ' has it' if tellers else ''}"
