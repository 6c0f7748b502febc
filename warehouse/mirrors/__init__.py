"""Bulk snapshots of arXiv and Semantic Scholar on the local disk: with them, titles and identifiers cost no request."""

from __future__ import annotations

from warehouse.mirrors.importing import Dump, import_dump
from warehouse.mirrors.local import ArxivMirror, Mirrors, S2Mirror
from warehouse.mirrors.release import MirrorFolder, Release

__all__ = ["ArxivMirror", "Dump", "MirrorFolder", "Mirrors", "Release", "S2Mirror", "import_dump"]
