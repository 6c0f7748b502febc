"""Decisions of people about mentions: how they are stored, and which mentions they apply to.

A decision names its mention by the list's name and the title (or address) as the list writes it, never by line alone,
so it survives moved lines. It says one of three things: it is this paper; it is no paper; it is not these papers.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock

from sources.bibliography.identifiers import (
    S2_SCHEMES,
    SCHEMES,
    Identifier,
    is_scheme,
    named_identifiers,
    normal_identifier,
    parse_identifier,
)
from sources.bibliography.titles import title_key
from sources.errors import IdentifierError, UsageError
from sources.lists.local_files import read_list_file
from sources.text import object_of
from warehouse.durable_files import write_whole
from warehouse.tables.declarations import CandidateRow

FILE_NAME = "paperlake-decisions.jsonl"
_LOCK_WAIT_S = 30


class DecisionFile(NamedTuple):
    """The file of the decisions on one list."""

    path: Path  # the file; it need not exist
    list_name: str  # the name of the list in it


def decision_file_of(location: str, lake_folder: Path) -> DecisionFile:
    """Returns the file of the decisions on the list at `location`."""
    file = Path(location)
    if file.is_absolute():
        return DecisionFile(file.parent / FILE_NAME, file.name)
    return DecisionFile(lake_folder / FILE_NAME, location)


class DecisionFiles:
    """Reads files of decisions, each once."""

    def __init__(self, lake_folder: Path) -> None:
        self._lake_folder = lake_folder
        self.read: dict[Path, tuple[Decision, ...]] = {}

    def of(self, location: str) -> tuple[Decision, ...]:
        """Returns the decisions on the list at `location`.

        Raises:
            UsageError: The file cannot be read, or a line in it is not a decision.
        """
        path, list_name = decision_file_of(location, self._lake_folder)
        if path not in self.read:
            self.read[path] = read_decisions(path)
        return tuple(item for item in self.read[path] if item.list == list_name)


def read_decisions(path: Path) -> tuple[Decision, ...]:
    """Returns the decisions in the file at `path`, none where there is no file; blank lines are skipped.

    Raises:
        UsageError: The file cannot be read, a line is not a decision, or two are about the same mention and differ.
    """
    found: dict[tuple[object, ...], Decision] = {}
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        raw, where = line.strip(), f"{path}:{number}"
        try:
            decision = _decision(json.loads(raw, object_pairs_hook=object_of), where=where, raw=raw)
        except json.JSONDecodeError as error:
            hint = '; a remark goes under the key "note"' if raw.startswith(("#", "//")) else ""
            raise UsageError(f"{where} is not JSON: {error.msg} at column {error.colno}{hint}") from None
        except (ValueError, RecursionError, IdentifierError) as error:
            raise UsageError(f"{where}: {error}") from None
        before = found.setdefault(decision.target, decision)
        if before.ruling != decision.ruling:
            raise UsageError(f"{decision.where} and {before.where} differ about the same mention: delete one of them")
    return tuple(found.values())


def change_decisions(
    path: Path, edit: Callable[[Sequence[Decision]], Sequence[Decision]], *, lock_folder: Path
) -> None:
    """Replaces the decisions in the file at `path` by the result of `edit`, sorted, at once or not at all.

    Lines of unchanged decisions stay as they are, with the file's own line ends. A file without decisions is removed.

    Raises:
        UsageError: The file cannot be read or written; it is unchanged.
    """
    try:
        lock_folder.mkdir(parents=True, exist_ok=True)
        with FileLock(lock_folder / "decisions.lock", timeout=_LOCK_WAIT_S):
            file = path.resolve()
            end = "\r\n" if "\r\n" in _text(file) else "\n"
            decisions = sorted(edit(read_decisions(file)), key=lambda item: item.order)
            if decisions:
                write_whole(file, "".join(format_decision(decision) + end for decision in decisions).encode())
            else:
                file.unlink(missing_ok=True)
    except (OSError, TimeoutError) as error:
        raise UsageError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error


def _text(path: Path) -> str:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    try:
        return read_list_file(path, shown=str(path)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: byte {error.start} cannot be read") from None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


# The keys that a line may have, what stands there, and whether a value is that.
_KEYS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "list": ("text", _is_text),
    "mention": ("text", _is_text),
    "section": ("a list of texts", _are_texts),
    "url": ("text", _is_text),
    "nth": ("a number from 1 on", lambda value: isinstance(value, int) and not isinstance(value, bool) and value > 0),
    "paper": ("text", _is_text),
    "not": ("a list of texts", _are_texts),
    "on": ("text", _is_text),
    "by": ("text", _is_text),
    "note": ("text", _is_text),
}


def _decision(fields: Any, *, where: str, raw: str) -> Decision:
    if not isinstance(fields, dict):
        raise ValueError("a decision is an object: {...}")  # noqa: TRY004 - wrong input, not a wrong call
    if unknown := [key for key in fields if key not in _KEYS]:
        raise ValueError(f"unknown key {unknown[0]!r}; a decision has {', '.join(_KEYS)}")
    if ("paper" in fields) == ("not" in fields):
        raise ValueError('a decision has either "paper" (an identifier, or null for none) or "not" (a list of them)')
    for key, value in fields.items():
        kind, is_it = _KEYS[key]
        if value is not None and not is_it(value):
            raise ValueError(f'"{key}" is not {kind}: {value!r}')
    for key in ("list", "mention"):
        if not (fields.get(key) or "").strip():
            raise ValueError(f'"{key}" is missing')
    if "not" in fields and not fields["not"]:
        raise ValueError('"not" is empty: name the papers that it is not')
    paper, refused, section = fields.pop("paper", None), fields.pop("not", ()), fields.pop("section", None)
    return Decision(
        **fields,
        section=None if section is None else tuple(section),
        paper=None if paper is None else parse_paper(paper),
        refused=tuple(dict.fromkeys(map(parse_paper, refused))),
        where=where,
        raw=raw,
    )


def format_decision(decision: Decision) -> str:
    """Returns the line that `read_decisions` reads as this decision; for one that was read, its own line."""
    if decision.raw:
        return decision.raw
    paper = str(decision.paper) if decision.paper else None
    verdict = {"not": [*map(str, decision.refused)]} if decision.refused else {"paper": paper}
    fields = {key: verdict.get(key, getattr(decision, key, None)) for key in _KEYS}
    written = {key: value for key, value in fields.items() if key in verdict or value is not None}
    return json.dumps(written, ensure_ascii=False)


HOW = "write arxiv:1706.03762, doi:10.1109/5.726791, s2:PAPER-ID, corpus:13756489, or the paper's address"

_PREFIX = re.compile(r"([A-Za-z0-9]+):(?!//)\s*(.+)")
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionKey:
    """The fields by which a decision recognises a mention."""

    title: str | None  # the title as the list writes it
    url: str | None  # the link as the list writes it
    text: str  # the entry as written; the name of a mention that has neither
    section: tuple[str, ...]  # headings above it, outermost first

    @property
    def name(self) -> str:
        """Returns the name of the mention in a decision."""
        return self.title or self.url or " ".join(self.text.split())

    @property
    def keys(self) -> set[str]:
        """Returns the keys that a decision about it may have."""
        return {_key(self.name), *([self.url] if self.url else [])}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision."""

    list: str  # the list's file name; for a list that is no local file, its location
    mention: str  # the mention's title or address as written
    section: tuple[str, ...] | None = None  # its section; None where any will do
    url: str | None = None  # its link; None where any will do
    nth: int | None = None  # its number among equal mentions, from 1; None where it is about all of them
    paper: Identifier | None = None  # the paper that it is
    # papers that it is not, by their identifiers. Neither `paper` nor `refused` means that it is no paper.
    refused: tuple[Identifier, ...] = ()
    on: str | None = None  # the day of the decision
    by: str | None = None  # who decided
    note: str | None = None  # the person's own remark
    where: str = field(default="", compare=False)  # file and line, for messages; empty for a new one
    raw: str = field(default="", compare=False)  # the line as it stands in the file; empty for a new one

    @property
    def ruling(self) -> str:
        """Returns the decision in the words that the lake stores."""
        if self.refused:
            return "not " + ", ".join(map(str, self.refused))
        return f"paper {self.paper}" if self.paper else "no paper"

    @property
    def names(self) -> set[str]:
        """Returns the keys of mentions that it may be about."""
        return {_key(self.mention), self.mention}

    @property
    def target(self) -> tuple[Any, ...]:
        """Returns what identifies its mentions; no two decisions of a file may have the same target."""
        return self.list, _key(self.mention), self.section, self.url, self.nth

    @property
    def order(self) -> tuple[str, str, str, str, int]:
        """Returns its place in the file."""
        section = " / ".join(self.section or ())
        return self.list, self.mention.casefold(), section, self.url or "", self.nth or 0

    @property
    def narrowness(self) -> int:
        """Returns how closely it describes its mention; of two about the same mention, the closer one applies."""
        return (self.section is not None) + (self.url is not None) + 4 * (self.nth is not None)


