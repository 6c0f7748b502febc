"""Addresses of reading lists: https ones, what is secret in them, and those of files on GitHub. Pure."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from dataclasses import dataclass
from urllib.parse import quote, unquote, unquote_plus, urldefrag, urlsplit, urlunsplit

from sources.errors import UsageError
from sources.text import MASK

# An https address is checked, and what is secret in it is masked for showing. What tells two lists apart is the
# whole address; where that holds a secret, a slow hash of it is in its place. The lake shows that hash and the
# address around the secret, so a fast hash would give a short secret away to whoever tries all of them; with this
# one a try costs 16 MB and some hundredths of a second. A secret of ten random letters is out of reach, one of four
# digits is not.
#
# `github:owner/name[@ref][/path]` and the addresses of a repository's pages mean the same file. Raw files are read
# from https://raw.githubusercontent.com/OWNER/NAME/REF/PATH, where the ref `HEAD` is the default branch.
_SECRET_WORDS = frozenset(
    "auth authorization bearer code credential credentials hmac jwt key nonce otp pass passphrase passwd password pat "
    "pin pwd sas secret session sessionid sid sig sign signature ticket token".split()
)
_SECRET_ENDS = ("token", "secret", "password", "passwd", "apikey", "accesskey", "authkey", "privatekey", "signature",
                "credential", "credentials", "sessionid")  # fmt: skip
# How well-known services begin their tokens: GitHub, GitLab, Slack, JSON Web Tokens, AWS, Google, OpenAI, ...
_TOKEN = re.compile(
    r"""(?<![A-Za-z0-9])(?:
        gh[opurs]_\w{4,} | github_pat_\w{4,} | gl[a-z]{2,5}-[\w-]{8,} | xox[a-z]-[\w-]{4,} | xapp-[\w-]{4,}
        | eyJ[\w-]{6,}\.[\w-]+(?:\.[\w-]*)? | A[KS]IA[0-9A-Z]{8,}
        | AIza[\w-]{16,} | ya29\.[\w-]+
        | [sp]k[-_][\w-]{12,} | hf_\w{12,} | npm_\w{12,} | pypi-[\w-]{12,} | dop_v1_\w{12,}
        | SG\.[\w.-]{12,}
    )""",
    re.VERBOSE,
)
_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_REVISION_NAMES = frozenset({"at", "commit", "h", "oid", "ref", "rev", "revision", "sha"})
_REVISION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LEAST_BITS = 3.0  # bits a character, from which a run of letters and digits is no word and no number
_PARAMETER = re.compile(r"([^&;]+)")
_SALT = b"paperlake: address of a reading list"


def host_and_port(url: str) -> tuple[str, int]:
    """Returns the host, in ASCII, and the port of an https address that a list may be read from.

    Raises:
        UsageError: Another scheme, a user name in it, or no valid address.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 443
    except ValueError:
        raise UsageError(f"{shown_url(url)} is not a valid address") from None
    if parts.scheme != "https":
        raise UsageError(f"{shown_url(url)} is not an https address; lists are read over https only")
    if "@" in parts.netloc:
        raise UsageError(f"{shown_url(url)} holds a user name or password; lists are read without one")
    if not host or "\\" in url or not url.isprintable() or " " in url:
        raise UsageError(f"{shown_url(url)} is not a valid address")
    try:
        return (host if ":" in host else host.encode("idna").decode("ascii")), port
    except UnicodeError:
        raise UsageError(f"{shown_url(url)} has no valid host name") from None


def without_secrets(url: str) -> str:
    """Returns `url` without fragment and user name, with `MASK` for what looks like a secret in its path and query."""
    parts = urlsplit(urldefrag(url).url)
    return urlunsplit(
        parts._replace(
            netloc=parts.netloc.rpartition("@")[2],
            path=_without_secrets_in_path(parts.path),
            query=_PARAMETER.sub(_masked_parameter, parts.query),
        )
    )


def identity_of(url: str) -> str:
    """Returns what tells the list at `url` from every other: the address, or `sealed:` and a slow hash of it."""
    whole = urldefrag(url).url
    if without_secrets(whole) == whole:
        return whole
    sealed = hashlib.scrypt(whole.encode("utf-8", "surrogatepass"), salt=_SALT, n=2**14, r=8, p=1, dklen=32)
    return f"sealed:{sealed.hex()}"


def is_masked(location: str) -> bool:
    """Returns whether `location` is an address without its secret, which cannot be read again."""
    return location.startswith("https://") and MASK in location


def shown_url(url: str) -> str:
    """Returns `url` for a message: on one line, without user name, query, fragment and tokens."""
    try:
        parts = urlsplit(url)
        netloc, path = parts.netloc.rpartition("@")[2], _without_secrets_in_path(parts.path)
    except ValueError:
        return "the address"
    return "".join(mark if mark.isprintable() else "?" for mark in f"{parts.scheme}://{netloc}{path}")


def _without_secrets_in_path(path: str) -> str:
    """Returns `path` with tokens and secret parameters masked; commits and document names are as random as secrets."""
    steps = []
    for step in path.split("/"):
        name, *parameters = step.split(";")
        masked = [_PARAMETER.sub(_masked_parameter, parameter) for parameter in parameters]
        steps.append(";".join([_TOKEN.sub(MASK, name), *masked]))
    return "/".join(steps)


def _masked_parameter(match: re.Match[str]) -> str:
    name, is_pair, value = match[0].partition("=")
    if not is_pair:
        return MASK if _is_secret_value(unquote_plus(name), named="") else match[0]
    plain = unquote_plus(name)
    words = [word.lower() for word in _WORDS.findall(plain)]
    is_secret_name = any(word in _SECRET_WORDS or word.endswith(_SECRET_ENDS) for word in words)
    if value and (is_secret_name or _is_secret_value(unquote_plus(value), named=plain.lower())):
        return f"{name}={MASK}"
    return match[0]


def _is_secret_value(value: str, *, named: str) -> bool:
    if named in _REVISION_NAMES and _REVISION.fullmatch(value):
        return False
    if _TOKEN.search(value) or _UUID.search(value):
        return True
    mixed = [run for run in _RUN.findall(value) if not (run.isdigit() or run.isalpha())]
    for run in mixed:  # letters and digits are mixed as in no word and no number
        shares = [count / len(run) for count in Counter(run).values()]
        if -sum(share * math.log2(share) for share in shares) >= _LEAST_BITS:
            return True
    return False


# Names to try, in order, where a repository or folder is named without a file.
README_NAMES = ("README.md", "readme.md", "Readme.md", "README.markdown", "README.txt", "README")

_OWNER = r"(?P<owner>[A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))"
_NAME = r"(?P<name>[A-Za-z0-9._-]{1,100})"
_SHORT = re.compile(rf"github:{_OWNER}/{_NAME}(?:@(?P<ref>[^/\s]+))?(?:/(?P<path>.*))?", re.DOTALL)
_PAGE = re.compile(rf"/{_OWNER}/{_NAME}(?:/(?:(?:blob|tree|raw)/(?P<ref>[^/]+)(?:/(?P<path>.*))?)?)?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class GithubFile:
    """A file in a GitHub repository."""

    owner: str  # the repository's owner
    name: str  # the repository's name
    ref: str | None = None  # branch, tag or commit; None means the default branch
    path: str = ""  # path inside the repository; empty means its README

    @property
    def location(self) -> str:
        """Returns the name under which the list is stored: `github:owner/name[@ref]/path`."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What an address holds."""

    body: bytes  # the bytes, after any transfer compression
    charset: str | None = None  # the encoding that the server states, None where it states none
