"""Checks the lists of a command's LIST arguments, all of their lines or only those that a change touches."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from flows.check.entries import KnownEntries, known_entries
from flows.check.links import addresses_to_ask, answers_about, link_findings, unseen_links
from flows.list_names import shown_location
from sources.errors import UsageError
from sources.lists.checks.checks import check_list, suppression_of
from sources.lists.checks.list_text import ListText
from sources.lists.git import ask_git, renames_in, repository_of
from sources.lists.locations import read_lists
from sources.lists.reading import parse_reading_list
from sources.text import counted, json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flows.progress import Reporter
    from flows.settings import Settings
    from sources.lists.checks.findings import Level, ListFinding

_git = partial(ask_git, asked_by="--changed")
_HUNK = re.compile(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def changed_lines(location: str, ref: str) -> frozenset[int] | None:
    """Returns the lines of a list that differ from where its branch left `ref`, committed or not.

    A list that was renamed since is compared with its former self. None stands for all lines: the list is new.

    Raises:
        UsageError: The list is no file of a git repository, git is not installed, or it does not know `ref`.
    """
    path = Path(location)
    if location == "-" or "://" in location or location.startswith("github:") or not path.is_file():
        raise UsageError(f"--changed needs lists that are files of a git repository; {location} is none")
    if ref.startswith("-") or not ref:
        raise UsageError(f"--changed: that is no branch, tag or commit: {ref!r}")
    file = path.resolve()
    top = repository_of(file, asked_by="--changed")
    no_commit = f"git knows no {ref!r} here; fetch it"
    commit = _git(top, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", fault=no_commit).decode().strip()
    unrelated = f"{ref!r} and this branch have no commit in common; fetch more of the history"
    base = _git(top, "merge-base", commit, "HEAD", fault=unrelated).decode().strip()
    now = file.relative_to(top).as_posix()
    former: str | None = now
    if not _git(top, "ls-tree", "-z", "--name-only", base, "--", f":(top,literal){now}"):
        renames = ("--cached", "--name-status", "-z", "-M", "--diff-filter=R", "--ignore-submodules=all", base)
        former = renames_in(_git(top, "diff-index", *renames)).get(now)
    if former is None:
        return None
    # Compared outside of the repository, whose settings and attributes could name programs to read them with.
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "former").write_bytes(_git(top, "cat-file", "blob", f"{base}:{former}"))
        shutil.copyfile(file, folder / "list")
        options = ("--no-index", "--text", "--ignore-cr-at-eol", "--unified=0", "--no-color", "--no-ext-diff")
        diff = _git(folder, "diff", *options, "--", "former", "list", may_differ=True)
    hunks = ((int(match[1]), int(match[2] or 1)) for match in _HUNK.finditer(diff))
    return frozenset(line for first, number in hunks for line in range(first, first + number))


LEVELS: tuple[Level, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedList:
    """A list and what was found in it."""

    name: str  # its location, below the working folder as a path from there
    mentions: int  # how many papers it names
    findings: tuple[ListFinding, ...]  # what was found, by line
    text: ListText  # its text

    def column(self, item: ListFinding) -> int:
        """Returns the 1-based column of a finding: of what is to be changed, else of the first word of its line."""
        start, end = self.text.stretch(item.line, item.line)
        for edit in item.edits:
            if start <= edit.start <= end:
                return edit.start - start + 1
        line = self.text.line(item.line)
        return len(line) - len(line.lstrip()) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What a check found."""

    lists: tuple[CheckedList, ...]  # the lists, in order
    # what could not be asked or was not to be, a sentence each: of that, nothing is said to be well
    unasked: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()  # what is wrong with the comments that switch findings off, a sentence each

    def only(self, chosen: Callable[[CheckedList, ListFinding], bool]) -> CheckReport:
        """Returns the report with the findings alone that are `chosen`."""
        lists = (
            replace(each, findings=tuple(item for item in each.findings if chosen(each, item))) for each in self.lists
        )
        return replace(self, lists=tuple(lists))

    @property
    def number(self) -> int:
        """Returns how many findings there are."""
        return sum(len(each.findings) for each in self.lists)

    def count(self, level: Level) -> int:
        """Returns the number of findings of a level."""
        return sum(item.level == level for each in self.lists for item in each.findings)

    @property
    def total(self) -> str:
        """Returns how many findings of each level there are, in words."""
        counts = [(self.count(level), level) for level in LEVELS]
        words = ", ".join(counted(number, level) for number, level in counts if number)
        return words or "no findings"


