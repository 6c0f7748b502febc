"""Getting a reply across a socket, well or badly."""

from __future__ import annotations

import socket
import struct
import time
from http.server import BaseHTTPRequestHandler

from tests.standins.wire import Reply

_DRIPS = 20


def deliver(handler: BaseHTTPRequestHandler, reply: Reply) -> int:
    """Sends the reply as its `delivery` says; returns the body bytes sent."""
    if reply.delivery == "drop_before_headers":
        return reset(handler)
    if reply.delivery == "hang":
        time.sleep(reply.seconds)
        return reset(handler)
    if reply.delivery == "slow":
        time.sleep(reply.seconds)
    _send_head(handler, reply)
    if reply.delivery == "drop_after_headers":
        handler.wfile.flush()
        return reset(handler)
    if reply.delivery == "cut":
        return _send_half(handler, reply.body)
    if reply.delivery == "drip":
        return _drip(handler, reply)
    handler.wfile.write(reply.body)
    return len(reply.body)


def reset(handler: BaseHTTPRequestHandler) -> int:
    """Ends the connection with a TCP reset: what a dropped connection looks like from the other side."""
    handler.close_connection = True
    linger_off = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_off)
    handler.connection.close()
    return 0


def _send_head(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    handler.send_response(reply.status)
    handler.send_header("Content-Type", reply.content_type)
    handler.send_header("Content-Length", str(len(reply.body)))
    if not handler.close_connection:
        handler.send_header("Connection", "keep-alive")
    for name, value in reply.headers.items():
        handler.send_header(name, value)
    handler.end_headers()


def _send_half(handler: BaseHTTPRequestHandler, body: bytes) -> int:
    """Closes in good order after half of the bytes that Content-Length promised."""
    half = body[: max(len(body) // 2, 0)]
    handler.wfile.write(half)
    handler.wfile.flush()
    handler.close_connection = True
    return len(half)


def _drip(handler: BaseHTTPRequestHandler, reply: Reply) -> int:
    size = max(len(reply.body) // _DRIPS, 1)
    for start in range(0, len(reply.body), size):
        handler.wfile.write(reply.body[start : start + size])
        handler.wfile.flush()
        time.sleep(reply.seconds / _DRIPS)
    return len(reply.body)
