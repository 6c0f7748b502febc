"""Identifiers as Semantic Scholar is asked for them, and answers joined to them. Pure.

The forms: https://api.semanticscholar.org/api-docs/graph#tag/Paper-Data/operation/post_graph_get_papers . A batch is
answered in the order asked, which is checked against what every record says of itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from sources.agreement import compare, described
from sources.bibliography.identifiers import S2_SCHEMES, SCHEMES, Identifier, Scheme, parse_identifier
from sources.errors import IdentifierError, PayloadError
from sources.records import S2Paper
from sources.semantic_scholar.payload import Entry
from sources.semantic_scholar.record import unsound
from sources.text import counted

_UNSHARED = frozenset({"s2", "corpus", "arxiv", "doi"})
"""Schemes in which two papers never have one value. The service may have two records of a paper, though."""
_MERGEABLE = frozenset({"s2", "corpus"})
_unsound = partial(unsound, field="externalIds")


def read_asked(text: str) -> Identifier:
    """Returns the identifier that `text` asks for; an arXiv version is dropped, as the service knows none.

    Raises:
        IdentifierError: Not a form that the service takes.
    """
    bare = text.strip()
    scheme, colon, value = bare.partition(":")
    if bare.startswith("10.") or not colon:
        scheme, value = ("doi" if bare.startswith("10.") else "s2"), bare
    identifier = parse_identifier(scheme, value)
    if identifier.scheme in S2_SCHEMES:
        return identifier
    raise IdentifierError(f"not an identifier that Semantic Scholar takes: {text!r}", scheme="s2", value=text)


def written(identifier: Identifier) -> str:
    """Returns an identifier as the service reads it."""
    return f"{SCHEMES[identifier.scheme].s2_prefix}{identifier.value}"


@dataclass(slots=True, kw_only=True)
class Joined:
    """A batch's entries, each under the identifier that asked for it."""

    found: dict[Identifier, S2Paper] = field(default_factory=dict)
    missing: list[Identifier] = field(default_factory=list)
    faults: dict[Identifier, PayloadError] = field(default_factory=dict)


def join(wanted: Sequence[Identifier], entries: Sequence[Entry]) -> Joined:
    """Returns the entries under the identifiers that asked for them.

    By position, unless records say that the order is another: then by what they say of themselves. A record with
    another paper id or corpus id than asked for was merged (https://github.com/allenai/s2-folks/issues/157): it is
    taken, and bears both. A record that contradicts the arXiv id, DOI or such that asked for it is a fault. Where most
    are faults, all are.

    Raises:
        PayloadError: More or fewer entries than asked for.
    """
    if len(entries) != len(wanted):
        raise _unsound(f"{counted(len(entries), 'entry')} for {counted(len(wanted), 'identifier')}")
    joined = Joined()
    if _is_reordered(wanted, entries):
        joined = _by_identifier(wanted, entries)
    else:
        for identifier, entry in zip(wanted, entries, strict=True):
            _place(joined, identifier, entry)
    _part_shared_dois(joined)
    _refuse_shared(joined)
    _refuse_company(joined)
    return joined


def shared_identifiers(papers: Iterable[S2Paper]) -> frozenset[Identifier]:
    """Returns the identifiers that several of `papers` bear, though they are not one paper; there should be none."""
    first: dict[Identifier, S2Paper] = {}
    shared: set[Identifier] = set()
    for paper in papers:
        for name in _names(paper):
            other = first.setdefault(name, paper)
            if other is not paper and name.scheme in _UNSHARED and name not in shared and _are_two(name, paper, other):
                shared.add(name)
    return frozenset(shared)


def _are_two(name: Identifier, paper: S2Paper, other: S2Paper) -> bool:
    """Returns whether two records that bear `name` are of two papers; one record's copies must tell the same."""
    if name.scheme == "s2":
        return replace(paper, identifiers=()) != replace(other, identifiers=())
    return paper.s2_paper_id != other.s2_paper_id and compare(described(paper), described(other)) in (
        "disagree",
        "renamed",
    )


def believable(papers: Sequence[S2Paper]) -> tuple[tuple[S2Paper, ...], list[PayloadError]]:
    """Returns those of `papers` that share no identifier with another paper, and why the others are not believed.

    Those that have their DOI in common lack it and note it. Authors give arXiv the DOI of a paper for its discussions,
    its sequel and its longer version too. So two papers of one DOI may both be sound, and only whose it is remains
    unknown.
    """
    dois = shared_identifiers(papers)
    parted = [without_doi(paper) if _has_shared_doi(paper, dois) else paper for paper in papers]
    shared = shared_identifiers(parted)
    faults = [
        unsound(
            f"two papers that are both {min(both)}",
            record=str(min(both)),
            field="externalIds",
            text=f"{paper.title} {paper.abstract or ''}",
        )
        for paper in parted
        if (both := _names(paper) & shared)
    ]
    return tuple(paper for paper in parted if not _names(paper) & shared), faults


