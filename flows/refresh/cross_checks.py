"""Holds what a service tells of an identifier against what is known of its paper, before anybody uses it.

A record that disagrees is a fault of the service, unless the other service tells the same, or the service itself in two
runs: then it is the list, or the lake, that is mistaken. What becomes of a mention whose link is believed to be of
another paper than its title is for `sources.matching.judge` to say, and for nobody else. A record that gives a known
paper a new title is held to the same. Where nothing is known, a record must at least bear the identifier that it was
asked for by, and must not have a title that is false of another paper of the same answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sources.agreement import Description, bears, compare, described, same_title
from sources.bibliography.titles import title_key
from sources.errors import DisputedRecord
from sources.records import SERVICE_NAMES, Answer, S2Paper

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from flows.refresh.services import Record, Service
    from sources.bibliography.identifiers import Identifier, Scheme
    from sources.records import SourceName

    Known = Mapping[Identifier, Sequence[Description]]

_SHOWN = 90
_YEARS_BACK = 5
"""A year that is further back than this is told twice before it is believed: few papers reach arXiv so late."""
_CITED = 10
"""A paper cited less often than this may lose its count to a merge of records."""


class CheckedSource:
    """A service whose records are checked against what lists say of the papers that they name.

    Args:
        service: The service.
        second: The one that is asked where the two disagree.
        known: Identifier -> what is known of its paper.
        told_before: Why mentions failed in the run before; a record that is refused for the same reason is believed.
    """

    def __init__(
        self, service: Service[Any], second: Service[Any], known: Known, told_before: Collection[str] = ()
    ) -> None:
        self._service = service
        self._second = second
        self._known = known
        self._told_before = told_before

    @property
    def name(self) -> SourceName:
        """Returns the service's name."""
        return self._service.name

    @property
    def schemes(self) -> frozenset[Scheme]:
        """Returns the schemes in which the service can be asked."""
        return self._service.schemes

    def fetch_papers(self, identifiers: Sequence[Identifier]) -> Answer[Identifier, Any]:
        """Returns what became of every identifier; a record that is not believed has failed."""

        def persists(identifier: Identifier, record: Record, error: DisputedRecord) -> bool:
            return str(error) in self._told_before and bears(record, identifier)

        return fetch_checked(
            self._service, identifiers, self._known, second=self._second, overrule=identifiers, believed=persists
        )


def fetch_checked(
    service: Service[Any],
    identifiers: Sequence[Identifier],
    known: Known,
    *,
    second: Service[Any],
    overrule: Collection[Identifier] = (),
    titled: Collection[Identifier] = (),
    believed: Callable[[Identifier, Record, DisputedRecord], bool] = lambda *_: False,
) -> Answer[Identifier, Any]:
    """Returns what `service` has for `identifiers`; a record that disagrees with what is known has failed.

    Args:
        service: The service.
        identifiers: What to ask it for.
        known: Identifier -> what is known of its paper.
        second: The other service, asked only where something disagrees.
        overrule: Identifiers of which both services together may say something else than what is known.
        titled: Identifiers of papers whose known title would give way to the record's.
        believed: Tells whether a record that both services together do not carry is to be believed all the same.
    """
    answer = service.fetch_papers(identifiers)
    titles = {title_key(item.title): identifier for identifier, each in known.items() for item in each if item.title}
    doubtful = {
        identifier: record
        for identifier, record in answer.found.items()
        if _is_doubtful(identifier, record, known.get(identifier, ()), titles, renames=identifier in titled)
    }
    if not doubtful:
        return answer
    doubtful |= _titled_like(doubtful.values(), answer.found, known)
    confirmed = _confirmed({item: record for item, record in doubtful.items() if item in overrule}, second)
    disputes = {
        identifier: _dispute(service.name, identifier, record, known.get(identifier, ()))
        for identifier, record in doubtful.items()
        if identifier not in confirmed
    }
    disputed = {item: error for item, error in disputes.items() if not believed(item, doubtful[item], error)}
    for error in disputed.values():
        service.blame(error)
    found = {identifier: record for identifier, record in answer.found.items() if identifier not in disputed}
    return Answer(
        requested=answer.requested, found=found, not_found=answer.not_found, failed={**answer.failed, **disputed}
    )


