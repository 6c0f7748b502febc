"""Names of reading lists on GitHub -> the raw addresses that hold them. Pure.

`github:owner/name[@ref][/path]` and the addresses of a repository's pages mean the same file. Raw files are read from
https://raw.githubusercontent.com/OWNER/NAME/REF/PATH, where the ref `HEAD` is the default branch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from sources.errors import UsageError

README_NAMES = ("README.md", "readme.md", "Readme.md", "README.markdown", "README.txt", "README")
"""Names to try, in order, where a repository or folder is named without a file."""

_OWNER = r"(?P<owner>[A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))"
_NAME = r"(?P<name>[A-Za-z0-9._-]{1,100})"
_SHORT = re.compile(rf"github:{_OWNER}/{_NAME}(?:@(?P<ref>[^/\s]+))?(?:/(?P<path>.*))?", re.DOTALL)
_PAGE = re.compile(rf"/{_OWNER}/{_NAME}(?:/(?:(?:blob|tree|raw)/(?P<ref>[^/]+)(?:/(?P<path>.*))?)?)?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class GithubFile:
    """A file in a GitHub repository.

    Attributes:
        owner: The repository's owner.
        name: The repository's name.
        ref: Branch, tag or commit; None means the default branch.
        path: Path inside the repository; empty means its README.
    """

    owner: str
    name: str
    ref: str | None = None
    path: str = ""

    @property
    def location(self) -> str:
        """Returns the name under which the list is kept: `github:owner/name[@ref]/path`."""
        ref = "" if self.ref is None else f"@{self.ref}"
        return f"github:{self.owner}/{self.name}{ref}/{self.path}".rstrip("/")

    @property
    def raw_url(self) -> str:
        """Returns the https address of the file's bytes."""
        parts = quote(f"{self.owner}/{self.name}/{self.ref or 'HEAD'}/{self.path}", safe="/")
        return f"https://raw.githubusercontent.com/{parts}"

    def alternatives(self) -> list[GithubFile]:
        """Returns the files to try, in order: the one named, then the README of the folder of that name."""
        named = [self] if self.path else []
        folder = f"{self.path}/" if self.path else ""
        return named + [
            GithubFile(owner=self.owner, name=self.name, ref=self.ref, path=folder + readme) for readme in README_NAMES
        ]


def parse_github(argument: str) -> GithubFile | None:
    """Returns the GitHub file that `argument` names, None where it names something else.

    Raises:
        UsageError: It starts with `github:` but has another form.
    """
    if argument.startswith("github:"):
        match = _SHORT.fullmatch(argument)
        if match is None:
            raise UsageError(
                f"{argument} is not a GitHub repository; write github:owner/name or github:owner/name/path"
            )
        return _file(match, argument)
    try:
        parts = urlsplit(argument)
    except ValueError:
        return None
    if parts.scheme != "https" or parts.netloc.lower() not in ("github.com", "www.github.com") or parts.query:
        return None
    page = _PAGE.fullmatch(unquote(parts.path))
    return None if page is None else _file(page, argument)


def _file(match: re.Match[str], argument: str) -> GithubFile:
    path = (match["path"] or "").strip("/")
    steps = [match["name"], match["ref"] or "", *path.split("/")]
    if any(step in (".", "..") for step in steps) or not path.isprintable():
        raise UsageError(f"{argument} does not name a file inside its repository")
    return GithubFile(owner=match["owner"], name=match["name"].removesuffix(".git"), ref=match["ref"], path=path)