def _key(name: str) -> str:
    return title_key(name) or name


def positions(decision: Decision, mention_keys: Sequence[MentionKey]) -> list[int]:
    """Returns the indices of the mentions in one list that a decision is about."""
    named = [index for index, mention_key in enumerate(mention_keys) if decision.names & mention_key.keys]
    return _matching(decision, named, mention_keys)


def _matching(decision: Decision, named: Iterable[int], mention_keys: Sequence[MentionKey]) -> list[int]:
    same = [
        index
        for index in named
        if decision.section in (None, mention_keys[index].section) and decision.url in (None, mention_keys[index].url)
    ]
    if decision.nth is not None:
        return same[decision.nth - 1 : decision.nth]
    if decision.url is not None or len(same) == 1:
        return same
    return [index for index in same if not is_contradicted(decision, mention_keys[index].url)] or same


def is_contradicted(decision: Decision, url: str | None) -> bool:
    """Returns whether a link says the contrary of a decision: it names another paper, or one that was refused.

    Of several mentions with one title, a decision that names no link is about those of which this is not so: papers
    may have the same title, and a mention that was added later was not judged.
    """
    named = identifier_of(url or "")
    if named is None:
        return False
    if decision.paper is not None:
        return decision.paper.scheme == named.scheme and decision.paper != named
    return named in map(normal_identifier, decision.refused)


