"""Changes lists: finds what is to be changed, shows it, writes it as a patch, or makes it in the lists' files."""

from __future__ import annotations

import codecs
import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from flows.console import BOLD, CYAN, DIM, paragraph, styled
from flows.list_names import shown_location
from sources.errors import UsageError
from sources.lists.checks.checks import check_list, suppression_of
from sources.lists.checks.findings import CheckedEntry, ListFinding
from sources.lists.checks.list_text import ListText
from sources.lists.edits.annotations import Kind, Look, aligned_changes, annotation_changes
from sources.lists.edits.edits import Change, apply_edits, diff_text, edits_of, hunks_of, without_conflicts
from sources.lists.edits.fixes import changes_of
from sources.lists.edits.places import Order, sorted_section
from sources.lists.edits.sound import settled_changes
from sources.lists.local_files import encode_like, read_list_file
from sources.lists.locations import ListDocument, read_lists
from sources.lists.reading.tabular import read_table
from sources.text import counted, json_text, shown


def read_editable_lists(arguments: Sequence[str], *, command: str) -> list[ListDocument]:
    """Returns the lists that the arguments name, as `read_lists` does, for a command that edits them.

    Raises:
        UsageError: As there, or a list is no Markdown.
    """
    documents = read_lists(arguments)
    for document in documents:
        if (table := read_table(document.text)) is not None:
            raise UsageError(
                f"{shown_location(document.location)} is {table.form}, which {command} cannot write to; change it in"
                " the program that it comes from, or keep the list in Markdown"
            )
    return documents


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedList:
    """A list and the changes that are to be made in it."""

    document: ListDocument
    changes: tuple[Change, ...]
    left_out: tuple[Change, ...] = ()  # what would mend it too, and was not made: see `put_out`

    @property
    def name(self) -> str:
        """Returns its location, below the working folder as a path from there."""
        return shown_location(self.document.location)

    def patch(self) -> str:
        """Returns the diff as `git apply` takes it, and before it a line for each change with its evidence."""
        if not self.changes:
            return ""
        proofs = [f" ({'; '.join(change.evidence)})" if change.evidence else "" for change in self.changes]
        reasons = [
            shown(f"{self.name}:{change.line}: {change.code}: {change.message}{proof}")
            for change, proof in zip(self.changes, proofs, strict=True)
        ]
        return "".join(f"# {reason}\n" for reason in reasons) + self._diff_of_file()

    def _diff_of_file(self) -> str:
        """Returns the diff of the file, in which a byte-order mark may stand before the text."""
        path, text, changes = Path(self.document.location), self.document.text, self.changes
        if path.is_absolute() and read_list_file(path, shown=self.name).startswith(codecs.BOM_UTF8):
            text = codecs.BOM_UTF8.decode() + text
            changes = tuple(replace(item, edits=tuple(edit.moved(1) for edit in item.edits)) for item in changes)
        return diff_text(self.name.lstrip("/"), hunks_of(text, changes))

    def screen(self) -> Iterator[str]:
        """Yields the diff in lines for people, each stretch below what is changed in it and why."""
        if not self.changes:
            return
        yield styled(f"{shown(self.name)}: {counted(len(self.changes), 'change')}", BOLD)
        for hunk in hunks_of(self.document.text, self.changes):
            yield ""
            for change in hunk.changes:
                yield f"{change.line:>6}  {styled(change.code, BOLD)}"
                yield from paragraph(change.message, indent=" " * 8)
                for phrase in change.evidence:
                    yield from paragraph(phrase, indent=" " * 10, first=" " * 8, style=DIM)
            yield styled(hunk.header, CYAN)
            for line in hunk.lines:
                for part in line.rstrip("\n").split("\n"):
                    yield styled(shown(part), {"+": "32", "-": "31"}.get(part[:1], ""))

    def as_object(self) -> dict[str, Any]:
        """Returns the list with its changes for JSON; offsets count characters of the text, as those of `check`."""
        changes = [asdict(change) for change in self.changes]
        left_out = [{"line": each.line, "code": each.code, "message": each.message} for each in self.left_out]
        return {"list": self.name, "changes": changes, "left_out": left_out, "diff": self._diff_of_file()}

    def write(self) -> None:
        """Puts the changed text into the list's file, whole or not at all; its mode, its encoding and links stay.

        Raises:
            UsageError: It is no file, was changed since it was read, or cannot be written; it is as it was.
        """
        from warehouse.durable_files import write_whole  # noqa: PLC0415 - only where something is written

        path = Path(self.document.location)
        if not path.is_absolute():
            raise UsageError(f"{self.name} is no file on this machine; use --patch FILE, or --diff to see the changes")
        target = path.resolve()
        body = read_list_file(target, shown=self.name)
        if hashlib.sha256(body).hexdigest() != self.document.revision:
            raise UsageError(f"{self.name} was changed while it was read; it is as it was: run the command again")
        text = apply_edits(self.document.text, edits_of(self.changes))
        try:
            write_whole(target, encode_like(body, text, name=self.name))
        except OSError as error:
            raise UsageError(f"{self.name} cannot be written ({error.strerror}); it is as it was") from None