def _is_doubtful(
    identifier: Identifier,
    record: Record,
    known: Sequence[Description],
    titles: Mapping[str, Identifier],
    *,
    renames: bool,
) -> bool:
    description = described(record)
    stands = {compare(item, description) for item in known}
    if "agree" in stands:
        return False
    is_of_another = titles.get(title_key(description.title or ""), identifier) != identifier
    if renames and "renamed" in stands:
        return True
    return "disagree" in stands or is_of_another or not bears(record, identifier)


def _titled_like(
    doubtful: Collection[Record], found: Mapping[Identifier, Record], known: Known
) -> dict[Identifier, Record]:
    """Returns the records with the title of a doubtful one, of papers that nothing known says have that title."""
    titles = {title_key(record.title) for record in doubtful}
    return {
        identifier: record
        for identifier, record in found.items()
        if title_key(record.title) in titles
        and all(compare(item, described(record)) != "agree" for item in known.get(identifier, ()))
    }


def _confirmed(doubtful: Mapping[Identifier, Record], second: Service[Any]) -> set[Identifier]:
    """Returns the identifiers of which the second service tells the same."""
    identifiers = [identifier for identifier in doubtful if identifier.scheme in second.schemes]
    found = second.fetch_papers(identifiers).found if identifiers else {}
    return {
        identifier
        for identifier, record in found.items()
        if bears(record, identifier) and compare(described(record), described(doubtful[identifier])) == "agree"
    }


def _dispute(
    source: SourceName, identifier: Identifier, record: Record, known: Sequence[Description]
) -> DisputedRecord:
    """Returns the fault of a record; its `field` says what alone is at odds, where that is so: title or authors."""
    description = described(record)
    other = next((item for item in known if item.title), None)
    if other is None:
        instead, field = "which it does not name, nor does anything else", ""
    elif same_title(other, description) and compare(other, description) == "disagree":
        instead, field = f"by {_people(description)}, which is known to be by {_people(other)}", "authors"
    else:
        instead = f"which is known as {(other.title or '')[:_SHOWN]!r}"
        field = "title" if compare(other, description) == "renamed" else ""
    text = f"{SERVICE_NAMES[source]} answered {identifier} with {record.title[:_SHOWN]!r}, {instead}"
    return DisputedRecord(text, source=source, record=str(identifier), field=field)


def implausible(
    found: Mapping[Identifier, Record], rows: Mapping[Identifier, Mapping[str, Any]]
) -> dict[Identifier, DisputedRecord]:
    """Returns the faults of records that tell figures which a paper hardly comes to have.

    A paper does not become many years older, nor lose all its citations; where one in an answer does, the others that
    do are not believed either. Semantic Scholar alone tells such things.

    Args:
        found: The records of an answer.
        rows: Identifier -> what the lake has of its paper.
    """
    s2_records = {item: record for item, record in found.items() if isinstance(record, S2Paper)}
    cited = {
        item: rows[item]["citation_count"] or 0 for item, record in s2_records.items() if record.citation_count == 0
    }
    lost = {item: count for item, count in cited.items() if count and max(cited.values()) >= _CITED}
    disputes: dict[Identifier, DisputedRecord] = {}
    for identifier, record in s2_records.items():
        figures: list[str] = []
        year = rows[identifier]["year"]
        if record.year and year and record.year < year - _YEARS_BACK:
            figures.append(f"of {record.year}, which is known as of {year}")
        if identifier in lost:
            figures.append(f"without citations, which had {lost[identifier]}")
        if figures:
            text = (
                f"{SERVICE_NAMES['s2']} answered {identifier} with {record.title[:_SHOWN]!r}, {' and '.join(figures)}"
            )
            disputes[identifier] = DisputedRecord(text, source="s2", record=str(identifier), field="figures")
    return disputes


def _people(description: Description) -> str:
    """Returns the first of the people that a description names."""
    more = " and others" if len(description.authors) > 1 else ""
    return f"{description.authors[0][:_SHOWN]}{more}" if description.authors else "nobody named"
