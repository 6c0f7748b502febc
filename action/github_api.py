"""What the action asks of GitHub: comments of a pull request, and pull requests. One request at a time."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, urlsplit

from job import ActionError, Job
from pydantic import SecretStr

from sources.errors import SourceError
from sources.http.transport import Key, Limits, Transport

_MOST_PAGES = 30
_PAGE = 100


class Refused(ActionError):
    """GitHub does not allow it with this token."""


class GithubApi:
    """GitHub's REST API for one repository: https://docs.github.com/rest ."""

    def __init__(self, job: Job) -> None:
        if not job.token:
            raise Refused("there is no token")
        key = Key("Authorization", SecretStr(job.token), prefix="Bearer ")
        limits = Limits(connect_s=10.0, read_s=30.0, whole_s=60.0)
        self._transport = Transport("github", url=job.api_url, limits=limits, key=key)
        self._graphql = job.graphql_url
        self._root = f"{job.api_url.rstrip('/')}/repos/{quote(job.repository)}"

    def close(self) -> None:
        """Closes the connection."""
        self._transport.close()

    def viewer(self) -> str | None:
        """Returns the login that the token writes under; None where GitHub does not say.

        `GET /user` is refused to a job's token and those of apps; GraphQL tells them, too.
        """
        try:
            answer = self._send("POST", self._graphql, {"query": "query { viewer { login } }"})
        except Refused:
            return None
        viewer = (answer.get("data") or {}).get("viewer") or {}
        return viewer.get("login")

    def comments(self, number: int) -> list[dict[str, Any]]:
        """Returns the comments of a pull request, oldest first; the first 3,000."""
        found: list[dict[str, Any]] = []
        for page in range(1, _MOST_PAGES + 1):
            path = f"/issues/{number}/comments?per_page={_PAGE}&page={page}"
            part = self._ask("GET", path)
            found += part
            if len(part) < _PAGE:
                break
        return found

    def add_comment(self, number: int, body: str) -> None:
        """Writes a comment to a pull request."""
        self._ask("POST", f"/issues/{number}/comments", {"body": body})

    def change_comment(self, comment: int, body: str) -> None:
        """Gives a comment another text."""
        self._ask("PATCH", f"/issues/comments/{comment}", {"body": body})

    def pull_requests(self, owner: str, branch: str, state: str) -> list[dict[str, Any]]:
        """Returns the latest pull requests from a branch of `owner`: `open` or `closed` ones."""
        head = quote(f"{owner}:{branch}", safe="")
        return list(self._ask("GET", f"/pulls?state={state}&head={head}&sort=created&direction=desc&per_page=20"))

    def open_pull_request(self, facts: dict[str, str]) -> int:
        """Opens a pull request (`title`, `body`, `head`, `base`) and returns its number."""
        return int(self._ask("POST", "/pulls", facts)["number"])

    def change_pull_request(self, number: int, body: str) -> None:
        """Gives a pull request another text."""
        self._ask("PATCH", f"/pulls/{number}", {"body": body})

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        return self._send(method, self._root + path, body)

    def _send(self, method: str, url: str, body: Any = None) -> Any:
        path = urlsplit(url).path.removeprefix(urlsplit(self._root).path)
        try:
            received = self._transport.send(method, url, json=body)
        except SourceError as error:
            raise ActionError(str(error)) from error
        if received.status in (401, 403, 404):
            raise Refused(f"GitHub answers {received.status} to {method} {path}")
        if received.status not in (200, 201):
            raise ActionError(f"GitHub answers {received.status} to {method} {path}")
        try:
            return json.loads(received.body)
        except ValueError as error:
            raise ActionError(f"GitHub's answer to {method} {path} is no JSON") from error
