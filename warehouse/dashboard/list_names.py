"""What the page calls a list, and the address of a line in it."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, unquote, urlsplit

from sources.errors import UsageError
from sources.lists.remote import GithubFile, parse_github

if TYPE_CHECKING:
    from collections.abc import Sequence


def line_prefix(location: str) -> str | None:
    """Returns the address to which a line's number is appended, None where the list is not on the web.

    GitHub renders Markdown, and only its plain view has lines:
    https://docs.github.com/en/repositories/working-with-files/using-files/navigating-code-on-github
    """
    try:
        address = urlsplit(location)
        file = _raw_file(address) or parse_github(location)
    except (ValueError, UsageError):
        return None
    if file is not None and file.path:
        path = quote(f"{file.owner}/{file.name}/blob/{file.ref or 'HEAD'}/{file.path}", safe="/")
        return f"https://github.com/{path}?plain=1#L"
    return f"{location}#L" if address.scheme in ("http", "https") else None


def _raw_file(address: SplitResult) -> GithubFile | None:
    """Returns the file behind an address of GitHub's raw files: /OWNER/NAME/REF/PATH."""
    steps = unquote(address.path).strip("/").split("/")
    if address.scheme != "https" or address.netloc != "raw.githubusercontent.com" or len(steps) < 4:
        return None
    owner, name, ref, *path = steps
    return GithubFile(owner=owner, name=name, ref=ref, path="/".join(path))


def short_names(locations: Sequence[str]) -> list[str]:
    """Returns each location as people name it: an address in full, a file by the end of its path that tells it apart.

    A page is made to be shared, and where its maker's home folder is concerns nobody.
    """
    return [_tail(location, locations) if location.startswith("/") else location for location in locations]


def _tail(location: str, locations: Sequence[str]) -> str:
    parts = PurePosixPath(location).parts[1:]
    others = [other for other in locations if other != location]
    for length in range(1, len(parts)):
        tail = "/".join(parts[-length:])
        if not any(other.endswith(f"/{tail}") for other in others):
            return tail
    return "/".join(parts)