def assign(
    decisions: Sequence[Decision], mention_keys: Sequence[MentionKey]
) -> tuple[dict[int, Decision], list[Decision]]:
    """Returns index of mention -> its decision, and the decisions that are about no mention of the list.

    Raises:
        UsageError: Two decisions that describe a mention equally closely differ.
    """
    by_key: defaultdict[str, list[int]] = defaultdict(list)
    for index, mention_key in enumerate(mention_keys):
        for key in mention_key.keys:
            by_key[key].append(index)
    chosen: dict[int, Decision] = {}
    idle: list[Decision] = []
    for decision in sorted(decisions, key=lambda item: item.narrowness):
        named = sorted({index for name in decision.names for index in by_key.get(name, ())})
        about = _matching(decision, named, mention_keys)
        if not about:
            idle.append(decision)
        for index in about:
            before = chosen.get(index)
            if before and before.narrowness == decision.narrowness and before.ruling != decision.ruling:
                raise UsageError(
                    f"{before.where} and {decision.where} say different things about the same mention: delete one of"
                    " the lines"
                )
            chosen[index] = decision
    return chosen, idle


def address(
    index: int, mention_keys: Sequence[MentionKey], *, outranks: Decision | None = None, with_url: bool = False
) -> dict[str, Any]:
    """Returns the fewest keys that distinguish the mention at `index` from the others of its list.

    The keys must be closer than those of a decision that it `outranks`, which still applies to other mentions; with
    `with_url`, the link is among them.
    """
    mention_key = mention_keys[index]
    ways: tuple[dict[str, Any], ...] = (
        {},
        {"section": mention_key.section},
        {"url": mention_key.url},
        {"section": mention_key.section, "url": mention_key.url},
    )
    equals: list[int] = []
    for way in ways[2:] if with_url else ways:
        probe = Decision(list="", mention=mention_key.name, **way)
        equals = positions(probe, mention_keys)
        if equals == [index] and (outranks is None or probe.narrowness > outranks.narrowness):
            return {"mention": mention_key.name, **way}
    return {"mention": mention_key.name, **ways[-1], "nth": equals.index(index) + 1}


