"""Identifiers that stand in the text itself: arXiv:1904.10631, doi:10.1145/..., PMID: 34265844."""

from __future__ import annotations

import re

from sources.bibliography.identifiers import ArxivId, Doi, Identifier
from sources.errors import IdentifierError
from sources.reading_list.links.url_identifiers import Carried
from sources.records import Finding

_ADDRESS = re.compile(r"(?:https?|ftp)://\S+|\]\([^)\s]*\)")
_ARXIV = re.compile(
    r"\barxiv\s*(?:preprint\s*)?(?:[:：/#]|id:?|\[|\()?\s*(?:arxiv\s*:\s*)?(?:abs/)?(\d{4}\.\d{3,6}(?:v\d+)?|"
    r"[a-z-]+(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?)(?![\d/])",
    re.IGNORECASE,
)
_DOI = re.compile(r"(?<![\w/.])(?:doi\s*[:：]?\s*)?(10\.\d{4,9}/[^\s\"<>\]}，。；]+)", re.IGNORECASE)
_PMID = re.compile(r"\bPMID\s*[:：]?\s*(\d{5,9})\b", re.IGNORECASE)
_PMCID = re.compile(r"\b(?:PMCID\s*[:：]?\s*)?PMC(\d{4,9})\b", re.IGNORECASE)


def carried_by_text(text: str) -> Carried:
    """Returns the identifiers that `text` names outside its links, and those it names wrongly."""
    lowered = text.lower()
    if not ("arxiv" in lowered or "10." in text or "pmid" in lowered or "pmc" in lowered):
        return Carried()
    bare = _ADDRESS.sub(" ", text)
    found: list[Identifier] = []
    findings: list[Finding] = []
    version = None
    for match in _ARXIV.finditer(bare):
        try:
            arxiv = ArxivId.parse(match[1])
        except IdentifierError:
            message = "What stands behind arXiv is no arXiv identifier."
            findings.append(Finding(code="malformed-arxiv-id", message=message, value=match[1]))
            continue
        found.append(Identifier("arxiv", arxiv.base))
        version = version or arxiv.version
    for match in _DOI.finditer(bare):
        try:
            found.append(Identifier("doi", Doi.parse(match[1].rstrip("*_`")).value))
        except IdentifierError:
            continue
    found += [Identifier("pmid", match[1]) for match in _PMID.finditer(bare)]
    found += [Identifier("pmcid", match[1]) for match in _PMCID.finditer(bare)]
    return Carried(tuple(found), version, tuple(findings))
