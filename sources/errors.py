"""All errors of paperlake, in one tree.

    PaperlakeError(message)
     |- UsageError                                bad input or wrong usage: one clear line, exit code 2
     |   |- NoSuchList                            there is no list of that name
     |   |- UnknownList                           the lake has no list of that name
     |   |- EmptyList                             the list has no text
     |   |- AlreadyListed                         the list has the paper
     |   '- QueryFailed                           DuckDB refused a query
     |- SourceError(source, url, status)          a service was asked and gave no usable answer
     |   |- TransientSourceError(retry_after_s)   time-out, dropped connection, 429, 5xx: asking again may help
     |   |   |- AllowanceSpent                    what the service gives for nothing in a day is spent
     |   |   '- SourceUnreachable                 no connection at all: name look-up failed, refused, no route
     |   |- SearchesPaused                        searches alone are not answered for now; look-ups are
     |   |- PermanentSourceError                  400, 401, 403, any status nobody planned for
     |   |   |- TokenExpired                      the token of the next page is no longer good: begin at the first again
     |   |   '- BatchRefused                      the answer to a batch cannot be used as a whole
     |   |       '- TooManyHits                   a search has more hits than are read; those that were are passed on
     |   '- PayloadError(record, field)           a reply came, but it is not what the source promises
     |       '- DisputedRecord                    a record that disagrees with what is known of the paper asked for
     |- IdentifierError(scheme, value)            text that is not the identifier it claims to be
     |- EditConflict                              edits of a list that cannot all be made
     '- WarehouseError
         |- LakeVersionError                      the lake was made by a newer paperlake
         |- LakeBusyError                         another writer holds the lake
         |- SchemaMismatch(table, columns)        rows that do not fit their table
         '- CheckFailed(check, table, sample)     a check before commit refused the run

The message is the one positional argument and every fact is a keyword with a default, so that each error survives
pickling: Prefect may carry errors between processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any


class PaperlakeError(Exception):
    """Base of every error that paperlake raises on purpose."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        facts = {name: value for name, value in self.__dict__.items() if name != "message"}
        return partial(type(self), **facts), (self.message,)


class UsageError(PaperlakeError):
    """The command was used wrongly or given input that cannot be read; nothing was changed."""


class NoSuchList(UsageError):
    """There is no list of that name, or nothing in it that is one."""


class UnknownList(UsageError):
    """The lake knows no list of that name; the message has the names of those that it knows."""


class EmptyList(UsageError):
    """There is a list of that name, without any text."""


class AlreadyListed(UsageError):
    """The list has a paper already that is to be added."""


class QueryFailed(UsageError):
    """DuckDB refused a query; its message may quote text of the lake."""


@dataclass(eq=False, repr=False)
class SourceError(PaperlakeError):
    """A service was asked and gave no usable answer."""

    message: str = ""  # what was asked, what came back, and what to do
    _: KW_ONLY
    source: str = ""  # `arxiv`, `s2` ...; `list` for the address of a reading list
    url: str = ""  # the address asked, without secrets
    status: int | None = None  # the HTTP status, None where there was none


@dataclass(eq=False, repr=False)
class TransientSourceError(SourceError):
    """Asking again later may help: a time-out, a dropped connection, 429 or 5xx."""

    _: KW_ONLY
    retry_after_s: float | None = None


class AllowanceSpent(TransientSourceError):
    """What the service gives for nothing in a day is spent: it is not asked again for hours, and nothing is wrong."""


class SearchesPaused(SourceError):
    """The service bears no more searches in this run, though it answers look-ups by identifier; nothing is wrong."""


class SourceUnreachable(TransientSourceError):
    """No connection to the service could be made at all; every further request of this run would fail alike.

    Attributes:
        is_lasting: Whether asking once more at once is of no use: nobody knows the name, the proxy refuses, or the
            certificate is not trusted.
    """

    is_lasting = False


class PermanentSourceError(SourceError):
    """The service refused the request and would refuse it again: 400, 401, 403, or a status nobody planned for."""


class TokenExpired(PermanentSourceError):
    """The token of the next page is no longer good; the pages must be asked for from the first one again."""


class BatchRefused(PermanentSourceError):
    """The answer to a batch cannot be used as a whole; that to half of it may."""


class TooManyHits(BatchRefused):
    """A search has more hits than are read. The service is well; the words are too common to settle anything."""


@dataclass(eq=False, repr=False)
class PayloadError(SourceError):
    """A reply came, but it is not what the source promises."""

    _: KW_ONLY
    record: str = ""  # the identifier of the record at fault, empty where the whole reply is
    field: str = ""  # the field at fault
    text: str = ""  # the title of the record at fault and what else was searched of it, as far as it can be read


class DisputedRecord(PayloadError):
    """A record disagrees with what is known of the paper asked for; nothing of it may be written to that paper."""


@dataclass(eq=False, repr=False)
class IdentifierError(PaperlakeError):
    """Text that is not the identifier it claims to be."""

    message: str = ""
    _: KW_ONLY
    scheme: str = ""
    value: str = ""


class EditConflict(PaperlakeError):
    """Two edits change the same characters of a list, or one lies outside of its text."""


class WarehouseError(PaperlakeError):
    """The lake could not do what was asked of it."""


class LakeVersionError(WarehouseError):
    """The lake was made by a newer paperlake; this one must not touch it."""


class LakeBusyError(WarehouseError):
    """Another writer holds the lake and did not let go in time."""


@dataclass(eq=False, repr=False)
class SchemaMismatch(WarehouseError):
    """Rows that do not fit their table."""

    message: str = ""
    _: KW_ONLY
    table: str = ""
    columns: Sequence[str] = ()


@dataclass(eq=False, repr=False)
class CheckFailed(WarehouseError):
    """A check before commit refused the run; the old snapshot remains."""

    message: str = ""
    _: KW_ONLY
    check: str = ""
    table: str = ""
    sample: Sequence[str] = ()
