"""The identifiers that an address carries, host by host, and those that stand in the text: arXiv:1904.10631, doi:...

Only the host says what a number in an address means.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import unquote

from sources.bibliography.identifiers import ArxivId, Doi, Identifier, Scheme, parse_identifier
from sources.errors import IdentifierError
from sources.records import Finding


class Address(NamedTuple):
    """An address in parts. `host` is lower case without `www.`; `path` is decoded and starts with `/`, or is empty."""

    url: str
    scheme: str
    host: str
    path: str
    query: str

    @property
    def is_web(self) -> bool:
        """Returns whether the address leads out of the list: it names a host."""
        return bool(self.host)


class Carried(NamedTuple):
    """What an address carries: sound identifiers, the arXiv version beside one, and what is broken in it."""

    identifiers: tuple[Identifier, ...] = ()
    version: int | None = None
    findings: tuple[Finding, ...] = ()


_NOTHING = Carried()
_ADDRESS = re.compile(r"\s*(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?://)?([^/?#\s]*)([^?#]*)(\?[^#]*)?")
_BARE_HOST = re.compile(r"(?:www\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:[a-z]{2,4})", re.IGNORECASE)
_FILE_ENDINGS = ("md", "pdf", "html", "htm", "txt", "png", "jpg", "py", "ipynb", "rst", "doc", "docx", "ppt")

_ARXIV_NEW = re.compile(r"(?<![\d.])(\d{4}\.\d{4,5}(?:v\d+)?)(?=$|[^\dv]|v(?!\d))", re.IGNORECASE)
_ARXIV_OLD = re.compile(r"(?<![a-z-])([a-z]+(?:-[a-z]+)?(?:\.[a-z]{2})?/\d{7}(?:v\d+)?)(?!\d)", re.IGNORECASE)
_ARXIV_HOSTS = ("arxiv.org", "lanl.gov", "ar5iv.org", "alphaxiv.org", "arxiv-vanity.com", "arxivxplorer.com")
_ARXIV_DOMAINS = tuple("." + host for host in _ARXIV_HOSTS)
_ARXIV_PAGES = re.compile(r"/(?:abs|pdf|html|ps|format|e-print|src|papers|overview|ftp/arxiv/papers)\b", re.IGNORECASE)
_ARXIV_MIRRORS = {
    "huggingface.co": "/papers/",
    "scirate.com": "/arxiv/",
    "papers.cool": "/arxiv/",
    "semanticscholar.org": "/arxiv/",
    "api.semanticscholar.org": "/arxiv:",
    "emergentmind.com": "/papers/",
    "paperswithcode.com": "/paper/arxiv",
    "hf.co": "/papers/",
}
# Signs of a publisher's old form, `10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2`.
_SICI_SIGN = r"<[^\s<>\"]*>|&(?:lt|gt|amp);|(?<=;2-)#"
_DOI = re.compile(rf"10\.\d{{4,9}}(?:\.\d+)*/(?:[^\s?#&\"<>]|{_SICI_SIGN})+", re.IGNORECASE)
_DOI_PAGE = re.compile(
    r"(?:/(?:abstract|full|fulltext|pdf|epdf|pdfdirect|meta|html|summary|references|issuetoc|asset/.*)|"
    r"(?:\.full)?(?:\.pdf|\.abstract|\.full|\.full-text|\.html?))+/?$",
    re.IGNORECASE,
)
_PREPRINT_VERSION = re.compile(r"^(10\.(?:1101|64898)/\d.*?)v\d+$")
_CITESEERX = re.compile(r"\bdoi=(10\.1\.1\.[\d.]+)")
_ACL = re.compile(r"(?:^|/)([A-Z]\d{2}-\d{4}|\d{4}\.[a-z0-9_]+-[a-z0-9_]+\.\d+)(?=$|[/.?v])")
_ACL_HOSTS = (
    "aclanthology.org",
    "aclweb.org",
    "acl.ldc.upenn.edu",
    "aclanthology.info",
    "aclanthology.coli.uni-saarland.de",
)
_OPENREVIEW = re.compile(r"[?&]id=([A-Za-z0-9_-]{6,24})")
_S2 = re.compile(r"/([0-9a-f]{40})\b")
_CORPUS = re.compile(r"corpusid:(\d+)", re.IGNORECASE)
_PMID = re.compile(r"(?:/pubmed|/MED|^)/(\d{5,9})/?$", re.IGNORECASE)
_PMCID = re.compile(r"/PMC(\d{4,9})\b", re.IGNORECASE)
_MAG = re.compile(r"/paper/(\d{6,})")
_DBLP = re.compile(r"/rec/(?:html/|bibtex/)?((?:conf|journals|phd|books|reference)/[^/]+/[^/.]+)")


def split_address(url: str) -> Address:
    """Returns `url` in parts. An address without a scheme counts as one when it starts with a host name."""
    match = _ADDRESS.match(url)
    if match is None:
        return Address(url, "", "", url, "")
    scheme, host, path, query = (match[1] or "").lower(), match[2], match[3], match[4] or ""
    if not scheme and not url.lstrip().startswith("//") and not _is_host(host, path):
        return Address(url, "", "", unquote(url.split("?", maxsplit=1)[0]), query)
    if scheme and scheme not in ("http", "https", "ftp"):
        return Address(url, scheme, "", url, query)
    host = host.rsplit("@", 1)[-1].split(":", 1)[0].lower().rstrip(".")
    return Address(url, scheme, host.removeprefix("www."), unquote(path) if "%" in path else path, query)


def carried_by(address: Address) -> Carried:
    """Returns the identifiers that `address` carries, and what is broken in it."""
    host = address.host
    if not host:
        return _NOTHING
    if _is_arxiv(address):
        return _arxiv(address)
    reader = _READERS.get(host)
    if reader is not None and (carried := reader(address)) is not _NOTHING:
        return carried
    return _doi(address)


def arxiv_in(text: str) -> str | None:
    """Returns the first stretch of `text` that has the form of an arXiv identifier, sound or not."""
    match = _ARXIV_NEW.search(text) or _ARXIV_OLD.search(text)
    return match[1] if match else None


def _is_host(host: str, path: str) -> bool:
    if not _BARE_HOST.fullmatch(host):
        return False
    ending = host.rsplit(".", 1)[-1].lower()
    return (bool(path) and ending not in _FILE_ENDINGS) or host.lower().startswith("www.")


def _is_arxiv(address: Address) -> bool:
    if address.host in _ARXIV_HOSTS or address.host.endswith(_ARXIV_DOMAINS):
        return not address.host.startswith(("info.", "blog."))
    prefix = _ARXIV_MIRRORS.get(address.host)
    return prefix is not None and address.path.lower().startswith(prefix)


def _arxiv(address: Address) -> Carried:
    page = _ARXIV_PAGES.match(address.path)
    found = arxiv_in(address.path) or (arxiv_in(address.query) if address.query else None)
    if found is None:
        return _malformed_arxiv(address, address.path.strip("/")) if page else _NOTHING
    try:
        arxiv = ArxivId.parse(found)
    except IdentifierError:
        return _malformed_arxiv(address, found)
    return Carried((Identifier("arxiv", arxiv.base),), arxiv.version)


def _malformed_arxiv(address: Address, value: str) -> Carried:
    message = f"The arXiv address {address.url} holds no arXiv identifier."
    return Carried(findings=(Finding(code="malformed-arxiv-id", message=message, value=value),))


def _doi(address: Address) -> Carried:
    whole = address.path + unquote(address.query)
    if "10." not in whole:
        return _malformed_doi(address) if address.host.endswith("doi.org") else _NOTHING
    if "citeseer" in address.host and (match := _CITESEERX.search(whole)):
        message = "A CiteSeerX number looks like a DOI and is none."
        return Carried(findings=(Finding(code="citeseerx-number", message=message, value=match[1]),))
    match = _DOI.search(whole)
    if match is None:
        return _malformed_doi(address) if address.host.endswith("doi.org") else _NOTHING
    return _doi_from(match[0])


def _doi_from(text: str) -> Carried:
    bare = _DOI_PAGE.sub("", text)
    if version := _PREPRINT_VERSION.match(bare):
        bare = version[1]
    try:
        doi = Doi.parse(bare.rstrip("/"))
    except IdentifierError:
        return _NOTHING
    if doi.value.startswith("10.5555/"):
        message = "DOIs under 10.5555 are not registered; the publisher uses them as page numbers."
        return Carried(findings=(Finding(code="unregistered-doi", message=message, value=doi.value),))
    if arxiv := doi.arxiv_id:
        return Carried((Identifier("arxiv", arxiv.base), Identifier("doi", doi.value)), arxiv.version)
    return Carried((Identifier("doi", doi.value),))


def _malformed_doi(address: Address) -> Carried:
    message = f"The address {address.url} holds no DOI."
    return Carried(findings=(Finding(code="malformed-doi", message=message, value=address.path.strip("/")),))


def _single_identifier(scheme: Scheme, pattern: re.Pattern[str], where: str = "path") -> Callable[[Address], Carried]:
    def read(address: Address) -> Carried:
        match = pattern.search(getattr(address, where))
        try:
            return Carried((parse_identifier(scheme, match[1]),)) if match else _NOTHING
        except IdentifierError:
            return _NOTHING

    return read


def _either(*readers: Callable[[Address], Carried]) -> Callable[[Address], Carried]:
    def read(address: Address) -> Carried:
        return next((found for reader in readers if (found := reader(address)) is not _NOTHING), _NOTHING)

    return read


_PUBMED = _either(_single_identifier("pmcid", _PMCID), _single_identifier("pmid", _PMID))
_READERS: dict[str, Callable[[Address], Carried]] = {
    **dict.fromkeys((*_ACL_HOSTS, "anthology.aclweb.org"), _single_identifier("acl", _ACL)),
    "openreview.net": _single_identifier("openreview", _OPENREVIEW, "query"),
    "semanticscholar.org": _single_identifier("s2", _S2),
    "api.semanticscholar.org": _either(_single_identifier("corpus", _CORPUS), _single_identifier("s2", _S2)),
    **dict.fromkeys(("ncbi.nlm.nih.gov", "pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov", "europepmc.org"), _PUBMED),
    "academic.microsoft.com": _single_identifier("mag", _MAG),
    "dblp.org": _single_identifier("dblp", _DBLP),
    "dblp.uni-trier.de": _single_identifier("dblp", _DBLP),
}


_IN_ADDRESS = re.compile(r"(?:https?|ftp)://\S+|\]\([^)\s]*\)")
_ARXIV_IN_TEXT = re.compile(
    r"\barxiv\s*(?:preprint\s*)?(?:[:：/#]|id:?|\[|\()?\s*(?:arxiv\s*:\s*)?(?:abs/)?(\d{4}\.\d{3,6}(?:v\d+)?|"
    r"[a-z-]+(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?)(?![\d/])",
    re.IGNORECASE,
)
_ARXIV_FILE = re.compile(r"(?<![\w./-])(\d{4}\.\d{4,5}(?:v\d+)?)\.pdf\b", re.IGNORECASE)
_DOI_IN_TEXT = re.compile(
    rf"(?<![\w/.])(?:doi\s*[:：]?\s*)?(10\.\d{{4,9}}/(?:[^\s\"<>\]}}，。；]|{_SICI_SIGN})+)", re.IGNORECASE
)
_PMID_IN_TEXT = re.compile(r"\bPMID\s*[:：]?\s*(\d{5,9})\b", re.IGNORECASE)
_PMCID_IN_TEXT = re.compile(r"\b(?:PMCID\s*[:：]?\s*)?PMC(\d{4,9})\b", re.IGNORECASE)


def carried_by_text(text: str) -> Carried:
    """Returns the identifiers that `text` names outside its links, and those it names wrongly."""
    if "arxiv" not in text.lower() and not _may_state(text):
        return Carried()
    bare = _IN_ADDRESS.sub(" ", text)
    found: list[Identifier] = []
    findings: list[Finding] = []
    version = None
    for match in _ARXIV_IN_TEXT.finditer(bare):
        try:
            arxiv = ArxivId.parse(match[1])
        except IdentifierError:
            message = "What stands behind arXiv is no arXiv identifier."
            findings.append(Finding(code="malformed-arxiv-id", message=message, value=match[1]))
            continue
        found.append(Identifier("arxiv", arxiv.base))
        version = version or arxiv.version
    found += [stated.identifier for stated in stated_identifiers(bare)]
    return Carried(tuple(found), version, tuple(findings))


class Stated(NamedTuple):
    """An identifier that stands in a text, and the stretch that it takes with the name of its scheme before it."""

    start: int
    end: int
    identifier: Identifier


def stated_identifiers(text: str) -> list[Stated]:
    """Returns the identifiers in `text` that are no part of its words, in order: all but those of arXiv's own form.

    "arXiv:1904.10631" also tells where the paper is, so it stays in the words, as a venue does.
    """
    if not _may_state(text):
        return []
    found = []
    for match in _DOI_IN_TEXT.finditer(text):
        written = match[1].rstrip("*_`")
        try:
            doi = Doi.parse(written).value
        except IdentifierError:
            continue
        length = len(doi) if written.lower().startswith(doi) else len(written)
        found.append(Stated(match.start(), match.start(1) + length, Identifier("doi", doi)))
    for match in _ARXIV_FILE.finditer(text):
        with suppress(IdentifierError):
            found.append(Stated(*match.span(), Identifier("arxiv", ArxivId.parse(match[1]).base)))
    found += [Stated(*match.span(), Identifier("pmid", match[1])) for match in _PMID_IN_TEXT.finditer(text)]
    found += [Stated(*match.span(), Identifier("pmcid", match[1])) for match in _PMCID_IN_TEXT.finditer(text)]
    return sorted(found)


def _may_state(text: str) -> bool:
    """Returns whether `text` has a sign of an identifier: this costs less than to search for all of them."""
    return "10." in text or any(map(text.lower().__contains__, ("pmid", "pmc", ".pdf")))
