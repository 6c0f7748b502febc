"""`paperlake fix`: mends lists, as a diff, as a patch, or in their files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flows.commands.shared import Diff, Json, Lake, Links, Lists, Offline
from flows.progress import watched
from sources.errors import UsageError
from sources.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.check.links import LinkedAddress
    from flows.list_changes import Output, Work


def fix(
    lists: Lists = None,
    only: Annotated[
        str | None, typer.Option(metavar="CODE,...", help="Mend only these kinds of faults; docs/fix.md has them.")
    ] = None,
    exclude: Annotated[str | None, typer.Option(metavar="CODE,...", help="Mend all kinds of faults but these.")] = None,
    diff: Diff = False,
    check: Annotated[
        bool, typer.Option("--check", help="End with exit code 1 if there is something to change, for CI.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Make the changes in the lists' files.")] = False,
    patch: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the changes as a patch, for `git apply`; - prints it.")
    ] = None,
    annotate: Annotated[
        Literal["citations", "bibtex", "code"] | None,
        typer.Option(help="Show this beside every entry, and keep it up to date. Counts are OpenAlex's (CC0)."),
    ] = None,
    look: Annotated[
        Literal["suffix", "badge", "column"] | None,
        typer.Option("--as", help="The form of that. [default: a column in tables, else a suffix]"),
    ] = None,
    sort: Annotated[
        Literal["year", "venue", "title", "citations"] | None,
        typer.Option(help="Put the entries of one section in this order, whatever belongs to an entry with it."),
    ] = None,
    section: Annotated[str | None, typer.Option(metavar="HEADING", help="The section that --sort is about.")] = None,
    links: Links = True,
    offline: Offline = False,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Mends reading lists with the smallest edits, in each list's own style; shows them, and writes only with --write.

    It fills in empty links, missing years and venues, the venue of a preprint that has been published, and mends
    typing errors in titles, dead links, dx.doi.org, http and broken Markdown. What is not certain stays as it is. All
    else in a file stays byte for byte, and a second run changes nothing.

    Example: `paperlake fix README.md`  shows what it would change, and why

    Example: `paperlake fix README.md --only http-address,doi-address --write`

    Example: `paperlake fix README.md --check --exclude http-address`  in CI

    Example: `paperlake fix README.md --annotate citations --as badge --write`
    """
    from flows.check.entries import known_entries
    from flows.check.links import addresses_to_ask, answers_about, link_findings
    from flows.commands.check import settings_if_any
    from flows.list_changes import Output, Work, changed_list, put_out, read_editable_lists
    from sources.lists.checks.checks import suppression_of
    from sources.lists.checks.list_text import ListText
    from sources.lists.edits.annotations import NOT_SHOWN, shown_value
    from sources.lists.reading import parse_reading_list

    if diff and (write or patch):
        raise typer.BadParameter("--diff writes nothing; leave it out with --write and --patch")
    if check and write:
        raise typer.BadParameter("--check says whether there is something to change, --write changes it: name one")
    codes = _codes(only, exclude)
    work = Work(only=codes, annotate=annotate, look=look, sort=sort, section=section, links=links)
    output = Output(write=write, patch=patch, for_people=diff, as_json=as_json)
    _refuse_misuse(work, output)
    settings = settings_if_any(lake, offline=offline)
    arguments = [*(lists or ())] or [*(settings.lists if settings is not None else ())]
    if not arguments:
        raise UsageError("no list named: `paperlake fix LIST`, where LIST is a file, a folder or an address")
    documents = read_editable_lists(arguments, command="fix")
    parsed = [parse_reading_list(document.text) for document in documents]
    with watched() as reporter:
        known = known_entries(documents, parsed, settings, report=reporter)
        ignored = settings.check.ignore if settings is not None else ()
        linked: list[Sequence[LinkedAddress]] = [()] * len(documents)
        if work.asks_links and settings is not None and not settings.offline:
            texts = [ListText(document.text) for document in documents]
            linked = [addresses_to_ask(text, suppression_of(text, ignored), None) for text in texts]
        answers = answers_about(linked, reporter)
        findings = [link_findings(each, answers) for each in linked]
        changed = [
            changed_list(document, ignored, entries, others, work)
            for document, entries, others in zip(documents, known.by_list, findings, strict=True)
        ]
    unasked = sum(entry.unasked for entries in known.by_list for entry in entries)
    remarks = [*known.unasked]
    if unasked:
        remarks.append(
            f"nobody was asked about {counted(unasked, 'entry')}: what needs a paper's record stays as it is"
        )
    if work.annotate is not None:
        papers = [entry.paper for entries in known.by_list for entry in entries if entry.paper is not None]
        lacking = sum(shown_value(paper, work.annotate) is None for paper in papers)
        if lacking:
            remarks.append(f"{NOT_SHOWN[work.annotate]} of {lacking} of {counted(len(papers), 'paper')} found")
    put_out(changed, output, unasked=remarks)
    if check and any(each.changes for each in changed):
        raise typer.Exit(1)


def _codes(only: str | None, exclude: str | None) -> tuple[str, ...]:
    """Returns the kinds of faults to mend; none where all are."""
    from sources.lists.edits.fixes import FIXES

    if only and exclude:
        raise UsageError("--only names what is mended, --exclude what is not: name one of the two")
    option, named = ("--exclude", exclude) if exclude else ("--only", only)
    codes = tuple(code.strip() for code in (named or "").split(",") if code.strip())
    unknown = [code for code in codes if code not in FIXES]
    if unknown:
        raise UsageError(f"{option}: nothing is called {unknown[0]!r}; there are {', '.join(FIXES)}")
    if not exclude:
        return codes
    left = tuple(code for code in FIXES if code not in codes)
    if not left:
        raise UsageError("--exclude names every kind of fault, so that nothing is left to mend")
    return left


def _refuse_misuse(work: Work, output: Output) -> None:
    if output.write and output.patch is not None:
        raise UsageError("--write changes the lists, --patch leaves them as they are: name one of the two")
    if work.sort is not None and (work.only or work.annotate):
        raise UsageError("--sort moves whole entries, so it goes alone: mend the list first, then sort it")
    if work.look is not None and work.annotate is None:
        raise UsageError("--as is the form of what --annotate shows; name that as well")