def check_lists(
    arguments: Sequence[str], settings: Settings | None, *, ref: str | None, report: Reporter, asks_links: bool = False
) -> CheckReport:
    """Reads the lists named, finds out about their papers, and returns what is wrong in them.

    Without settings, only the text is checked. With a `ref`, nothing is reported but about lines that differ from
    where the branch left it. `asks_links` is whether the servers of links are requested.

    Raises:
        UsageError: A list cannot be read, or its changed lines cannot be told.
        WarehouseError: The lake cannot be read.
    """
    ignored = settings.check.ignore if settings is not None else ()
    documents = read_lists(arguments)
    changed = [None if ref is None else changed_lines(document.location, ref) for document in documents]
    parsed = [parse_reading_list(document.text) for document in documents]
    texts = [ListText(document.text) for document in documents]
    suppressions = [suppression_of(text, ignored) for text in texts]
    linked = [addresses_to_ask(*each) for each in zip(texts, suppressions, changed, strict=True)]
    known = known_entries(documents, parsed, settings, report=report)
    answers = answers_about(linked, report) if asks_links else {}
    checked = [
        CheckedList(
            name=shown_location(document.location),
            mentions=len(entries),
            text=text,
            findings=tuple(
                check_list(text, entries, suppression=off, others=link_findings(links, answers), lines=lines)
            ),
        )
        for document, text, off, lines, links, entries in zip(
            documents, texts, suppressions, changed, linked, known.by_list, strict=True
        )
    ]
    return CheckReport(
        lists=tuple(checked),
        unasked=(*known.unasked, *_papers_nobody_was_asked_about(known), *unseen_links(answers)),
        remarks=tuple(
            f"{each.name}:{line}: there is no finding called {word!r}; docs/checks.md has the codes"
            for each, suppression in zip(checked, suppressions, strict=True)
            for line, word in suppression.unknown
        ),
    )


def _papers_nobody_was_asked_about(known: KnownEntries) -> tuple[str, ...]:
    entries = [entry for each in known.by_list for entry in each]
    unasked = sum(entry.unasked for entry in entries)
    if not unasked:
        return ()
    where = f" of {counted(len(known.by_list), 'list')}" if len(known.by_list) > 1 else ""
    total = counted(len(entries), "entry")
    whose = "its" if unasked == 1 else "their"
    return (f"nobody was asked about {unasked} of {total}{where}, so only {whose} text was checked",)


# Findings that a list has had for long, kept in a file so that a check reports new ones alone. A finding is known again
# by its list, its code and the text of its line, wherever that is by now.
_FORM = "findings left out"


def baseline_of(report: CheckReport) -> str:
    """Returns the text of a file that has all findings of the report."""
    counts = Counter(_key(each, item) for each in report.lists for item in each.findings)
    known = [{"list": name, "code": code, "line": line, "count": n} for (name, code, line), n in sorted(counts.items())]
    return json_text({_FORM: known}, indent=1) + "\n"


def without_baseline(file: Path, report: CheckReport) -> CheckReport:
    """Returns the report without the findings that the file has; of several like each other, no more than it has.

    Raises:
        UsageError: It cannot be read, or is no baseline.
    """
    try:
        known = json.loads(file.read_text(encoding="utf-8"))[_FORM]
        left = Counter({(each["list"], each["code"], each["line"]): int(each["count"]) for each in known})
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror or error}; --write-baseline makes one") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file} is no baseline of `paperlake check`; --write-baseline makes one") from error

    def is_new(each: CheckedList, item: ListFinding) -> bool:
        key = _key(each, item)
        left[key] -= 1
        return left[key] < 0

    new = report.only(is_new)
    left_out = report.number - new.number
    remark = f"{counted(left_out, 'finding')} of {file} left out"
    return replace(new, remarks=(*new.remarks, remark)) if left_out else new


def _key(each: CheckedList, item: ListFinding) -> tuple[str, str, str]:
    words = " ".join(each.text.line(item.line).split())
    return each.name, item.code, hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]
