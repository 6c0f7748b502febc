"""Getting a reply across a socket, well or badly."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

from standins.wire import Reply

_DRIPS = 20
_WITHOUT_LENGTH = frozenset({"chunks_cut", "no_length", "endless"})
_ENDLESS_MB = 80
"""What an endless body sends before it tires; more than any client has reason to take."""


def deliver(handler: BaseHTTPRequestHandler, reply: Reply, done: Callable[[int], None]) -> None:
    """Sends the reply as its `delivery` says, and calls `done` with the body bytes sent: before the last of them where
    the reply is whole, so that no client can have it all, ask again, and be taken for two.
    """
    if reply.delivery in ("slow", "hang"):
        time.sleep(reply.seconds)
    if reply.delivery in ("drop_before_headers", "hang"):
        reset(handler)
        return
    if reply.delivery in _WITHOUT_LENGTH:
        _send_without_length(handler, reply, done)
        return
    _send_head(handler, reply)
    if reply.delivery == "drop_after_headers":
        handler.wfile.flush()
        reset(handler)
    elif reply.delivery == "cut":
        done(_send_half(handler, reply.body))
    else:
        pause = reply.seconds / _DRIPS if reply.delivery == "drip" else 0.0
        _send_whole(handler, reply.body, pause, done)


def reset(handler: BaseHTTPRequestHandler) -> None:
    """Ends the connection with a TCP reset: what a dropped connection looks like from the other side."""
    handler.close_connection = True
    linger_off = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_off)
    handler.connection.close()


def _send_head(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    handler.send_response(reply.status)
    handler.send_header("Content-Type", reply.content_type)
    handler.send_header("Content-Length", str(len(reply.body)))
    if not handler.close_connection:
        handler.send_header("Connection", "keep-alive")
    for name, value in reply.headers.items():
        handler.send_header(name, value)
    handler.end_headers()


def _send_without_length(handler: BaseHTTPRequestHandler, reply: Reply, done: Callable[[int], None]) -> None:
    """Sends a body whose end only the connection's end tells; one in chunks ends before the last of them."""
    handler.close_connection = True
    handler.send_response(reply.status)
    handler.send_header("Content-Type", reply.content_type)
    handler.send_header("Connection", "close")
    if reply.delivery == "chunks_cut":
        half = reply.body[: len(reply.body) // 2]
        handler.send_header("Transfer-Encoding", "chunked")
        parts = [f"{len(half):x}\r\n".encode() + half + b"\r\n"]
    else:
        parts = [reply.body] if reply.delivery == "no_length" else [b" " * 2**20] * _ENDLESS_MB
    handler.end_headers()
    for part in parts:
        handler.wfile.write(part)
    done(sum(map(len, parts)))
    handler.wfile.flush()


def _send_half(handler: BaseHTTPRequestHandler, body: bytes) -> int:
    """Closes in good order after half of the bytes that Content-Length promised."""
    half = body[: max(len(body) // 2, 0)]
    handler.wfile.write(half)
    handler.wfile.flush()
    handler.close_connection = True
    return len(half)


def _send_whole(handler: BaseHTTPRequestHandler, body: bytes, pause_s: float, done: Callable[[int], None]) -> None:
    size = max(len(body) // _DRIPS, 1) if pause_s else len(body)
    for start in range(0, len(body) - 1, max(size, 1)):
        handler.wfile.write(body[start : min(start + size, len(body) - 1)])
        handler.wfile.flush()
        time.sleep(pause_s)
    done(len(body))
    handler.wfile.write(body[-1:])
    handler.wfile.flush()
