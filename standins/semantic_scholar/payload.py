"""Papers -> Semantic Scholar's JSON objects: https://api.semanticscholar.org/api-docs/graph ."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable
from typing import Any

from standins.arxiv.feed import neutral_abstract
from standins.catalogue.papers import ARXIV_DOI, Paper, title_key

_VENUES = {
    "NEURIPS": "Neural Information Processing Systems",
    "ICML": "International Conference on Machine Learning",
    "ICLR": "International Conference on Learning Representations",
    "CVPR": "Computer Vision and Pattern Recognition",
    "ICCV": "IEEE International Conference on Computer Vision",
    "ECCV": "European Conference on Computer Vision",
    "ACL": "Annual Meeting of the Association for Computational Linguistics",
    "EMNLP": "Conference on Empirical Methods in Natural Language Processing",
    "NAACL": "North American Chapter of the Association for Computational Linguistics",
    "AAAI": "AAAI Conference on Artificial Intelligence",
    "IJCAI": "International Joint Conference on Artificial Intelligence",
    "KDD": "Knowledge Discovery and Data Mining",
    "SOSP": "Symposium on Operating Systems Principles",
    "OSDI": "USENIX Symposium on Operating Systems Design and Implementation",
    "USENIX ATC": "USENIX Annual Technical Conference",
    "MLSYS": "Conference on Machine Learning and Systems",
    "ICRA": "IEEE International Conference on Robotics and Automation",
}
"""Venues as the lists' facts write them -> as Semantic Scholar does."""

_SITE = "https://www.semanticscholar.org"


def dump(value: Any) -> bytes:
    """Returns JSON as the service writes data: blanks after marks, ASCII, a line end."""
    return (json.dumps(value) + "\n").encode()


def dump_error(message: str) -> bytes:
    """Returns JSON as the service writes refusals: without blanks."""
    return (json.dumps({"error": message}, separators=(",", ":")) + "\n").encode()


def _external_ids(paper: Paper) -> dict[str, Any]:
    ids = {"ArXiv": paper.arxiv_id, "ACL": paper.acl, "PubMed": paper.pmid, "DOI": _doi(paper)}
    return {**{name: value for name, value in ids.items() if value}, "CorpusId": paper.corpus_id}


def _doi(paper: Paper) -> str | None:
    if paper.doi or not paper.arxiv_id or paper.venue:
        return paper.doi
    return f"{ARXIV_DOI.replace('arxiv', 'arXiv')}{paper.arxiv_id}"


def _venue(paper: Paper) -> str:
    """The venue's name as this service writes it: in full where it knows one, without the year."""
    plain = re.sub(r"\s+(?:19|20)\d{2}$", "", paper.venue or "")
    return _VENUES.get(plain.upper(), plain) or ("arXiv.org" if paper.arxiv_id else "")


def _journal(paper: Paper) -> dict[str, str] | None:
    if paper.venue:
        return {"name": _venue(paper)}
    return {"name": "ArXiv", "volume": f"abs/{paper.arxiv_id}"} if paper.arxiv_id else None


def _open_access(paper: Paper) -> dict[str, Any]:
    if _is_open(paper):
        return {"url": f"https://arxiv.org/pdf/{paper.arxiv_id}", "status": "GREEN", "license": None}
    return {"url": "", "status": "CLOSED" if paper.doi else None, "license": None}


def _is_open(paper: Paper) -> bool:
    return bool(paper.arxiv_id and paper.venue)


def _types(paper: Paper) -> list[str] | None:
    if paper.venue:
        return ["JournalArticle", "Conference"]
    return ["JournalArticle"] if paper.arxiv_id else None


def _bibtex(paper: Paper) -> dict[str, str]:
    first = paper.authors[0].split()[-1] if paper.authors and paper.authors[0].strip() else "Anonymous"
    key = f"{first}{paper.year or ''}{paper.title.split()[0] if paper.title.split() else ''}"
    lines = [f" author = {{{' and '.join(paper.authors)}}}", f" booktitle = {{{_venue(paper)}}}"]
    lines += [f" title = {{{paper.title}}}", f" year = {{{paper.year}}}"]
    return {"bibtex": f"@Article{{{key},\n" + ",\n".join(lines) + "\n}\n"}


def _authors(paper: Paper) -> list[dict[str, Any]]:
    return [{"authorId": str(10**6 + zlib.crc32(title_key(n).encode())), "name": _name(n)} for n in paper.authors]


def _name(author: str) -> str:
    """Every third author goes by initials, as in wire/semanticscholar/match_attention_is_all_you_need."""
    first, *rest = author.split(" ")
    shortened = rest and len(first) > 2 and zlib.crc32(author.encode()) % 3 == 0
    return " ".join([f"{first[0]}.", *rest]) if shortened else author


FIELDS: dict[str, Callable[[Paper], Any]] = {
    "paperId": lambda p: p.sha,
    "externalIds": _external_ids,
    "corpusId": lambda p: p.corpus_id,
    "publicationVenue": lambda p: None,
    "url": lambda p: f"{_SITE}/paper/{p.sha}",
    "title": lambda p: p.title,
    "abstract": lambda p: p.abstract or (neutral_abstract(p) if p.arxiv_id else None),
    "venue": _venue,
    "year": lambda p: p.year,
    "referenceCount": lambda p: p.reference_count,
    "citationCount": lambda p: p.citation_count,
    "influentialCitationCount": lambda p: p.influential_citation_count,
    "isOpenAccess": _is_open,
    "openAccessPdf": _open_access,
    "fieldsOfStudy": lambda p: [p.field_of_study],
    "s2FieldsOfStudy": lambda p: [{"category": p.field_of_study, "source": s} for s in ("external", "s2-fos-model")],
    "publicationTypes": _types,
    "publicationDate": lambda p: p.published and p.published[:10],
    "journal": _journal,
    "citationStyles": _bibtex,
    "authors": _authors,
    "citations": lambda p: [],
    "references": lambda p: [],
    "embedding": lambda p: None,
    "tldr": lambda p: None,
    "textAvailability": lambda p: "none",
}
"""Every field, in the order in which the service writes them."""

NESTED = {
    "authors": {"affiliations", "authorId", "citationCount", "externalIds", "hIndex", "homepage", "name", "paperCount",
                "url"},
    "citations": set(FIELDS),
    "references": set(FIELDS),
    "embedding": {"specter_v1", "specter_v2"},
}  # fmt: skip


def unsupported(fields: Iterable[str], *, nested: bool = True) -> list[str]:
    """Returns the fields that the endpoint does not know; without `nested`, citations and the like are among them."""
    deep = set() if nested else {"citations", "references", "embedding", "tldr"}
    return [field for field in fields if not _is_known(field, deep)]


def _is_known(field: str, forbidden: set[str]) -> bool:
    top, _, inner = field.partition(".")
    if top in forbidden or top not in FIELDS:
        return False
    return not inner or inner.split(".")[0] in NESTED.get(top, set())


def paper_object(paper: Paper, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the object with the fields asked for; paperId is always there."""
    wanted = {field.partition(".")[0] for field in fields} | {"paperId"}
    return {name: tell(paper) for name, tell in FIELDS.items() if name in wanted}
