"""Changes of addresses: their present form, empty links, dead ones. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from sources.errors import UsageError
from sources.list_checks.list_text import smallest_edit
from sources.list_edits.addresses import AddressSpan, with_https, with_present_resolver
from sources.list_edits.edits import Change
from sources.list_edits.form import is_for_paper
from sources.list_edits.siblings import KnownList, known_by
from sources.list_edits.writing import address_for
from sources.reading_list.links.identifiers import split_address

_WHAT = {"doi-address": "doi.org in the place of dx.doi.org", "http-address": "https in the place of http"}


def resolver_changes(known: KnownList) -> Iterator[Change]:
    """Yields the addresses of dx.doi.org as doi.org's."""
    for span in _addresses(known):
        present = with_present_resolver(span.url)
        if present and not (span.place == "bare" and "://" not in span.url):
            yield _readdressed(known, "doi-address", span, present, "doi.org has taken the place of dx.doi.org")


def scheme_changes(known: KnownList) -> Iterator[Change]:
    """Yields the addresses with http of hosts that serve https, with that."""
    for span in _addresses(known):
        if secure := with_https(span.url):
            host = split_address(span.url).host
            yield _readdressed(known, "http-address", span, secure, f"{host} serves its pages under https, too")


def _addresses(known: KnownList) -> Iterator[AddressSpan]:
    """Yields every address in the lines of entries, and in the definitions that these use, each once."""
    by_lines = {entry.spans.entry: entry.spans.addresses for entry in known.written.entries}
    in_lines = chain.from_iterable(by_lines.values())
    defined = (definition.address for definition in known.written.definitions)
    yield from {span.start: span for span in (*defined, *in_lines)}.values()


def _readdressed(known: KnownList, code: str, span: AddressSpan, url: str, evidence: str) -> Change:
    """Returns the change of an address, made with the fewest characters.

    Raises:
        UsageError: It cannot be written.
    """
    source = known.written.source
    written = address_for("html" if span.place == "html" else "markdown", url)
    return Change(
        code=code,
        line=source.line_of(span.start),
        message=f"{_WHAT.get(code, 'the address of the link')}: {url}",
        evidence=(evidence,),
        edits=(smallest_edit(span.start, source.text[span.start : span.end], written),),
    )


def empty_link_changes(known: KnownList) -> Iterator[Change]:
    """Fills the one empty link of an entry that is named for the paper, or is its title."""
    for written, entry in known.pairs():
        if entry.paper is None or entry.mention.url:
            continue
        empty = [span for span in written.spans.addresses if span.place == "link" and not span.url]
        named = [span for span in empty if is_for_paper(written.spans, span)]
        if len(named) != 1:
            continue
        if address := known.written.addresses.address(entry.paper, named[0].label):
            yield _readdressed(known, "empty-link", named[0], address, known_by(entry.paper))


def dead_link_changes(known: KnownList) -> Iterator[Change]:
    """Puts the paper's own address in the place of a dead one that is the entry's link to the paper."""
    for finding, written, entry in known.found("dead-link"):
        span = written.spans.paper_address
        if finding.edits or span is None or entry.paper is None or entry.linked is not None:
            continue
        address = known.written.addresses.address(entry.paper, span.label) or entry.paper.free_copy
        dead = split_address(span.url)
        if span.url not in finding.message or not address or split_address(address).host == dead.host:
            continue
        try:
            change = _readdressed(known, "dead-link", span, address, known_by(entry.paper))
        except UsageError:  # it leads to no page: the link stays, and is found dead
            continue
        yield Change(
            code="dead-link",
            line=change.line,
            message=finding.message,
            evidence=(*finding.evidence, *change.evidence),
            edits=change.edits,
        )
