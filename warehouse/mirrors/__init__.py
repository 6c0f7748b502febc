"""Local mirrors of arXiv, Semantic Scholar, DBLP and Retraction Watch, which answer without a request."""

from __future__ import annotations

from warehouse.mirrors.local import ArxivMirror, DblpMirror, Mirrors, OpenAlexMirror, RetractionMirror, S2Mirror
from warehouse.mirrors.release import MirrorFolder, Release

__all__ = [
    "ArxivMirror",
    "DblpMirror",
    "MirrorFolder",
    "Mirrors",
    "OpenAlexMirror",
    "Release",
    "RetractionMirror",
    "S2Mirror",
]