def without_doi(paper: S2Paper) -> S2Paper:
    """Returns the record without its DOI, which it notes as one that is another paper's too."""
    others = tuple(item for item in paper.identifiers if item.scheme != "doi")
    return replace(paper, doi=None, shared_doi=paper.doi, identifiers=others)


def _has_shared_doi(paper: S2Paper, shared: Collection[Identifier]) -> bool:
    return paper.doi is not None and Identifier("doi", paper.doi.casefold()) in shared


def _part_shared_dois(joined: Joined) -> None:
    """Leaves a DOI that several records bear to the one that was asked for by it, if any; all of them note it."""
    shared = shared_identifiers(joined.found.values())
    for identifier, paper in joined.found.items():
        if _has_shared_doi(paper, shared):
            is_asked = _folded(identifier) == Identifier("doi", (paper.doi or "").casefold())
            joined.found[identifier] = replace(paper, shared_doi=paper.doi) if is_asked else without_doi(paper)


def _refuse_shared(joined: Joined) -> None:
    """Makes faults of the records that bear an identifier of another record: one of the two cannot be true."""
    shared = shared_identifiers(joined.found.values())
    for identifier, paper in [*joined.found.items()] if shared else ():
        if both := _names(paper) & shared:
            name = written(identifier)
            what = f"{min(both)} for {name} and for another paper"
            joined.faults[identifier] = _unsound(what, record=name)
            del joined.found[identifier]


def _refuse_company(joined: Joined) -> None:
    """Makes faults of the sound records of a reply that has more unsound ones: what mixed those up spares none."""
    if len(joined.faults) <= len(joined.found):
        return
    for identifier in [*joined.found]:
        name = written(identifier)
        joined.faults[identifier] = _unsound(f"{name} among records that are mostly unsound", record=name)
        del joined.found[identifier]


def _place(joined: Joined, identifier: Identifier, entry: Entry) -> None:
    if entry is None:
        joined.missing.append(identifier)
    elif isinstance(entry, PayloadError):
        joined.faults[identifier] = entry
    elif _folded(identifier) in _names(entry) or _is_silent(entry, identifier.scheme):
        joined.found[identifier] = entry
    elif identifier.scheme in _MERGEABLE:
        joined.found[identifier] = replace(entry, identifiers=(*entry.identifiers, identifier))
    else:
        name = written(identifier)
        joined.faults[identifier] = _unsound(f"{entry.s2_paper_id} for {name}, which it is not", record=name)


def _is_reordered(wanted: Sequence[Identifier], entries: Sequence[Entry]) -> bool:
    """Whether some record answers to an identifier of another position, whose own record does not answer to it."""
    names = [_names(entry) if isinstance(entry, S2Paper) else frozenset[Identifier]() for entry in entries]
    pairs = [(_folded(identifier), own) for identifier, own in zip(wanted, names, strict=True)]
    lacking = {identifier for identifier, own in pairs if identifier not in own}
    return any(own & lacking for identifier, own in pairs if identifier in lacking)


def _by_identifier(wanted_ids: Sequence[Identifier], entries: Sequence[Entry]) -> Joined:
    """Returns reordered entries; one that answers to no identifier may belong to any that has none."""
    wanted = {_folded(identifier): identifier for identifier in wanted_ids}
    joined = Joined()
    stray: PayloadError | None = None
    for entry in entries:
        if isinstance(entry, S2Paper) and (answers_to := _names(entry) & wanted.keys()):
            joined.found.update({wanted[name]: entry for name in answers_to})
        elif entry is not None:
            stray = _unsound("a reordered batch with an entry that answers to none of its identifiers")
    left = [identifier for identifier in wanted_ids if identifier not in joined.found]
    joined.missing, joined.faults = ([], dict.fromkeys(left, stray)) if stray else (left, {})
    return joined


def _names(paper: S2Paper) -> frozenset[Identifier]:
    """Returns every identifier that a record answers to; arXiv's own DOI and the arXiv id stand for each other."""
    names = set(map(_folded, paper.identifiers))
    if paper.arxiv_id:
        names |= {Identifier("arxiv", paper.arxiv_id), Identifier("doi", f"10.48550/arxiv.{paper.arxiv_id}")}
    return frozenset(names)


def _folded(identifier: Identifier) -> Identifier:
    return Identifier(identifier.scheme, identifier.value.casefold())


def _is_silent(paper: S2Paper, scheme: Scheme) -> bool:
    return all(identifier.scheme != scheme for identifier in paper.identifiers)
