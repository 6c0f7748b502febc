"""Bulk snapshots of arXiv, Semantic Scholar and DBLP on disk: titles and identifiers in them cost no request."""

from __future__ import annotations

from warehouse.mirrors.importing import Dump, import_dump
from warehouse.mirrors.local import ArxivMirror, DblpMirror, Mirrors, S2Mirror
from warehouse.mirrors.release import MirrorFolder, Release

__all__ = ["ArxivMirror", "DblpMirror", "Dump", "MirrorFolder", "Mirrors", "Release", "S2Mirror", "import_dump"]
