"""Decides what a link leads to, from its address and its words."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from typing import Literal, cast

from sources.lists.reading.carried_identifiers import Address

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
    ("science.org", "/doi/"),
    ("sciencemag.org", "/content/"),
)

# Where a host of papers keeps conferences of talks, which no papers go with.
_TALK_PLACES = (("usenix.org", "/conference/srecon"), ("usenix.org", "/conference/enigma"))

# Where arXiv keeps other things than papers.
_NOT_PAPERS = ("/api/", "/oai", "/list/", "/help/", "/search", "/a/", "/archive/", "/rss/", "/year/", "/user")

_PAPER_PATHS = re.compile(
    r"/(?:publications?|pubs?|papers?|preprints?|tech-?reports?|reports|articles?|abstracts?|proceedings|theses|"
    r"thesis)(?:/|$)|"
    r"/(?:eid|record|handle)/|\.(?:academia\.edu|jstor\.org)/",
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
_SIGNS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (_BLOG, "blog"),
    (_DOCS, "docs"),
    (_COURSE, "course"),
    (_DATA, "data"),
    (_PAPER_PATHS, "paper"),
)


def _hosts() -> tuple[dict[str, Kind], tuple[tuple[str, Kind], ...]]:
    """Returns host -> its kind, and the ends of hosts with their kinds, from data/hosts.txt."""
    lines = resources.files("sources.lists.reading").joinpath("data/hosts.txt").read_text("utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    kinds = [(host, cast("Kind", kind)) for kind, *hosts in rows for host in hosts]
    ends = tuple((host[1:], kind) for host, kind in kinds if host.startswith("*"))
    return {host: kind for host, kind in kinds if not host.startswith("*")}, ends


_HOST_KINDS, _END_KINDS = _hosts()


def kind_of(address: Address) -> Kind:
    """Returns what `address` leads to, as far as host and path tell."""
    if not address.is_web:
        return _local_kind(address)
    host, path = address.host, address.path
    if _IMAGE.search(path) or host == "img.shields.io":
        return "image"
    if _VIDEO.search(path):
        return "video"
    kind = _host_kind(host)
    if kind is None:
        return _kind_by_path(address)
    return _kind_on_paper_host(address) if kind == "paper" else _kind_within(kind, address)


def _kind_on_paper_host(address: Address) -> Kind:
    """Returns what an address on a host of papers leads to: a paper, unless it is a page about papers."""
    if address.host.endswith("arxiv.org") and address.path.startswith(_NOT_PAPERS):
        return "docs"
    return "paper" if len(address.path) > 1 or address.query else "page"


def _local_kind(address: Address) -> Kind:
    path = address.path.lower()
    if address.scheme in ("mailto", "javascript", "data"):
        return "social"
    if _IMAGE.search(path):
        return "image"
    return _document_kind(path) or "note"


def _document_kind(path: str) -> Kind | None:
    if _SLIDES.search(path):
        return "slides"
    return "pdf" if _DOCUMENT.search(path) else None


def _host_kind(host: str) -> Kind | None:
    return _HOST_KINDS.get(host) or next((kind for end, kind in _END_KINDS if host.endswith(end)), None)


def _kind_within(kind: Kind, address: Address) -> Kind:
    """Returns `kind`, unless the path says that the host only keeps a file of another kind."""
    path = address.path
    if address.host in ("huggingface.co", "hf.co") and path.startswith("/papers/"):
        return "paper"
    if kind == "code" and "/blob/" in path and path.lower().endswith((".md", ".rst", ".org")):
        return "note"
    if _DOCUMENT.search(path) and kind != "social":
        return _document_kind(path) or kind
    return "page" if address.host == "drive.google.com" and path.startswith("/file/") else kind


def _kind_by_path(address: Address) -> Kind:
    """Returns what an address on a host that tells nothing leads to."""
    host, path = address.host, address.path
    if (kind := _document_kind(path)) is not None:
        return kind
    if any(host.endswith(domain) and path.startswith(part) for domain, part in _TALK_PLACES):
        return "video"
    if any(host.endswith(domain) and part in path for domain, part in _PAPER_PLACES):
        return "paper"
    place = f"/{host}{path}"
    found = next((kind for sign, kind in _SIGNS if sign.search(place)), None)
    return found or ("pdf" if ".pdf" in address.query or ".pdf" in path else "page")


# What the word that a link stands on calls it.
Word = Literal["paper", "code", "talk", "page", "data", "notes", "other"]
_MEANINGS: dict[Word, str] = {
    "paper": """
        paper papers pdf arxiv arvix axriv arxive abs abstract preprint publication article doi acm acmdl ieee
        springer elsevier openreview acl html journal manuscript link links here url download fulltext ps thesis
        techreport report biorxiv ssrn work study nature science sciencedirect wiley jmlr pmlr cvf usenix scholar
        hal pubmed pmc 论文 原文 論文 链接 連結 論文リンク 地址 論文地址 论文地址 论文链接 文章 논문 artículo
        articulo artigo papier статья статьи статью статье статей pdf下载 下载 リンク 링크 enlace lien
        aquí aqui ici hier здесь тут ссылка ссылке ссылку artikel articolo lenke länk prépublication volltext
        texte текст ここ 여기 这里 此处 全文
    """,
    "code": """
        code github repo repository source implementation implementations codes pytorch tensorflow jax tf torch
        keras caffe matlab library package colab notebook gitlab official 代码 源码 コード 코드 código codigo
        код 実装 开源代码 demo demos app tool software
    """,
    "talk": """
        slides slide video videos talk talks lecture lectures presentation youtube keynote poster ppt pptx
        webinar tutorial recording oral spotlight diapositivas transparencias folien transparents diapos diapo
        视频 讲解 幻灯片 スライド 動画 발표 vídeo видео слайды bilibili
    """,
    "page": """
        project page webpage website web site homepage home project-page projectpage blog blogpost post news
        article-blog twitter tweet thread medium wiki wikipedia documentation docs doc 主页 项目主页 项目 官网
        博客 知乎 ブログ 解説 블로그 blog-post reddit press hn discussion
    """,
    "data": """
        data dataset datasets benchmark weights model models checkpoint checkpoints supplementary supplement
        supplemental supp suppl appendix bibtex bib cite citation citations leaderboard hub 数据 数据集 データ
        supplementary-material material huggingface hf errata
    """,
    "notes": """
        notes note summary review annotation annotations comment comments commentary memo reading-notes mynotes
        笔记 阅读笔记 我的笔记 筆記 解读 论文笔记 メモ ノート 要約 まとめ 정리 notas resumen resumo заметки
        konspekt notizen résumé
    """,
}
_WORD_OF = {word: meaning for meaning, words in _MEANINGS.items() for word in words.split()}
_STRONG_ORDER: tuple[Word, ...] = ("notes", "talk", "code", "data", "page", "paper")
_FILLER = frozenset(
    "the a an my our official full short long extended original version to of and & on in for with main link text "
    "read see this that these interesting great nice good recent following same previous related relevant famous "
    "seminal classic semantic "
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
        if word in _FILLER or word.isdigit():
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


# The name of a field of an entry that is laid out as a form: "Authors: ...", "Venue: ..."; a pattern.
FIELD = (
    r"(?:[*_]*(?:authors?|written by|venue|published(?: in| at)?|publication|publisher|conference|journal|year|"
    r"date|作者|"
    r"发表|会议|期刊|年份|时间|"
    r"著者|저자|학회|autor(?:es)?|auteurs?|autoren|авторы?|año|année|jahr|год)\b[*_]*\s*[:：]\s*)"
)

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
