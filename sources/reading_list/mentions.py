"""Blocks -> mentions."""

from __future__ import annotations

import re

from sources.identifiers import Identifier
from sources.reading_list.document import Block, Document
from sources.reading_list.rich import Rich
from sources.reading_list.spans import Link, links_of
from sources.records import Finding, Mention

_YEAR = re.compile(r"(?<![\d.])((?:19|20)\d\d)(?!\d)")


def mentions_of(document: Document) -> tuple[Mention, ...]:
    """Returns the mentions of `document` in file order."""
    found: list[Mention] = []
    for block in document.blocks:
        for rich in block.cells or (block.rich,):
            found.extend(_of_text(document, block, rich))
    return tuple(found)


def _of_text(document: Document, block: Block, rich: Rich) -> list[Mention]:
    papers: list[tuple[str | None, list[Link]]] = []
    before = 0
    for link in links_of(rich):
        lead = rich.text[before : link.start].strip(" -*[](),.:;\n")
        before = link.end
        if link.kind not in ("paper", "pdf"):
            continue
        title = link.label if link.word == "other" and not link.bare else lead or None
        if title is None and papers:
            papers[-1][1].append(link)
        else:
            papers.append((title, [link]))
    return [_mention(document, block, title, links, rich.line_at(links[0].start)) for title, links in papers]


def _mention(document: Document, block: Block, title: str | None, links: list[Link], line: int) -> Mention:
    identifiers: dict[Identifier, None] = {}
    findings: list[Finding] = []
    for link in links:
        identifiers.update(dict.fromkeys(link.carried.identifiers))
        findings += link.carried.findings
    first = {identifier.scheme: identifier.value for identifier in reversed(identifiers)}
    year = _YEAR.search(title or "")
    return Mention(
        line=line,
        last_line=max(line, block.last_line),
        title=title,
        year=int(year[1]) if year else None,
        url=links[0].url,
        arxiv_id=first.get("arxiv"),
        arxiv_version=next((link.carried.version for link in links if link.carried.version), None),
        doi=first.get("doi"),
        identifiers=tuple(identifiers),
        section=block.section,
        text="\n".join(document.lines[line - 1 : max(line, block.last_line)]),
        findings=tuple(findings),
        reasons=(f"links to {links[0].url}",),
    )
