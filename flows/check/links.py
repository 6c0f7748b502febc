"""The findings about links that are dead or have moved, made from what their servers answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from sources.errors import UsageError
from sources.link_checks import check_links
from sources.list_checks.findings import CODES, Edit, ListFinding
from sources.list_edits.addresses import addresses_in
from sources.list_edits.writing import address_for
from sources.text import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from flows.progress import Reporter
    from sources.link_checks import LinkAnswer
    from sources.list_checks.list_text import ListText
    from sources.list_checks.suppression import Suppression
    from sources.list_edits.addresses import AddressSpan

AskLinks = Callable[[Iterable[str], Callable[[int, int], None]], "Mapping[str, LinkAnswer]"]
"""Addresses, and whom to tell how many of how many have an answer -> answers."""
DEAD, MOVED = "dead-link", "moved-link"


class LinkedAddress(NamedTuple):
    """An address of a list that its server can be asked for, and the line on which it stands."""

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


def ask_links(addresses: Iterable[str], progress: Callable[[int, int], None]) -> Mapping[str, LinkAnswer]:
    """Returns what is known of each address, from the cache of the user or by asking.

    Raises:
        UsageError: The certificates that the environment names cannot be read.
    """
    from flows.check.link_store import LinkFile, link_file  # noqa: PLC0415 - brings HTTP

    with LinkFile(link_file()) as store:
        return check_links(addresses, store=store, on_progress=progress)


def answers_about(
    lists: Iterable[Sequence[LinkedAddress]], ask: AskLinks, report: Reporter
) -> Mapping[str, LinkAnswer]:
    """Returns what is known of the addresses of all lists, each asked for once, and shows progress."""
    addresses = list(dict.fromkeys(item.span.url for linked in lists for item in linked))
    if not addresses:
        return {}
    advance = report.stage("Links", len(addresses), "links")
    done = 0

    def progress(number: int, _: int) -> None:
        nonlocal done
        advance(number - done)
        done = number

    return ask(addresses, progress)


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
            found.append(_finding(DEAD, item, f"The link {item.span.url} leads nowhere.", evidence))
        elif answer.location:
            message = f"The page {item.span.url} has moved for good, to {answer.location}."
            try:
                written = address_for("html" if item.span.place == "html" else "markdown", answer.location)
            except UsageError as refusal:
                found.append(_finding(MOVED, item, message, (*evidence, str(refusal))))
                continue
            edit = Edit(start=item.span.start, end=item.span.end, replacement=written)
            found.append(_finding(MOVED, item, message, evidence, edit))
    return found


def _finding(code: str, item: LinkedAddress, message: str, evidence: tuple[str, ...], *edits: Edit) -> ListFinding:
    level = CODES[code].level
    return ListFinding(
        code=code, level=level, line=item.line, last_line=item.line, message=message, evidence=evidence, edits=edits
    )


def unseen_links(answers: Mapping[str, LinkAnswer]) -> tuple[str, ...]:
    """Returns how many links could not be looked at, by reason; those of papers that a service knows are no matter."""
    reasons: defaultdict[str, int] = defaultdict(int)
    for answer in answers.values():
        if answer.kind == "blocked" or (answer.kind == "unasked" and "time" in answer.reason):
            reasons[answer.reason] += 1
    most = sorted(reasons.items(), key=lambda pair: -pair[1])[:3]
    causes = "; ".join(f"{number} {reason}" for reason, number in most)
    total = sum(reasons.values())
    return (f"{counted(total, 'link')} could not be looked at: {causes}",) if total else ()