class Work(NamedTuple):
    """What is to be done with the lists."""

    only: tuple[str, ...] = ()  # the kinds of fixes that are made; all where empty
    annotate: Kind | None = None  # what is shown beside entries, None for nothing
    look: Look | None = None  # the form of that
    sort: Order | None = None  # what a section is sorted by, None where none is
    section: str | None = None  # the heading of that section
    links: bool = False  # whether the servers of links are asked

    @property
    def asks_links(self) -> bool:
        """Returns whether what servers say of their links is of use."""
        return self.links and self.mends and (not self.only or not {"dead-link", "moved-link"}.isdisjoint(self.only))

    @property
    def mends(self) -> bool:
        """Returns whether faults are mended."""
        return bool(self.only) or (self.annotate is None and self.sort is None)


def changed_list(
    document: ListDocument,
    ignored: Sequence[str],
    entries: Sequence[CheckedEntry],
    others: Sequence[ListFinding],
    work: Work,
) -> ChangedList:
    """Returns the list with its changes, and with those that were left out."""
    text = document.text
    if work.sort is not None:
        change = sorted_section(text, entries, work.sort, section=work.section)
        return ChangedList(document=document, changes=() if change is None else (change,))
    left_out: list[Change] = []

    def mend(current: str, its_entries: Sequence[CheckedEntry]) -> list[Change]:
        checked = ListText(current)
        suppression = suppression_of(checked, ignored)
        of_links = others if current == text else ()
        findings = check_list(checked, its_entries, suppression=suppression, others=of_links)
        mended, left = changes_of(current, its_entries, findings, only=work.only, is_off=suppression.is_off)
        if current == text:
            left_out[:] = left
        return mended

    changes = settled_changes(text, entries, mend) if work.mends else []
    if work.annotate is not None:
        changes += annotation_changes(text, entries, work.annotate, work.look)
    made, beside = without_conflicts(text, changes)
    messages = "\n".join(change.message for change in made)  # what a later round makes of the same words
    left = [change for change in (*left_out, *beside) if change.message not in messages]
    return ChangedList(document=document, changes=tuple(aligned_changes(text, made)), left_out=tuple(left))


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What becomes of the changes."""

    write: bool = False  # whether the lists are changed
    patch: Path | None = None  # the file for a patch; None for none
    for_people: bool = False  # whether the diff is printed for people also where standard output is no terminal
    as_json: bool = False  # whether one object is printed instead; docs/json.md has its keys


def put_out(lists: Sequence[ChangedList], output: Output, *, unasked: Sequence[str] = ()) -> None:
    """Writes the changes into their lists or into a patch, or prints them; and says how many there are.

    `unasked` is what could not be asked or is not known, a sentence each: said on standard error, or in the object.

    Raises:
        UsageError: A file cannot be written.
    """
    if not output.as_json:
        left_out = (
            f"{each.name}:{change.line}: left out: {change.code}: {change.message} With it, other entries would read"
            " otherwise, or another change would touch the same words: make it by hand"
            for each in lists
            for change in each.left_out
        )
        sys.stderr.writelines(f"paperlake: {shown(remark)}\n" for remark in (*unasked, *left_out))
    write, patch = output.write, output.patch
    changed = [each for each in lists if each.changes]
    number = sum(len(each.changes) for each in changed)
    total, then = f"{counted(number, 'change')} in {counted(len(changed), 'list')}", ""
    if write:
        for each in changed:
            each.write()
        then = ", written"
    elif patch is not None and str(patch) != "-":
        from warehouse.durable_files import write_whole  # noqa: PLC0415 - only where something is written

        try:
            write_whole(patch.resolve(), "".join(each.patch() for each in changed).encode())
        except OSError as error:
            raise UsageError(f"{patch} cannot be written: {error.strerror}") from None
        then = f", in {patch}; apply it with `git apply {patch}`"
    elif output.as_json:
        pass
    elif output.for_people or (patch is None and sys.stdout.isatty()):
        sys.stdout.writelines(f"{line}\n" for each in changed for line in each.screen())
        then = "; `--write` makes them"
    else:
        sys.stdout.write("".join(each.patch() for each in changed))
    if output.as_json:
        objects = [each.as_object() for each in lists]
        counts = {"changes": number, "written": write, "patch": str(patch) if patch else None, "unasked": [*unasked]}
        sys.stdout.write(json_text({"lists": objects, **counts}, indent=1) + "\n")
    else:
        sys.stderr.write(f"{shown(total + then) if number else 'nothing to change'}\n")
