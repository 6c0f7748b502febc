"""How deep the calls of a refresh are where a request leaves, and that this is what docs/architecture.md says.

`pytest -n 0 -s tests/flows/test_call_depth.py` prints the frames: those of this project, from `refresh_lake` to the
one that hands the request to the HTTP library. Those of libraries lie between and below, and are counted beside.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
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


@dataclass
class Stacks:
    """The frames above the first request of each kind, outermost first."""

    own: dict[str, list[str]] = field(default_factory=dict)
    others: dict[str, int] = field(default_factory=dict)

    def note(self, data: bytes) -> None:
        line = data.partition(b"\r\n")[0]
        for name, mark in REQUESTS.items():
            if mark in line and name not in self.own:
                frames = list(_frames_since_refresh(sys._getframe(2)))
                own = [text for is_own, text in frames if is_own]
                self.own[name], self.others[name] = own, len(frames) - len(own)


def _frames_since_refresh(frame: FrameType | None) -> Iterator[tuple[bool, str]]:
    found: list[tuple[bool, str]] = []
    while frame is not None:
        code = frame.f_code
        is_own = code.co_filename.startswith(OWN)
        where = Path(code.co_filename).relative_to(ROOT).as_posix() if is_own else code.co_filename
        found.append((is_own, f"{where}:{frame.f_lineno} {code.co_qualname}"))
        if code.co_name == "refresh_lake":
            return reversed(found)
        frame = frame.f_back
    raise AssertionError("a request that no refresh sent")


@pytest.fixture
def stacks(monkeypatch: pytest.MonkeyPatch) -> Stacks:
    stacks = Stacks()
    for name in ("send", "sendall"):
        before = getattr(socket.socket, name)

        def spy(self: socket.socket, data: Any, *rest: Any, _before: Any = before) -> Any:
            stacks.note(bytes(data[:4000]))
            return _before(self, data, *rest)

        monkeypatch.setattr(socket.socket, name, spy)
    return stacks


def test_few_frames_lie_between_a_refresh_and_its_requests(bench: Bench, stacks: Stacks):
    bench.refresh(bench.write(LIST))
    for name, frames in stacks.own.items():
        sys.stdout.write(f"\n{name}: {len(frames)} frames, and {stacks.others[name]} of libraries\n")
        sys.stdout.write("".join(f"  {number:2} {text}\n" for number, text in enumerate(frames, 1)))
    assert set(stacks.own) == set(REQUESTS)
    depths = {name: len(frames) for name, frames in stacks.own.items()}
    assert max(depths.values()) <= MOST
    text = " ".join((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split())
    assert f"lie {depths['arXiv, titles']} frames of this project" in text
    assert f"and {depths['Semantic Scholar, best match']} for a best match" in text
    assert depths["arXiv, titles"] == depths["Semantic Scholar, titles"]
