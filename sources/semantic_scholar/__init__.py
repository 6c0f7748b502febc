"""Semantic Scholar: its graph API and what it sends. The client is imported only when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sources.semantic_scholar.client import S2Client
    from sources.semantic_scholar.settings import S2Settings

__all__ = ["S2Client", "S2Settings"]


def __getattr__(name: str) -> Any:
    # Kept replies are read where no network is wanted: they must not pay for the client library's import.
    if name == "S2Client":
        from sources.semantic_scholar.client import S2Client  # noqa: PLC0415

        return S2Client
    if name == "S2Settings":
        from sources.semantic_scholar.settings import S2Settings  # noqa: PLC0415

        return S2Settings
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
