"""No test, and no process that a test starts, gets beyond loopback."""

import socket
import subprocess
import sys

import pytest

from standins.network_guard import BeyondLoopback

FAR = "192.0.2.1"
"""An address that is kept for documentation and leads nowhere (RFC 5737)."""


def test_a_connection_beyond_loopback_is_refused_and_remembered(no_network):
    with socket.socket() as outward, pytest.raises(BeyondLoopback):
        outward.connect((FAR, 80))
    assert no_network.attempts == [f"socket.connect {FAR}"]
    no_network.attempts.clear()


def test_a_name_look_up_beyond_loopback_fails_as_without_a_network(no_network):
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("export.arxiv.org", 443)
    assert no_network.attempts == ["socket.getaddrinfo export.arxiv.org"]
    no_network.attempts.clear()


def test_a_child_process_is_led_to_a_closed_port():
    script = f"import urllib.request; urllib.request.urlopen('https://{FAR}/', timeout=5)"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "Connection refused" in ended.stderr
