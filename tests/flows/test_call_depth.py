"""How deep the calls of a refresh are where a request leaves, and that this is what docs/architecture.md says."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from standins.trials.bench import Bench

ROOT = Path(__file__).resolve().parents[2]
OWN = tuple(str(ROOT / name) + "/" for name in ("flows", "sources", "warehouse"))
REQUESTS = {
    "arXiv, titles": b"search_query=",
    "Semantic Scholar, titles": b"/paper/search/bulk?",
    "Semantic Scholar, best match": b"/paper/search/match?",
}
"""What to call a request, and the bytes of its first line that tell it from others."""
MOST = 15
LIST = """# Papers

- Jimmy Lei Ba, Jamie Ryan Kiros, Geoffrey E. Hinton. "Layer Normalization". arXiv 2016.
- Ada Nobody, Ben Nemo. "Thermal Ducks over Lakes of Glass". NeurIPS 2019.
- Cid Nullus, Dan Niemand. "Ducks". ICML 2020.
"""
"""A paper that the first title search finds, one that none has, and a title too short for a search of its pieces."""


def _own_frames(frame: FrameType | None) -> list[str]:
    """Returns the frames of this project from `refresh_lake` down to `frame`, innermost first."""
    found: list[str] = []
    while frame is not None:
        if frame.f_code.co_filename.startswith(OWN):
            found.append(f"{frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_qualname}")
        if frame.f_code.co_name == "refresh_lake":
            return found
        frame = frame.f_back
    raise AssertionError("a request that no refresh sent")


@pytest.fixture
def stacks(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The frames above the first request of each kind."""
    stacks: dict[str, list[str]] = {}
    for method in ("send", "sendall"):
        before = getattr(socket.socket, method)

        def spy(self: socket.socket, data: Any, *rest: Any, _before: Any = before) -> Any:
            line = bytes(data[:4000]).partition(b"\r\n")[0]
            for name, mark in REQUESTS.items():
                if mark in line and name not in stacks:
                    stacks[name] = _own_frames(sys._getframe(1))
            return _before(self, data, *rest)

        monkeypatch.setattr(socket.socket, method, spy)
    return stacks


def test_few_frames_lie_between_a_refresh_and_its_requests(bench: Bench, stacks: dict[str, list[str]]):
    bench.refresh(bench.write(LIST))
    assert set(stacks) == set(REQUESTS)
    depths = {name: len(frames) for name, frames in stacks.items()}
    assert max(depths.values()) <= MOST, stacks
    text = " ".join((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split())
    assert f"lie {depths['arXiv, titles']} frames of this project" in text
    assert f"and {depths['Semantic Scholar, best match']} for a best match" in text
    assert depths["arXiv, titles"] == depths["Semantic Scholar, titles"]
