"""What goes over the wire: a parsed request, and a reply before it is delivered."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Literal

Service = Literal["arxiv", "s2", "openalex"]

MAX_TARGET = 8190
"""Longest request target that either service's front accepts; beyond it the answer is 414."""


class Unsupported(ValueError):
    """A query that the real service answers and this stand-in cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as the services see it: query and form parameters in `params`, a JSON body in `body`."""

    service: Service
    endpoint: str
    method: str
    target: str
    path: str
    params: Mapping[str, str]
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole reply; `delivery` says how the server gets it across (see delivery.py)."""

    status: int
    body: bytes
    content_type: str
    headers: Mapping[str, str] = field(default_factory=dict)
    delivery: str = "plain"
    seconds: float = 0.0


def page(status: int, note: str = "") -> Reply:
    """Returns the HTML page that a proxy in front of a service writes."""
    title = f"{status} {HTTPStatus(status).phrase}"
    text = f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1></center>\r\n"
    text += f"<hr><center>{html.escape(note)}</center>\r\n</body>\r\n</html>\r\n"
    return Reply(status=status, body=text.encode(), content_type="text/html")
