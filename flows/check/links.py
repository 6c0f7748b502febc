"""Finds dead and moved links from the replies of their servers, and stores these replies."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, get_args

from sources.clock import Clock, utc_now
from sources.errors import UsageError
from sources.lists.checks.findings import Edit, ListFinding, finding_on
from sources.lists.edits.spans import addresses_in
from sources.lists.links import LinkAnswer, LinkKind, check_links
from sources.text import counted
from warehouse.durable_files import cache_folder, write_whole

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from types import TracebackType

    from flows.progress import Reporter
    from sources.lists.checks.checks import Suppression
    from sources.lists.checks.list_text import ListText
    from sources.lists.edits.spans import AddressSpan

# What is known of addresses from one check to the next is a JSON file in the user's cache folder: the answers are about
# the web, not about a lake, so that all lists of a user share them. A file that cannot be read is begun anew, and one
# that cannot be written costs the requests of the next check.
_VERSION = 1
_MOST_BYTES = 64 * 2**20
_WRITTEN_EVERY = 100  # answers that a killed process may lose
_log = logging.getLogger(__name__)


class LinkFile:
    """The answers in `path`, for as long as the `with` block lasts; a `LinkStore`.

    Two processes may use one file: each adds its answers to those that are there, and the later answer stays.
    """

    def __init__(self, path: Path, *, now: Clock = utc_now) -> None:
        self._path = path
        self._now = now
        self._answers = _read(path)
        self._unwritten = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write()

    def find(self, address: str) -> LinkAnswer | None:
        """Returns the last answer for an address, None where there is none."""
        return self._answers.get(address)

    def keep(self, address: str, answer: LinkAnswer) -> None:
        """Stores an answer."""
        self._answers[address] = answer
        self._unwritten += 1
        if self._unwritten >= _WRITTEN_EVERY:
            self._write()

    def _write(self) -> None:
        """Writes what still holds, with what others have written in the meantime."""
        if not self._unwritten:
            return
        now = self._now()
        for address, other in _read(self._path).items():
            own = self._answers.get(address)
            if own is None or (own.asked_at and other.asked_at and own.asked_at < other.asked_at):
                self._answers[address] = other
        valid = {address: _row(answer) for address, answer in self._answers.items() if answer.holds(now)}
        body = json.dumps({"version": _VERSION, "answers": valid}, ensure_ascii=False, separators=(",", ":"))
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self._path, body.encode("utf-8", "surrogatepass"))
        except OSError as error:
            _log.warning("what is known of links could not be kept for the next check: %s", error)
        self._unwritten = 0


def _row(answer: LinkAnswer) -> dict[str, Any]:
    return asdict(answer) | {"asked_at": answer.asked_at.isoformat() if answer.asked_at else None}


def _read(path: Path) -> dict[str, LinkAnswer]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return {}
        content = json.loads(path.read_bytes())
        rows = content["answers"] if content["version"] == _VERSION else {}
        answers = {address: _answer(row) for address, row in rows.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}
    return {address: answer for address, answer in answers.items() if answer is not None}


def _answer(row: Any) -> LinkAnswer | None:
    try:
        known = LinkAnswer(**row | {"asked_at": datetime.fromisoformat(row["asked_at"])})
    except (KeyError, TypeError, ValueError):
        return None
    is_sound = known.kind in get_args(LinkKind) and isinstance(known.status, int | None)
    is_sound = is_sound and isinstance(known.location, str | None) and isinstance(known.reason, str)
    return known if is_sound and known.asked_at is not None and known.asked_at.tzinfo is not None else None


DEAD, MOVED = "dead-link", "moved-link"


class LinkedAddress(NamedTuple):
    """An address of a list that can be requested, and its line."""

    line: int
    span: AddressSpan


def addresses_to_ask(
    text: ListText, suppression: Suppression, lines: Collection[int] | None
) -> tuple[LinkedAddress, ...]:
    """Returns the addresses of a list that may be reported on; `lines` are the only ones to report on, None for all."""
    found = [LinkedAddress(text.line_of(span.start), span) for span in addresses_in(text.markup)]
    return tuple(
        item
        for item in found
        if item.span.url.lower().startswith(("http://", "https://"))
        and (lines is None or item.line in lines)
        and not suppression.is_off(DEAD, item.line)
    )


def answers_about(lists: Iterable[Sequence[LinkedAddress]], report: Reporter) -> Mapping[str, LinkAnswer]:
    """Returns what is known of the addresses of all lists, each requested once or from the user's cache.

    Raises:
        UsageError: The certificates that the environment names cannot be read.
    """
    addresses = list(dict.fromkeys(item.span.url for linked in lists for item in linked))
    if not addresses:
        return {}
    with LinkFile(cache_folder() / "links.json") as store:
        return check_links(addresses, store=store, on_progress=report.stage("Links", len(addresses), "links"))


def link_findings(linked: Sequence[LinkedAddress], answers: Mapping[str, LinkAnswer]) -> list[ListFinding]:
    """Returns a finding for each address that is dead or has moved for good."""
    found = []
    for item in linked:
        answer = answers.get(item.span.url)
        if answer is None or answer.kind not in ("dead", "moved"):
            continue
        moment = f"asked at {answer.asked_at:%Y-%m-%d %H:%M} UTC" if answer.asked_at else ""
        evidence = tuple(filter(None, (answer.reason, moment)))
        if answer.kind == "dead":
            found.append(finding_on(item.line, DEAD, f"The link {item.span.url} leads nowhere.", *evidence))
        elif answer.location:
            message = f"The page {item.span.url} has moved for good, to {answer.location}."
            edits: tuple[Edit, ...] = ()
            try:
                written = item.span.written(answer.location)
                edits = (Edit(start=item.span.start, end=item.span.end, replacement=written),)
            except UsageError as refusal:
                evidence = (*evidence, str(refusal))
            found.append(finding_on(item.line, MOVED, message, *evidence, edits=edits))
    return found


def unseen_links(answers: Mapping[str, LinkAnswer]) -> tuple[str, ...]:
    """Returns how many links could not be looked at, by reason; those of papers that a service knows are no matter."""
    reasons = Counter(
        answer.reason
        for answer in answers.values()
        if answer.kind == "blocked" or (answer.kind == "unasked" and "time" in answer.reason)
    )
    shown = (f"{reason} ({number})" if len(reasons) > 1 else reason for reason, number in reasons.most_common(3))
    total = counted(reasons.total(), "link")
    return (f"{total} could not be looked at: {'; '.join(shown)}",) if reasons else ()
