"""arXiv: its query API, its feed, its metadata dump. The client is imported only when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sources.arxiv.client import ArxivClient
    from sources.arxiv.settings import ArxivSettings

__all__ = ["ArxivClient", "ArxivSettings"]


def __getattr__(name: str) -> Any:
    # The feed and the dump are read where no network is wanted: they must not pay for the client library's import.
    if name == "ArxivClient":
        from sources.arxiv.client import ArxivClient  # noqa: PLC0415

        return ArxivClient
    if name == "ArxivSettings":
        from sources.arxiv.settings import ArxivSettings  # noqa: PLC0415

        return ArxivSettings
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
