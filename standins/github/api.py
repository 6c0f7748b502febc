"""GitHub's API as far as the action asks it: comments of a pull request, and pull requests, of one repository."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast
from urllib.parse import parse_qs, urlsplit

BOT = "github-actions[bot]"
_PAGE = 100
_GRAPHQL = "/graphql"


class GithubStandIn(ThreadingHTTPServer):
    """The API for `ada/lists`, for as long as the `with` block lasts.

    Attributes:
        token: The token that it takes.
        login: Whose it is; that of a person, or of an app with `[bot]` behind its name, as both APIs write it.
        tells_login: Whether it may ask for that.
        may_write: Whether that token may write; a pull request from a fork has one that may not.
        is_down: Whether it answers 502 to everything.
        comments: The comments of pull request 7, oldest first: id, body, user.
        pulls: The pull requests from branches of the repository, newest first.
        requests: Method and path of each request, oldest first.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.token = "ghs_standin"
        self.login = BOT
        self.tells_login = True
        self.may_write = True
        self.is_down = False
        self.comments: list[dict[str, Any]] = []
        self.pulls: list[dict[str, Any]] = []
        self.requests: list[tuple[str, str]] = []

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    @property
    def url(self) -> str:
        """Returns the address of the API."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def written(self) -> list[str]:
        """Returns the methods of the requests that wrote, oldest first."""
        return [method for method, path in self.requests if method != "GET" and path != _GRAPHQL]

    def comment_of(self, login: str, body: str) -> None:
        """Adds a comment by somebody."""
        self.comments.append({"id": 1000 + len(self.comments), "body": body, "user": {"login": login, "type": "User"}})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._take()

    def do_POST(self) -> None:
        self._take()

    def do_PATCH(self) -> None:
        self._take()

    def log_message(self, *arguments: Any) -> None:
        """Nothing is printed."""

    def _take(self) -> None:
        server = cast("GithubStandIn", self.server)
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        parts = urlsplit(self.path)
        server.requests.append((self.command, parts.path))
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if server.is_down:
            self._say(502, {"message": "Bad gateway"})
        elif self.headers.get("Authorization") != f"Bearer {server.token}":
            self._say(401, {"message": "Bad credentials"})
        elif parts.path == _GRAPHQL and body == {"query": "query { viewer { login } }"}:
            self._say(*_viewer(server))
        elif self.command != "GET" and not server.may_write:
            self._say(403, {"message": "Resource not accessible by integration"})
        else:
            self._say(*_answer(server, self.command, parts.path.removeprefix("/repos/ada/lists"), query, body))

    def _say(self, status: int, answer: Any) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _viewer(server: GithubStandIn) -> tuple[int, Any]:
    if server.tells_login:
        return 200, {"data": {"viewer": {"login": server.login}}}
    return 200, {"data": None, "errors": [{"type": "FORBIDDEN", "message": "Resource not accessible"}]}


def _answer(
    server: GithubStandIn, method: str, path: str, query: dict[str, str], body: dict[str, Any]
) -> tuple[int, Any]:
    steps = path.strip("/").split("/")
    answer = _about_pulls if steps[0] == "pulls" else _about_comments
    return answer(server, method, steps[1:], query, body) or (404, {"message": "Not Found"})


def _about_comments(
    server: GithubStandIn, method: str, steps: list[str], query: dict[str, str], body: dict[str, Any]
) -> tuple[int, Any] | None:
    match method, steps:
        case "GET", ["7", "comments"]:
            first = (int(query["page"]) - 1) * _PAGE
            return 200, server.comments[first : first + _PAGE]
        case "POST", ["7", "comments"]:
            server.comment_of(server.login, body["body"])
            return 201, server.comments[-1]
        case "PATCH", ["comments", number]:
            return _changed([each for each in server.comments if each["id"] == int(number)], body)
    return None


def _about_pulls(
    server: GithubStandIn, method: str, steps: list[str], query: dict[str, str], body: dict[str, Any]
) -> tuple[int, Any] | None:
    match method, steps:
        case "GET", []:
            owner, _, branch = query["head"].partition(":")
            from_branch = [each for each in server.pulls if each["head"] == branch and owner == "ada"]
            return 200, [each for each in from_branch if each["state"] == query["state"]]
        case "POST", []:
            if any(each["state"] == "open" and each["head"] == body["head"] for each in server.pulls):
                return 422, {"message": "A pull request already exists"}
            server.pulls.insert(0, {"number": 8 + len(server.pulls), "state": "open", "merged_at": None, **body})
            return 201, server.pulls[0]
        case "PATCH", [number]:
            return _changed([each for each in server.pulls if each["number"] == int(number)], body)
    return None


def _changed(found: list[dict[str, Any]], body: dict[str, Any]) -> tuple[int, Any]:
    if not found:
        return 404, {"message": "Not Found"}
    found[0].update(body)
    return 200, found[0]
