"""Compares each record of a service with what is known of its paper, before the record is used.

A record that disagrees is a fault of the service, unless the other service has the same record, or the service repeats
it in the next run: then the list or the lake is wrong. Only `sources.matching.judge` decides what happens to a mention
whose link leads to another paper than its title names. A record that would give a known paper a new title is checked in
the same way. Where nothing is known, a record must at least bear the identifier that was asked for, and must not have
the title of another paper in the same answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sources.bibliography.identifiers import Identifier
from sources.bibliography.titles import title_key
from sources.errors import DisputedRecord
from sources.records import SERVICE_NAMES, Answer, S2Paper
from sources.services.agreement import (
    Description,
    bears,
    compare,
    described,
    disputed_record,
    same_title,
    shared_doi,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from flows.refresh.services import Record, Service
    from sources.bibliography.identifiers import Scheme
    from sources.records import SourceName
    from warehouse.tables.declarations import PaperRow

    Known = Mapping[Identifier, Sequence[Description]]

_SHOWN = 90


class CheckedSource:
    """A service whose records are compared with what lists say of the same papers.

    Args:
        service: The service.
        second: The other service, which is asked about records that disagree.
        known: Identifier -> what is known of its paper.
        earlier_faults: Why mentions failed in the last run; a record disputed for the same reason is believed.
    """

    def __init__(
        self, service: Service[Any], second: Service[Any], known: Known, earlier_faults: Collection[str] = ()
    ) -> None:
        self._service = service
        self._second = second
        self._known = known
        self._earlier_faults = earlier_faults

    @property
    def name(self) -> SourceName:
        """Returns the service's name."""
        return self._service.name

    @property
    def schemes(self) -> frozenset[Scheme]:
        """Returns the schemes in which the service can be asked."""
        return self._service.schemes

    def fetch_papers(self, identifiers: Sequence[Identifier]) -> Answer[Identifier, Any]:
        """Returns the service's answer, with failures in place of records that are not believed."""

        def persists(identifier: Identifier, record: Record, error: DisputedRecord) -> bool:
            return str(error) in self._earlier_faults and bears(record, identifier)

        answer = fetch_checked(
            self._service, identifiers, self._known, second=self._second, overrule=identifiers, believed=persists
        )
        shared = {item: error for item, record in answer.found.items() if (error := shared_doi(record))}
        disputes = {item: error for item, error in shared.items() if str(error) not in self._earlier_faults}
        return refuse(self._service, answer, disputes)


def misnamed(arxiv_id: Identifier, record: S2Paper, by_arxiv: Record) -> DisputedRecord:
    """Returns the fault of a record that bears an arXiv identifier which arXiv gave to another paper."""
    title, other = record.title[:_SHOWN], by_arxiv.title[:_SHOWN]
    text = f"{SERVICE_NAMES['s2']} called {title!r} {arxiv_id}, which is {other!r} at arXiv"
    return DisputedRecord(text, source="s2", record=str(arxiv_id))


def refuse(
    service: Service[Any], answer: Answer[Identifier, Any], disputes: Mapping[Identifier, DisputedRecord]
) -> Answer[Identifier, Any]:
    """Returns the answer with failures in place of disputed records, which are noted as faults of the service."""
    if not disputes:
        return answer
    for error in disputes.values():
        service.blame(error)
    found = {item: record for item, record in answer.found.items() if item not in disputes}
    return replace(answer, found=found, failed={**answer.failed, **disputes})


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
    """Returns the service's answer, with failures in place of records that disagree with what is known.

    Args:
        service: The service.
        identifiers: What to ask it for.
        known: Identifier -> what is known of its paper.
        second: The other service, asked only where something disagrees.
        overrule: Identifiers for which both services together may contradict what is known.
        titled: Identifiers of papers whose known title the record would replace.
        believed: Returns whether a disputed record that the second service does not confirm is believed all the same.
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
    return refuse(service, answer, disputed)


def _is_doubtful(
    identifier: Identifier,
    record: Record,
    known: Sequence[Description],
    titles: Mapping[str, Identifier],
    *,
    renames: bool,
) -> bool:
    description = described(record)
    comparisons = {compare(item, description) for item in known}
    if "agree" in comparisons:
        return False
    is_of_another = titles.get(title_key(description.title or ""), identifier) != identifier
    if renames and any(item.title for item in known) and comparisons <= {"renamed", "unknown"}:
        return True
    return "disagree" in comparisons or is_of_another or not bears(record, identifier)


def _titled_like(
    doubtful: Collection[Record], found: Mapping[Identifier, Record], known: Known
) -> dict[Identifier, Record]:
    """Returns the records with the same title as a doubtful one, unless it is known to be their paper's title."""
    titles = {title_key(record.title) for record in doubtful}
    return {
        identifier: record
        for identifier, record in found.items()
        if title_key(record.title) in titles
        and all(compare(item, described(record)) != "agree" for item in known.get(identifier, ()))
    }


def _confirmed(doubtful: Mapping[Identifier, Record], second: Service[Any]) -> set[Identifier]:
    """Returns the identifiers under which the second service has the same paper."""
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
    """Returns the fault of a record; its `field` is `title` or `authors` where nothing else is disputed."""
    description = described(record)
    other = next((item for item in known if item.title), None)
    if other is None:
        instead, field = "which it does not name, nor does anything else", ""
    elif same_title(other, description) and compare(other, description) == "disagree":
        instead, field = f"by {_people(description)}, which is known to be by {_people(other)}", "authors"
    else:
        instead = f"which is known as {(other.title or '')[:_SHOWN]!r}"
        field = "title" if compare(other, description) == "renamed" else ""
    return disputed_record(source, identifier, record, instead, field=field)


def _people(description: Description) -> str:
    """Returns the first of the people that a description names."""
    more = " and others" if len(description.authors) > 1 else ""
    return f"{description.authors[0][:_SHOWN]}{more}" if description.authors else "nobody named"


def refuse_arxiv_ids(
    arxiv: Service[Any], found: dict[Identifier, Any], rows: Mapping[Identifier, PaperRow]
) -> dict[Identifier, DisputedRecord]:
    """Asks arXiv about identifiers that Semantic Scholar gives to papers without one, and returns the false ones.

    False records are taken out of `found`. An identifier that arXiv could not be asked about, or does not have, is left
    out of the record for now. `rows` are the papers that were requested by the keys of `found`.
    """
    gained = {
        own_id: Identifier("arxiv", record.arxiv_id)
        for own_id, record in found.items()
        if record.arxiv_id and rows[own_id]["arxiv_id"] is None
    }
    found_by_arxiv = arxiv.fetch_papers(list(gained.values())).found if gained else {}
    false: dict[Identifier, DisputedRecord] = {}
    for item, arxiv_id in gained.items():
        if arxiv_id not in found_by_arxiv:
            own = tuple(each for each in found[item].identifiers if each.scheme != "arxiv")
            found[item] = replace(found[item], arxiv_id=None, identifiers=own)
        elif compare(described(found_by_arxiv[arxiv_id]), described(found[item])) == "disagree":
            false[item] = misnamed(arxiv_id, found.pop(item), found_by_arxiv[arxiv_id])
    return false
