"""The services that describe papers, one record each, over which settings, clients, plan, run and `runs` iterate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING

from sources.bibliography.identifiers import S2_SCHEMES, Identifier, Scheme, written_for_s2
from sources.http import queries
from sources.http.queries import QueryRules
from sources.records import SERVICE_NAMES, ArxivPaper, Reply, S2Paper, SourceName

if TYPE_CHECKING:
    from sources.services.openalex.record import OpenAlexWork

    ServiceRecord = ArxivPaper | S2Paper | OpenAlexWork  # what a service sends of a paper


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A service that describes papers.

    Settings named after it (`NAME_url`, `NAME_interval`, `NAME_api_key`) say otherwise than its own address and
    intervals.
    """

    name: SourceName  # what it is called in tables and settings
    url: str  # its own address
    interval_s: tuple[float, float]  # seconds between two requests, without a key and with one
    # the interval between two title searches, as multiples of that; None where it is the same
    search_interval: tuple[float, float] | None = None
    schemes: frozenset[Scheme]  # schemes of identifiers that it accepts
    written: Callable[[Identifier], str] = attrgetter("value")  # writes an identifier as it expects it
    rules: QueryRules  # limits of one request, and so of one task, and its query language
    client: str  # module and class of its client, imported by the first request only
    parser: str  # module that parses its replies: `parse_reply` and `PARSER_VERSION`
    counts_citations: bool = False
    is_publishable: bool = True  # whether its terms let users give its data to others
    is_optional: bool = False  # whether a setting of its name switches it off; it then resolves nothing
    matches_titles: bool = False  # whether it can also return its best match for one title

    @property
    def label(self) -> str:
        """Returns what people call it."""
        return SERVICE_NAMES[self.name]


# In the order in which figures of them are shown.
SOURCES: Mapping[SourceName, Source] = {
    source.name: source
    for source in (
        Source(
            name="arxiv",
            url="https://export.arxiv.org/api/query",
            interval_s=(3.0, 3.0),  # as arXiv's terms ask: https://info.arxiv.org/help/api/tou.html
            schemes=frozenset({"arxiv"}),
            rules=queries.ARXIV,
            client="sources.services.arxiv.client:ArxivClient",
            parser="sources.services.arxiv.feed",
        ),
        Source(
            name="s2",
            url="https://api.semanticscholar.org",
            interval_s=(3.0, 1.0),
            schemes=S2_SCHEMES,
            written=written_for_s2,
            rules=queries.S2,
            client="sources.services.semantic_scholar.client:S2Client",
            parser="sources.services.semantic_scholar.record",
            counts_citations=True,
            is_publishable=False,  # https://www.semanticscholar.org/product/api/license
            matches_titles=True,
        ),
        Source(
            name="openalex",
            url="https://api.openalex.org",
            interval_s=(0.1, 0.1),
            # One search with more than five operators a second, and five with a key.
            search_interval=(11.0, 2.1),
            schemes=frozenset({"doi"}),
            rules=queries.OPENALEX,
            client="sources.services.openalex.client:OpenAlexClient",
            parser="sources.services.openalex.record",
            counts_citations=True,
            is_optional=True,
        ),
    )
}


def counters(*, publishable: bool = False) -> tuple[SourceName, ...]:
    """Returns the services that count citations; of `publishable` ones, those whose data users may give to others."""
    counting = (source for source in SOURCES.values() if source.counts_citations)
    return tuple(source.name for source in counting if source.is_publishable or not publishable)


def parse_reply(reply: Reply) -> Sequence[ServiceRecord]:
    """Returns the records in a stored reply, read anew; a stored refusal holds none.

    Raises:
        SourceError: The reply is not what its question asked for.
    """
    records: Sequence[ServiceRecord] = import_module(SOURCES[reply.source].parser).parse_reply(reply)
    return records


def parser_version(source: SourceName) -> int:
    """Returns the version of the parser of a service; it is raised whenever the same reply yields other records."""
    version: int = import_module(SOURCES[source].parser).PARSER_VERSION
    return version
