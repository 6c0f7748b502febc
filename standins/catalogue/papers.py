"""A paper as the stand-ins know it: facts where they are known, and steady inventions where the wire needs more.

What is invented (Semantic Scholar's ids, counts that no fact tells, days of a month) is a pure function of the title,
the first author and the arXiv id, so that every run of every machine invents the same. No text is copied: an abstract
that no fact gives is one neutral sentence.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

ARXIV_ID = re.compile(r"\d{4}\.\d{4,5}|[a-z-]+/\d{7}")
ARXIV_DOI = "10.48550/arxiv."
_ACL_DOI = re.compile(r"10\.18653/v1/(?P<acl>[\w.-]+)", re.IGNORECASE)
_NOT_ALNUM = re.compile(r"[^a-z0-9]+")
_FIELDS = {
    "cs": "Computer Science",
    "eess": "Engineering",
    "stat": "Mathematics",
    "math": "Mathematics",
    "q-bio": "Biology",
    "q-fin": "Economics",
    "econ": "Economics",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """Everything either service can say about one paper; None where it would say null or leave it out."""

    title: str
    authors: tuple[str, ...]
    year: int | None
    arxiv_id: str | None
    version: int
    doi: str | None
    sha: str
    corpus_id: int
    acl: str | None
    pmid: str | None
    venue: str | None
    primary_category: str | None
    categories: tuple[str, ...]
    published: str | None
    updated: str | None
    abstract: str | None
    comment: str | None
    journal_ref: str | None
    citation_count: int | None
    influential_citation_count: int | None
    reference_count: int | None
    aliases: tuple[str, ...]
    references: tuple[str, ...] = ()
    retracted: bool = False
    doi_at_arxiv: str | None = None
    preprint_count: int | None = None

    @property
    def field_of_study(self) -> str:
        archive = (self.primary_category or "cs").split(".")[0]
        return _FIELDS.get(archive, "Physics")


def paper_from(facts: Mapping[str, Any]) -> Paper:
    """Returns the paper that `facts` describe: the keys of facts/papers.jsonl or background.parquet, each optional
    but `title`; and version, updated, abstract, comment, journal_ref, acl, pmid, aliases; and, for OpenAlex alone,
    references (arXiv ids, DOIs or OpenAlex ids of papers that it cites), retracted, and preprint_count: the citations
    of a preprint that is a work of its own beside the published paper; for
    arXiv alone, doi_at_arxiv.

    Raises:
        ValueError: The arXiv id has another form, or a version.
    """
    if facts.get("arxiv_id") and not ARXIV_ID.fullmatch(facts["arxiv_id"]):
        raise ValueError(f"not the base of an arXiv id: {facts['arxiv_id']!r}")
    title, authors = str(facts["title"]), tuple(facts.get("authors") or ())
    doi = facts.get("doi") or None
    primary = facts.get("primary_category")
    sha = facts.get("s2_paper_id") or invented_sha(title, authors, facts.get("arxiv_id") or doi)
    counts = _counts(facts, sha)
    return Paper(
        title=title,
        authors=authors,
        year=_number(facts.get("year")),
        arxiv_id=facts.get("arxiv_id"),
        version=int(facts.get("version") or 1 + steady(sha, "version") % 4),
        doi=doi,
        sha=sha,
        corpus_id=int(facts.get("corpus_id") or 10**9 + steady(sha, "corpus") % 10**13),
        acl=facts.get("acl") or _acl_of(doi),
        pmid=facts.get("pmid"),
        venue=facts.get("venue"),
        primary_category=primary,
        categories=tuple(facts.get("categories") or ((primary,) if primary else ())),
        published=facts.get("published") or _published(facts, sha),
        updated=facts.get("updated"),
        abstract=facts.get("abstract"),
        comment=facts.get("comment"),
        journal_ref=facts.get("journal_ref"),
        citation_count=counts[0],
        influential_citation_count=counts[1],
        reference_count=counts[2],
        aliases=tuple(facts.get("aliases") or ()),
        references=tuple(facts.get("references") or ()),
        retracted=bool(facts.get("retracted")),
        doi_at_arxiv=facts.get("doi_at_arxiv"),
        preprint_count=_number(facts.get("preprint_count")),
    )


def title_key(title: str) -> str:
    """Returns the title's letters and digits alone, in lower case without accents: equal for the same title."""
    if title.isascii():
        return _NOT_ALNUM.sub("", title.lower())
    plain = unicodedata.normalize("NFKD", title).casefold()
    return "".join(c for c in plain if c.isalnum())


def last_names(authors: Iterable[str]) -> frozenset[str]:
    """Returns the authors' last words, in lower case without accents."""
    return frozenset(title_key(name.split()[-1]) for name in authors if name.strip())


def same_work(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Returns whether two sets of facts with the same title are of one work: the same arXiv id where both tell one,
    else an author in common; facts without authors contradict nobody.
    """
    if one.get("arxiv_id") and other.get("arxiv_id"):
        return bool(one["arxiv_id"] == other["arxiv_id"])
    names, theirs = last_names(one.get("authors") or ()), last_names(other.get("authors") or ())
    return not names or not theirs or bool(names & theirs)


def title_hash(title: str) -> int:
    """Returns a number that is equal for equal title keys, small enough for an index."""
    return int.from_bytes(hashlib.sha1(title_key(title).encode()).digest()[:7])


def invented_sha(title: str, authors: tuple[str, ...], identifier: str | None) -> str:
    """Returns the 40 hexadecimal digits that stand for the paper where no fact tells Semantic Scholar's own."""
    first = authors[0].split()[-1] if authors and authors[0].strip() else ""
    return hashlib.sha1(f"{title_key(title)}|{title_key(first)}|{identifier or ''}".encode()).hexdigest()


def _counts(facts: Mapping[str, Any], sha: str) -> tuple[int | None, int | None, int | None]:
    """Counts that the facts leave out are invented; a count that they give as None is not told on the wire either."""
    count = _number(facts.get("citation_count", int(10 ** (3 * (steady(sha, "cited") % 1000) / 1000)) - 1))
    influential = _number(facts.get("influential_citation_count", None if count is None else count // 12))
    return count, influential, _number(facts.get("reference_count", 5 + steady(sha, "refs") % 60))


def _published(facts: Mapping[str, Any], sha: str) -> str | None:
    arxiv_id = facts.get("arxiv_id")
    if not arxiv_id:
        return None
    digits = str(arxiv_id).rsplit("/", maxsplit=1)[-1][:4]
    century = "19" if "/" in str(arxiv_id) and digits > "50" else "20"
    return f"{century}{digits[:2]}-{digits[2:]}-{1 + steady(sha, 'day') % 28:02d}"


def _acl_of(doi: str | None) -> str | None:
    match = _ACL_DOI.fullmatch(doi or "")
    return match["acl"].upper() if match else None


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


def steady(sha: str, purpose: str) -> int:
    """Returns a large number that is the same for the same paper and purpose on every machine."""
    return int.from_bytes(hashlib.sha1(f"{sha}{purpose}".encode()).digest()[:7])
