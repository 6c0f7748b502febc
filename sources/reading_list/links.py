"""Address -> what it leads to: a paper, code, a talk, somebody's notes..."""

from __future__ import annotations

import re

from sources.reading_list.addresses import Address
from sources.reading_list.hosts import (
    BLOG,
    COURSE,
    DATA,
    DOCS,
    DOCUMENT,
    DOMAIN_KINDS,
    HOST_KINDS,
    IMAGE,
    NOT_PAPERS,
    PAPER_DOMAINS,
    PAPER_HOSTS,
    PAPER_PATHS,
    PAPER_PLACES,
    SLIDES,
    TALK_PLACES,
    VIDEO,
    Kind,
)

_SIGNS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (BLOG, "blog"),
    (DOCS, "docs"),
    (COURSE, "course"),
    (DATA, "data"),
    (PAPER_PATHS, "paper"),
)
"""What a host or path that is not known by name tells; the first sign decides."""


def kind_of(address: Address) -> Kind:
    """Returns what `address` leads to, as far as host and path tell."""
    if not address.is_web:
        return _local_kind(address)
    host, path = address.host, address.path
    if IMAGE.search(path) or host == "img.shields.io":
        return "image"
    if VIDEO.search(path):
        return "video"
    if (kind := _host_kind(host)) is not None:
        return _kind_within(kind, address)
    if host in PAPER_HOSTS or host.endswith(PAPER_DOMAINS):
        return _kind_on_paper_host(address)
    return _kind_by_path(address)


def _kind_on_paper_host(address: Address) -> Kind:
    """Returns what an address on a host of papers leads to: a paper, unless it is a page about papers."""
    if address.host.endswith("arxiv.org") and address.path.startswith(NOT_PAPERS):
        return "docs"
    return "paper" if len(address.path) > 1 or address.query else "page"


def _local_kind(address: Address) -> Kind:
    path = address.path.lower()
    if address.scheme in ("mailto", "javascript", "data"):
        return "social"
    if IMAGE.search(path):
        return "image"
    return _document_kind(path) or "note"


def _document_kind(path: str) -> Kind | None:
    if SLIDES.search(path):
        return "slides"
    return "pdf" if DOCUMENT.search(path) else None


def _host_kind(host: str) -> Kind | None:
    found = HOST_KINDS.get(host)
    if found is not None:
        return found
    return next((kind for domain, kind in DOMAIN_KINDS if host.endswith(domain)), None)


def _kind_within(kind: Kind, address: Address) -> Kind:
    """Returns `kind`, unless the path says that the host only keeps a file of another kind."""
    path = address.path
    if address.host in ("huggingface.co", "hf.co") and path.startswith("/papers/"):
        return "paper"
    if kind == "code" and "/blob/" in path and path.lower().endswith((".md", ".rst", ".org")):
        return "note"
    if DOCUMENT.search(path) and kind != "social":
        return _document_kind(path) or kind
    return "page" if address.host == "drive.google.com" and path.startswith("/file/") else kind


def _kind_by_path(address: Address) -> Kind:
    """Returns what an address on a host that tells nothing leads to."""
    host, path = address.host, address.path
    if (kind := _document_kind(path)) is not None:
        return kind
    if any(host.endswith(domain) and path.startswith(part) for domain, part in TALK_PLACES):
        return "video"
    if any(host.endswith(domain) and part in path for domain, part in PAPER_PLACES):
        return "paper"
    place = f"/{host}{path}"
    found = next((kind for sign, kind in _SIGNS if sign.search(place)), None)
    return found or ("pdf" if ".pdf" in address.query or ".pdf" in path else "page")
