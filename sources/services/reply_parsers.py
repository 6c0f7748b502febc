"""Parses stored replies of all services, and knows the version of each parser. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sources.records import ArxivPaper, Reply, S2Paper, SourceName
from sources.services.arxiv import feed
from sources.services.openalex import record as openalex_record
from sources.services.openalex.record import OpenAlexWork
from sources.services.semantic_scholar import record as s2_record

ServiceRecord = ArxivPaper | S2Paper | OpenAlexWork  # what a service sends of a paper


@dataclass(frozen=True, slots=True)
class _Parser:
    parse_reply: Callable[[Reply], Sequence[ServiceRecord]]
    version: int


_PARSERS: Mapping[SourceName, _Parser] = {
    "arxiv": _Parser(feed.parse_reply, feed.PARSER_VERSION),
    "s2": _Parser(s2_record.parse_reply, s2_record.PARSER_VERSION),
    "openalex": _Parser(openalex_record.parse_reply, openalex_record.PARSER_VERSION),
}


def parse_reply(reply: Reply) -> Sequence[ServiceRecord]:
    """Returns the records in a stored reply, read anew; a stored refusal holds none.

    Raises:
        SourceError: The reply is not what its question asked for.
    """
    return _PARSERS[reply.source].parse_reply(reply)


def parser_version(source: SourceName) -> int:
    """Returns the version of the parser of a service; it is raised whenever the same reply yields other records."""
    return _PARSERS[source].version
