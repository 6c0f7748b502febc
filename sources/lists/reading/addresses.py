"""Decides what an address leads to and which identifiers it carries; only its host says what a number in it means."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from importlib import resources
from typing import Literal, NamedTuple, cast
from urllib.parse import unquote

from sources.bibliography.identifiers import ArxivId, Doi, Identifier, Scheme, parse_identifier
from sources.errors import IdentifierError
from sources.records import Finding

# What an address leads to. `pdf` is a file that may be a paper; `page` is one about which the host tells nothing.
Kind = Literal[
    "paper", "pdf", "page", "code", "video", "slides", "blog", "docs", "course", "data", "social", "note", "image"
]

# Where a host that holds other things too keeps papers.
_PAPER_PLACES = (
    ("microsoft.com", "/research/publication"),
    ("research.google", "/pubs"),
    ("ai.google", "/pubs/"),
    ("research.google.com", "/pubs/"),
    ("usenix.org", "/presentation/"),
    ("usenix.org", "/legacy/"),
    ("usenix.org", "/publications/"),
    ("nature.com", "/articles/"),
    ("nature.com", "/journal/"),
    ("science.org", "/doi/"),
    ("sciencemag.org", "/content/"),
)

# Where a host of papers keeps conferences of talks, which no papers go with.
_TALK_PLACES = (("usenix.org", "/conference/srecon"), ("usenix.org", "/conference/enigma"))

# Where hosts of papers, and where arXiv keeps other things than papers.
_NOT_PAPERS = ("/api/", "/help", "/services", "/about", "/faq")
_NOT_PAPERS_OF_ARXIV = ("/oai", "/list/", "/search", "/a/", "/archive/", "/rss/", "/year/", "/user")

_PAPER_PATHS = re.compile(
    r"/(?:publications?|pubs?|papers?|preprints?|tech-?reports?|reports|articles?|abstracts?|proceedings|theses|"
    r"thesis|etd|article-file)(?:/|$)|"
    r"/(?:eid|record|handle|doi)/|/viewcontent\.cgi|\.(?:academia\.edu|jstor\.org)/|"
    # The repositories of universities, by the names that their programs and libraries give them.
    r"^/(?:eprints?|dspace|digitalcommons|scholarworks|scholarship|repositor(?:y|io|i)|etd|theses|tesis|teses)\.[^/]+/.",
    re.IGNORECASE,
)
_SLIDES = re.compile(
    r"slides?(?:[^a-z]|$)|\.pptx?$|/talks?/|presentation\.pdf|lectures?/|[/_-]lec\d|lecture[-_]?\d", re.IGNORECASE
)
_COURSE = re.compile(
    r"/(?:courses?|classes|class|teaching|syllabus|homeworks?|hw\d?)/|/~?cs\d{3}|/(?:tutorials?|guide)(?:/|$)|"
    r"^/courses?\.",
    re.IGNORECASE,
)
_BLOG = re.compile(r"[./-](?:blogs?|news|posts?|devblogs|engineering)(?:[./-]|$)|/20\d\d/[01]?\d/", re.IGNORECASE)
_DOCS = re.compile(r"[./](?:docs?|documentation|wiki|manual|faq|help|api)(?:[./]|$)", re.IGNORECASE)
_VIDEO = re.compile(r"\.(?:mp4|mov|avi|webm)$|/videos?/", re.IGNORECASE)
_IMAGE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp)$", re.IGNORECASE)
_DOCUMENT = re.compile(r"\.(?:pdf|ps|ps\.gz|ps\.z|djvu|dvi)$", re.IGNORECASE)
_DATA = re.compile(r"\.(?:zip|tar|gz|tgz|csv|json|bib|bibtex|txt|ipynb|py)$", re.IGNORECASE)
# What a host or path that is not known by name tells; the first sign decides.
_SIGNS: dict[re.Pattern[str], Kind] = {
    _BLOG: "blog",
    _DOCS: "docs",
    _COURSE: "course",
    _DATA: "data",
    _PAPER_PATHS: "paper",
}


def words_of_data(name: str) -> dict[str, str]:
    """Returns each word of a file of `data` -> the first word of its line."""
    lines = resources.files("sources.lists.reading").joinpath(f"data/{name}").read_text("utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {word: kind for kind, *words in rows for word in words}


_HOST_KINDS = cast("dict[str, Kind]", words_of_data("hosts.txt"))
_END_KINDS = [(host[1:], kind) for host, kind in _HOST_KINDS.items() if host[0] == "*"]


def kind_of(address: Address) -> Kind:
    """Returns what `address` leads to, as far as host and path tell."""
    host, path = address.host, address.path
    if address.scheme in ("mailto", "javascript", "data"):
        return "social"
    if _IMAGE.search(path) or host == "img.shields.io":
        return "image"
    if not address.is_web:
        return _document_kind(path.lower()) or "note"
    if _VIDEO.search(path):
        return "video"
    kind = _HOST_KINDS.get(host) or next((kind for end, kind in _END_KINDS if host.endswith(end)), None)
    if kind == "paper":
        about_papers = path.startswith(_NOT_PAPERS + _NOT_PAPERS_OF_ARXIV * host.endswith("arxiv.org"))
        return "docs" if about_papers else "paper" if len(path) > 1 or address.query else "page"
    return _kind_by_path(address) if kind is None else _kind_within(kind, address)


def _document_kind(path: str) -> Kind | None:
    if _SLIDES.search(path):
        return "slides"
    return "pdf" if _DOCUMENT.search(path) else None


def _kind_within(kind: Kind, address: Address) -> Kind:
    path = address.path
    if address.host in ("huggingface.co", "hf.co") and path.startswith("/papers/"):
        return "paper"
    if kind == "code" and "/blob/" in path and path.lower().endswith((".md", ".rst", ".org")):
        return "note"
    if _DOCUMENT.search(path) and kind != "social":
        return _document_kind(path) or kind
    return "page" if address.host == "drive.google.com" and path.startswith("/file/") else kind


def _kind_by_path(address: Address) -> Kind:
    host, path = address.host, address.path
    if kind := _document_kind(path):
        return kind
    if any(host.endswith(domain) and path.startswith(part) for domain, part in _TALK_PLACES):
        return "video"
    if any(host.endswith(domain) and part in path for domain, part in _PAPER_PLACES):
        return "paper"
    found = next((kind for sign, kind in _SIGNS.items() if sign.search(f"/{host}{path}")), None)
    return found or ("pdf" if ".pdf" in address.query or ".pdf" in path else "page")


# What the word that a link stands on calls it.
Word = Literal["paper", "code", "talk", "page", "data", "notes", "other"]
_WORD_OF = cast("dict[str, Word]", words_of_data("link_words.txt"))
_STRONG_ORDER: tuple[Word, ...] = ("notes", "talk", "code", "data", "page", "paper")
_FILLER = frozenset(
    "the a an my our their his her its your official full short long extended original version to of and & on in for "
    "with main link read see this that these interesting great nice good recent following same previous related "
    "relevant famous seminal classic semantic english french german spanish italian japanese chinese translation "
    "onze mijn il la lo un una nostra nostro el nuestra nuestro mi notre mon unser unsere mein o nossa nosso "
    "locale lokal "
    "new old v1 v2 v3 online local free only open access camera ready conference published pdf-link 1 2 3 4 5 i "
    "ii".split()
)
_WORDS = re.compile(r"[^\s/|,;:()\[\]{}<>\"'“”‘’.!?+→·•-]+")


@lru_cache(maxsize=8192)
def word_of(label: str) -> Word:
    """Returns what `label`, the text of a link, calls its target; `other` where it is not such a word."""
    words = [word.lower() for word in _WORDS.findall(label)]
    if not words or len(words) > 5:
        return "other"
    meanings: set[Word] = set()
    for word in words:
        if word in _FILLER or word.isdigit() or not any(map(str.isalnum, word)):
            continue
        meaning = _WORD_OF.get(word) or _WORD_OF.get(word.rstrip("s0123456789"))
        if meaning is None:
            return "other"
        meanings.add(meaning)
    return next((meaning for meaning in _STRONG_ORDER if meaning in meanings), "other")


def says_only_link(label: str) -> bool:
    """Returns whether `label` holds nothing but words for a link or what it leads to: "link", "paper (pdf)"."""
    words = [word.lower() for word in _WORDS.findall(label)]
    return bool(words) and all(word in _FILLER or word in _WORD_OF for word in words)


# The names of the fields of an entry that is laid out as a form: "Authors: ...", "Venue: ..."; patterns.
_OF_AUTHORS = (
    r"authors?|written by|作者|著者|저자|autor(?:es)?|auteurs?|autoren|autorzy|autori|autoři|авторы?|författare|"
    r"forfattere?|yazar(?:lar)?"
)
FIELD = (
    r"(?:[*_]*(?:" + _OF_AUTHORS + r"|venue|published(?: in| at)?|publication|publisher|conference|journal|year|"
    r"date|发表|会议|期刊|年份|时间|학회|año|année|jahr|год)\b[*_]*\s*[:：]\s*)"
)
AUTHORS_FIELD = re.compile(r"[\s*_>#•-]*(?:" + _OF_AUTHORS + r")\b[*_]*\s*[:：][*_]*\s*", re.IGNORECASE)

# A line that is a field of the entry above it and no entry of its own.
OTHER_FIELD = re.compile(
    r"[\s*_>#•-]*[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f]*\s*(?:"
    + FIELD
    + r"|[*_]*(?:links?|urls?|pdf|doi|arxiv|code|github|slides?|video|talk|presenter|speaker|led by|notes?|summary|"
    r"abstract|tl;?dr|keywords?|keys?|tags?|topics?|project(?: page)?|website|dataset|bibtex|institutions?|"
    r"affiliations?|organi[sz]ations?|链接|代码|摘要|笔记|"
    r"关键词|机构|单位)[*_]*\s*[:：])",
    re.IGNORECASE,
)


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
_PROXY = re.compile(
    r"([a-z0-9.-]+?[.-](?:org|com|net|edu|gov|info|io|de|fr|uk|eu|co))\.(?:[\w-]*proxy[\w-]*|idm)\.[a-z0-9.-]+$"
)
_FILE_ENDINGS = ("md", "pdf", "html", "htm", "txt", "png", "jpg", "py", "ipynb", "rst", "doc", "docx", "ppt")

_ARXIV_NEW = re.compile(r"(?<![\d.])(\d{4}\.\d{4,5}(?:v\d+)?)(?=$|[^\dv]|v(?!\d))", re.IGNORECASE)
_ARXIV_NAMED = re.compile(r"arxiv[:_. -]?(\d{4}\.\d{4,5}(?:v\d+)?)(?!\d)", re.IGNORECASE)
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
# https://www.nature.com/articles/ID is the page of 10.1038/ID, also in the old form /nature/journal/v5/n7/full/ID.html.
# Journals of societies have stops in their DOIs that the address lacks, hdy201524, and are left out.
_NATURE = re.compile(
    r"/(?:articles|full|abs|pdf)/([sd]\d{5}-\d{3}-\d{4,5}(?:-[\dw-z])?|(?:nature|ncomms|srep)\d{4,5}|n[a-z]{1,5}\d{3,4}|"
    r"[a-z]{2,8}\.\d[\d.]*|\d{6}[a-z]\d?)(?=[./]|$)"
)
# bioRxiv and medRxiv, as their addresses were until 2019: /content/biorxiv/early/2018/01/05/242867.full.pdf.
_EARLY_PREPRINT = re.compile(r"/early/\d{4}/\d\d/\d\d/((?:\d{4}\.\d\d\.\d\d\.)?\d{5,8})(?!\d)")
# What else is the last part of a DOI: elifesciences.org/articles/1234, nber.org/papers/w1234, ssrn.com/abstract=1234.
_ELIFE = re.compile(r"/articles/(\d{5,6})(?!\d)")
_NBER = re.compile(r"/(w\d{1,5})(?=[./]|$)")
_SSRN = re.compile(r"abstract(?:_?id)?=(\d{3,8})(?!\d)", re.IGNORECASE)
_DBLP = re.compile(r"/rec/(?:html/|bibtex/)?((?:conf|journals|phd|books|reference)/[^/]+/[^/.]+)")


def split_address(url: str) -> Address:
    """Returns `url` in parts. An address without a scheme counts as one when it starts with a host name."""
    match = _ADDRESS.match(url)
    if match is None:
        return Address(url, "", "", url, "")
    scheme, host, path, query = (match[1] or "").lower(), match[2], match[3], match[4] or ""
    ending = host.rsplit(".", 1)[-1].lower()
    is_host = (path and ending not in _FILE_ENDINGS) or host.lower().startswith("www.")
    if not scheme and not url.lstrip().startswith("//") and not (is_host and _BARE_HOST.fullmatch(host)):
        return Address(url, "", "", unquote(url.split("?", maxsplit=1)[0]), query)
    if scheme and scheme not in ("http", "https", "ftp"):
        return Address(url, scheme, "", url, query)
    host = host.rsplit("@", 1)[-1].split(":", 1)[0].lower().rstrip(".")
    if ("prox" in host or host.endswith(".oclc.org")) and (proxied := _PROXY.match(host)):
        # A library's proxy hands a host on: dl-acm-org.ezproxy.example.edu, www.jstor.org.ezproxy.x.edu.
        host = proxied[1]
        host = host if "." in host else host.replace("--", "\0").replace("-", ".").replace("\0", "-")
    return Address(url, scheme, host.removeprefix("www."), unquote(path) if "%" in path else path, query)


def carried_by(address: Address) -> Carried:
    """Returns the identifiers that `address` carries, and what is broken in it."""
    host = address.host
    if not host:
        return _NOTHING
    on_arxiv = host.endswith(_ARXIV_DOMAINS) and not host.startswith(("info.", "blog."))
    mirror = _ARXIV_MIRRORS.get(host)
    if host in _ARXIV_HOSTS or on_arxiv or (mirror is not None and address.path.lower().startswith(mirror)):
        return _arxiv(address)
    reader = _READERS.get(host)
    if reader is not None and (carried := reader(address)) is not _NOTHING:
        return carried
    carried = _doi(address)
    named = _ARXIV_NAMED.search(address.path) if carried is _NOTHING else None
    with suppress(IdentifierError):  # a file that says so: [arXiv1603.05027] Identity Mappings.pdf
        arxiv = ArxivId.parse(named[1]) if named else None
        return Carried((Identifier("arxiv", arxiv.base),), arxiv.version) if arxiv else carried
    return carried


_ARCHIVE = re.compile(r"/abs/[a-z-]+", re.IGNORECASE)  # what addresses of the old form begin with, as prose names it


def arxiv_in(text: str) -> str | None:
    """Returns the first stretch of `text` that has the form of an arXiv identifier, sound or not."""
    match = _ARXIV_NEW.search(text) or _ARXIV_OLD.search(text)
    return match[1] if match else None


def _arxiv(address: Address) -> Carried:
    page = _ARXIV_PAGES.match(address.path)
    found = arxiv_in(address.path) or arxiv_in(address.query)
    if found is None and (not page or _ARCHIVE.fullmatch(address.path)):
        return _NOTHING
    try:
        arxiv = ArxivId.parse(found or "")
    except IdentifierError:
        message = f"The arXiv address {address.url} holds no arXiv identifier."
        return _broken("malformed-arxiv-id", message, found or address.path.strip("/"))
    return Carried((Identifier("arxiv", arxiv.base),), arxiv.version)


def _doi(address: Address) -> Carried:
    whole, of_doi = address.path + unquote(address.query), address.host.endswith("doi.org")
    if "citeseer" in address.host and (match := _CITESEERX.search(whole)):
        return _broken("citeseerx-number", "A CiteSeerX number looks like a DOI and is none.", match[1])
    match = _DOI.search(whole) if "10." in whole else None
    if match is None and of_doi:
        return _broken("malformed-doi", f"The address {address.url} holds no DOI.", address.path.strip("/"))
    carried = _doi_from(match[0]) if match else _NOTHING
    return carried if of_doi or not carried.findings else _NOTHING


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
        return _broken("unregistered-doi", message, doi.value)
    if arxiv := doi.arxiv_id:
        return Carried((Identifier("arxiv", arxiv.base), Identifier("doi", doi.value)), arxiv.version)
    return Carried((Identifier("doi", doi.value),))


def _broken(code: str, message: str, value: str) -> Carried:
    return Carried(findings=(Finding(code=code, message=message, value=value),))


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


def _doi_under(prefix: str, pattern: re.Pattern[str]) -> Callable[[Address], Carried]:
    def read(address: Address) -> Carried:
        match = pattern.search(address.path + address.query)
        return Carried((Identifier("doi", f"{prefix}{match[1].rstrip('.')}"),)) if match else _NOTHING

    return read


_PUBMED = _either(_single_identifier("pmcid", _PMCID), _single_identifier("pmid", _PMID))
_READERS: dict[str, Callable[[Address], Carried]] = {
    **dict.fromkeys((*_ACL_HOSTS, "anthology.aclweb.org"), _single_identifier("acl", _ACL)),
    "openreview.net": _single_identifier("openreview", _OPENREVIEW, "query"),
    "semanticscholar.org": _single_identifier("s2", _S2),
    "api.semanticscholar.org": _either(_single_identifier("corpus", _CORPUS), _single_identifier("s2", _S2)),
    **dict.fromkeys(("ncbi.nlm.nih.gov", "pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov", "europepmc.org"), _PUBMED),
    "nature.com": _doi_under("10.1038/", _NATURE),
    **dict.fromkeys(("biorxiv.org", "medrxiv.org"), _doi_under("10.1101/", _EARLY_PREPRINT)),
    "elifesciences.org": _doi_under("10.7554/elife.", _ELIFE),
    "nber.org": _doi_under("10.3386/", _NBER),
    **dict.fromkeys(("ssrn.com", "papers.ssrn.com"), _doi_under("10.2139/ssrn.", _SSRN)),
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
# An identifier of arXiv as a word of its own, with or without the name before it; group 2 is a number of five digits.
_ARXIV_BARE = re.compile(
    r"(?<![\w./:-])(?:arxiv\s?[:：]?\s?)?"
    r"(\d{4}\.(?:\d{4}(?!\d)|(\d{5}))(?:v\d+)?|[a-z-]{4,10}(?:\.[a-z]{2})?/\d{7}(?:v\d+)?)(?![\w/%-]|\.\d)",
    re.IGNORECASE,
)
_NUMBER_OF_ARXIV = re.compile(r"\d\.\d{4}|/\d{7}")
# What may stand on a line before its first word: bullets, boxes, numbers.
_LINE_BEGINS = re.compile(r"(?:[^\w\n]|\[[xX]\]|\d{1,3}[.)]\s)*")
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
    listed = 0  # where the identifiers of arXiv end that a line begins with
    for match in _ARXIV_BARE.finditer(text):
        begin = max(text.rfind("\n", 0, match.start()) + 1, listed)
        first = _LINE_BEGINS.fullmatch(text, begin, match.start()) is not None
        alone = match[1] == match[0] and (match[2] or text[match.end() : match.end() + 1] in (")", "]"))
        if first or alone:  # others stand in brackets or have five digits behind
            listed = match.end() if first else listed
            with suppress(IdentifierError):
                found.append(Stated(*match.span(), Identifier("arxiv", ArxivId.parse(match[1]).base)))
    found += [Stated(*match.span(), Identifier("pmid", match[1])) for match in _PMID_IN_TEXT.finditer(text)]
    found += [Stated(*match.span(), Identifier("pmcid", match[1])) for match in _PMCID_IN_TEXT.finditer(text)]
    return sorted(found)


def _may_state(text: str) -> bool:
    """Returns whether `text` has a sign of an identifier: this costs less than to search for all of them."""
    if "10." in text or any(map(text.lower().__contains__, ("pmid", "pmc"))):
        return True
    return _NUMBER_OF_ARXIV.search(text) is not None and _ARXIV_BARE.search(text) is not None