def parse_paper(text: str) -> Identifier:
    """Returns the identifier that `text` names, in its scheme's normal form; arXiv's own DOIs become `arxiv`.

    Raises:
        IdentifierError: It names none, or one by which no source can be asked.
    """
    bare = text.strip()
    if _ADDRESS.fullmatch(bare):
        from sources.lists.reading.addresses import carried_by, split_address  # noqa: PLC0415 - takes 0.2 s

        carried = carried_by(split_address(bare))
        sound = [identifier for identifier in carried.identifiers if identifier.scheme in S2_SCHEMES]
        if not sound:
            raise IdentifierError(
                f"the address {bare} names no paper that a source can be asked for; {HOW}", value=bare
            )
        return normal_identifier(sound[0])
    prefixed = _PREFIX.fullmatch(bare)
    if prefixed and is_scheme(prefixed[1]):
        return _of_scheme(prefixed[1], prefixed[2])
    for scheme in ("arxiv", "doi"):
        with suppress(IdentifierError):
            return _of_scheme(scheme, bare)
    raise IdentifierError(f"{bare!r} names no paper by an identifier or address; {HOW}", value=bare)


def identifier_of(reference: str) -> Identifier | None:
    """Returns the identifier that `reference` names, None where it names none."""
    try:
        return parse_paper(reference)
    except IdentifierError:
        return None


def _of_scheme(scheme: str, text: str) -> Identifier:
    identifier = normal_identifier(parse_identifier(scheme, text))
    if identifier.scheme in S2_SCHEMES:
        return identifier
    known = ", ".join(item for item in SCHEMES if item in S2_SCHEMES)
    raise IdentifierError(f"no source can be asked by {scheme!r} identifiers, only by {known}", scheme=scheme)


def identifiers_of_row(row: CandidateRow) -> frozenset[Identifier]:
    """Returns the identifiers of a row of `candidates`, in the form in which decisions write them."""
    return frozenset(map(normal_identifier, named_identifiers(row["arxiv_id"], row["doi"], row["s2_paper_id"])))


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerDecisions:
    """The decisions on a local list that was renamed or moved."""

    file: Path  # the file beside the list, where they belong
    found: dict[Path, tuple[Decision, ...]]  # file -> decisions that still name the list as it was called before
    under_new_name: tuple[Decision, ...]  # all decisions on the list, with its present name


def former_decisions(former: str, location: str) -> FormerDecisions:
    """Returns the decisions on the list at `location`, which was at `former` before.

    They are looked for in the old folder and, where no other list has the old name there, in the new one.

    Raises:
        UsageError: A file of decisions cannot be read.
    """
    old, new = Path(former), Path(location)
    folders = [old.parent]
    if new.parent != old.parent and not (new.parent / old.name).exists():
        folders.append(new.parent)
    found = {}
    for folder in folders:
        decisions = read_decisions(folder / FILE_NAME)
        if own := tuple(item for item in decisions if item.list == old.name):
            found[folder / FILE_NAME] = own
    file = new.parent / FILE_NAME
    named = {item.target: item for item in read_decisions(file) if item.list == new.name}
    for item in chain.from_iterable(found.values()):
        renamed = replace(item, list=new.name, raw="")
        named.setdefault(renamed.target, renamed)
    return FormerDecisions(file=file, found=found, under_new_name=tuple(named.values()))


def move_decisions(former: str, location: str, *, lock_folder: Path) -> Path | None:
    """Moves the decisions on a renamed or moved list to the file beside it, under its present name, and returns that.

    None is returned where there was nothing to move.

    Raises:
        UsageError: A file cannot be read or written.
    """
    decisions = former_decisions(former, location)
    if not decisions.found:
        return None
    gone = set(chain.from_iterable(decisions.found.values()))
    present = {item.target for item in decisions.under_new_name}
    change_decisions(
        decisions.file,
        lambda every: [
            *(item for item in every if item.target not in present and item not in gone),
            *decisions.under_new_name,
        ],
        lock_folder=lock_folder,
    )
    for path in decisions.found.keys() - {decisions.file}:
        change_decisions(path, lambda every: [item for item in every if item not in gone], lock_folder=lock_folder)
    return decisions.file
