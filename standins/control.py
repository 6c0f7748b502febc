"""The control endpoint's commands: how a test changes the services while they run. Never logged as traffic."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from standins.faults import Fault
from standins.openalex.service import CREDITS

if TYPE_CHECKING:
    from standins.server import Server

SERVICES = ("arxiv", "s2", "openalex")


def command(server: Server, name: str, asked: dict[str, Any]) -> Any:
    """Returns what the command answers.

    Raises:
        KeyError: There is no such command, service, paper or kind of fault.
    """
    if "service" in asked and asked["service"] not in (*SERVICES, None):
        raise KeyError(f"no service {asked['service']!r}")
    return _COMMANDS[name](server, asked)


def _fault(server: Server, asked: dict[str, Any]) -> None:
    server.faults.add(Fault(**asked))


def _limit(server: Server, asked: dict[str, Any]) -> None:
    server.traffic.limit(asked["service"], asked.get("per_seconds"), asked.get("connections"), asked.get("endpoint"))


def _latency(server: Server, asked: dict[str, Any]) -> None:
    server.traffic.latency[asked["service"]] = float(asked["seconds"])


def _down(server: Server, asked: dict[str, Any]) -> None:
    server.traffic.down.add(asked["service"])


def _up(server: Server, asked: dict[str, Any]) -> None:
    server.traffic.down.discard(asked["service"])


def _key(server: Server, asked: dict[str, Any]) -> None:
    server.s2_key = asked["key"]


def _credits(server: Server, asked: dict[str, Any]) -> None:
    server.credits_left = int(asked["left"])


def _reset(server: Server, asked: dict[str, Any]) -> None:
    server.faults.clear()
    server.traffic.reset()
    server.library.reset()
    server.s2_key = server.first_s2_key
    server.credits_left = CREDITS


_COMMANDS: dict[str, Callable[[Server, dict[str, Any]], Any]] = {
    "requests": lambda server, asked: server.traffic.lines(asked.get("service")),
    "clear_log": lambda server, asked: server.traffic.clear(),
    "reset": _reset,
    "fault": _fault,
    "clear_faults": lambda server, asked: server.faults.clear(),
    "limit": _limit,
    "latency": _latency,
    "down": _down,
    "up": _up,
    "key": _key,
    "credits": _credits,
    "add": lambda server, asked: server.library.add(asked["papers"]),
    "remove": lambda server, asked: server.library.remove(asked["ids"]),
    "leave_to_arxiv": lambda server, asked: server.library.leave_to_arxiv(asked["ids"]),
    "merge": lambda server, asked: server.library.merge(asked["reference"], asked["into"]),
    "set_counts": lambda server, asked: server.library.set_counts(asked["counts"]),
}
