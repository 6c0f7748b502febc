"""Real replies, recorded; a neighbour of the repository that most machines lack."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

WIRE = Path(__file__).resolve().parents[2].parent / "shared" / "wire"
needs_recordings = pytest.mark.skipif(not WIRE.is_dir(), reason="the recordings in ../shared/wire are not here")


@dataclass(frozen=True)
class Recording:
    """One reply as it came, with what was asked."""

    name: str
    url: str
    status: int
    body: bytes

    @property
    def endpoint(self) -> str:
        return self.url.partition("?")[0].partition("/graph/v1/")[2]


def recording(service: str, name: str) -> Recording:
    """Returns a recording by name."""
    meta = json.loads((WIRE / service / f"{name}.meta.json").read_text(encoding="utf-8"))
    body = (WIRE / service / meta["response"]["body_file"]).read_bytes()
    return Recording(name, meta["request"]["url"], meta["response"]["status"], body)


def recordings(service: str) -> list[Recording]:
    """Returns every recording of a service, none where there are no recordings."""
    names = sorted(path.name.removesuffix(".meta.json") for path in (WIRE / service).glob("*.meta.json"))
    return [recording(service, name) for name in names]
