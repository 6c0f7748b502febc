"""Which paper of a run has which identifier, which ones a record bears, and whether both go together."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sources.agreement import compare, described, described_by_row
from sources.bibliography.identifiers import Identifier
from sources.records import ArxivPaper, S2Paper

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warehouse.tables.rows import PaperRow

_NUMBERED = frozenset({"s2", "corpus"})


class IdentifierOwners:
    """Papers by identifier; an identifier is one paper's, and a paper has several.

    Attributes:
        retired: Identifiers that their paper gave up, and that no other one has got.
    """

    def __init__(self) -> None:
        self._owner: dict[Identifier, str] = {}
        self._owned: defaultdict[str, set[Identifier]] = defaultdict(set)
        self.retired: set[Identifier] = set()

    def owner(self, identifier: Identifier) -> str | None:
        """Returns the paper that has the identifier, None where none has."""
        return self._owner.get(identifier)

    def of(self, paper_id: str) -> frozenset[Identifier]:
        """Returns the paper's identifiers."""
        return frozenset(self._owned.get(paper_id, ()))

    def give(self, identifier: Identifier, paper_id: str) -> None:
        """Gives the identifier to the paper, unless another has it already."""
        if self._owner.setdefault(identifier, paper_id) == paper_id:
            self._owned[paper_id].add(identifier)
            self.retired.discard(identifier)

    def retire(self, paper_id: str, identifiers: Iterable[Identifier]) -> None:
        """Takes from the paper those of `identifiers` that it has."""
        for identifier in identifiers:
            if self._owner.get(identifier) == paper_id:
                del self._owner[identifier]
                self._owned[paper_id].discard(identifier)
                self.retired.add(identifier)

    def move(self, paper_id: str, *, into: str) -> None:
        """Gives all that the paper has to the one that it was merged into."""
        for identifier in self._owned.pop(paper_id, set()):
            self._owner[identifier] = into
            self._owned[into].add(identifier)

    def forget(self, paper_id: str) -> None:
        """Takes back that the paper has any."""
        for identifier in self._owned.pop(paper_id, set()):
            del self._owner[identifier]


def identifiers_of(record: ArxivPaper | S2Paper) -> tuple[Identifier, ...]:
    """Returns every identifier that `record` carries; arXiv's own DOIs are not publishers' and stay out."""
    if isinstance(record, ArxivPaper):
        return _known(Identifier("arxiv", record.arxiv_id), record.doi and Identifier("doi", record.doi))
    return _known(
        Identifier("s2", record.s2_paper_id),
        record.corpus_id is not None and Identifier("corpus", str(record.corpus_id)),
        record.arxiv_id and Identifier("arxiv", record.arxiv_id),
        record.doi and Identifier("doi", record.doi),
        *record.identifiers,
    )


def _known(*identifiers: Identifier | str | bool | None) -> tuple[Identifier, ...]:
    sound = [identifier for identifier in identifiers if isinstance(identifier, Identifier)]
    return tuple(dict.fromkeys(item for item in sound if not item.value.startswith("10.48550/")))


def identifiers_with(record: ArxivPaper | S2Paper, also: Iterable[Identifier]) -> set[Identifier]:
    """Returns the record's identifiers and those `also` known to be its, of arXiv's only the first."""
    identifiers = (*identifiers_of(record), *_known(*also))
    first = next((identifier for identifier in identifiers if identifier.scheme == "arxiv"), None)
    return {item for item in identifiers if item.scheme != "arxiv" or item == first}


def is_of(record: ArxivPaper | S2Paper, row: PaperRow) -> bool:
    """Returns whether what is known of the paper is what the record tells; a paper without a title is any."""
    return not row["title"] or compare(described_by_row(row), described(record)) in ("agree", "renamed")


def is_former(row: PaperRow, identifiers: set[Identifier]) -> bool:
    """Returns whether these are numbers of Semantic Scholar's that the paper does not bear there any more."""
    present = {Identifier("s2", row["s2_paper_id"] or ""), Identifier("corpus", str(row["s2_corpus_id"]))}
    return all(identifier.scheme in _NUMBERED and identifier not in present for identifier in identifiers)


def is_lent(row: PaperRow, record: ArxivPaper | S2Paper, identifiers: set[Identifier]) -> bool:
    """Returns whether two papers may both be said to have these: authors give arXiv another paper's DOI at times.

    Semantic Scholar gives none twice.
    """
    twice = isinstance(record, S2Paper) and row["s2_paper_id"] is not None
    return not twice and all(identifier.scheme == "doi" for identifier in identifiers)


def are_at_odds(row: PaperRow, other: PaperRow) -> bool:
    """Returns whether two papers have different arXiv identifiers."""
    return row["arxiv_id"] is not None and other["arxiv_id"] is not None and row["arxiv_id"] != other["arxiv_id"]
