"""Keeps a test run on loopback: this process by an audit hook, its children by proxies that lead nowhere."""

from __future__ import annotations

import ipaddress
import socket
import sys
from typing import Any

_LOCAL_NAMES = {"", "localhost", "localhost.localdomain", "ip6-localhost"}


class BeyondLoopback(OSError):
    """What code under test sees instead of the network: an operating system without a route."""


class NetworkGuard:
    """Refuses connections and name look-ups beyond loopback, and remembers who tried."""

    def __init__(self) -> None:
        self.attempts: list[str] = []
        self._nobody = socket.socket()
        self._nobody.bind(("127.0.0.1", 0))

    def environment(self) -> dict[str, str]:
        """Returns the variables that send children's requests to a loopback port on which nobody listens."""
        nowhere = f"http://127.0.0.1:{self._nobody.getsockname()[1]}"
        around = "127.0.0.1,localhost,::1"
        told = {**dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), nowhere), "NO_PROXY": around}
        return told | {name.lower(): value for name, value in told.items()}

    def install(self) -> None:
        """Starts the watch; an audit hook stays for the life of the process."""
        sys.addaudithook(self._watch)

    def _watch(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
            self._check(_host_of(arguments[1]), event)
        elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
            self._check(arguments[0], event)

    def _check(self, host: object, event: str) -> None:
        text = host.decode() if isinstance(host, bytes) else host
        if not isinstance(text, str) or _is_local(text):
            return
        if not text.endswith(".invalid"):
            self.attempts.append(f"{event} {text}")
        if event.startswith("socket.get"):
            raise socket.gaierror(socket.EAI_NONAME, f"tests have no network: {text}")
        raise BeyondLoopback(f"tests have no network: {text}")


def _host_of(address: object) -> object:
    """Returns the host of an internet address; a Unix socket has none."""
    return address[0] if isinstance(address, tuple) and address else None


def _is_local(host: str) -> bool:
    if host.lower() in _LOCAL_NAMES or host == socket.gethostname():
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
