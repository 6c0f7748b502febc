"""Checks whether the addresses in a list are alive, politely and with few requests."""

from __future__ import annotations

from sources.lists.links.check import LinkAnswer, LinkKind, LinkLimits, LinkStore, check_links

__all__ = ["LinkAnswer", "LinkKind", "LinkLimits", "LinkStore", "check_links"]
