"""Keeps the API key out of the logs of the libraries underneath, whoever turns them up to DEBUG.

httpcore logs every header of a reply, and a service or a proxy may repeat the key in one.
"""

from __future__ import annotations

import logging

from pydantic import SecretStr

_LOGGERS = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy", "httpcore.socks")
"""A filter sees what is logged under a logger's own name, not under those below it: so each is named."""
MASK = "***"


class KeyFilter(logging.Filter):
    """Masks the key in every record of the libraries underneath, from `install` to `remove`."""

    def __init__(self, key: SecretStr) -> None:
        super().__init__()
        self._key = key

    def install(self) -> None:
        """Starts to mask."""
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)

    def remove(self) -> None:
        """Ends it; without effect where it was not begun."""
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        """Returns True: a record is changed where it holds the key, never dropped."""
        text, key = record.getMessage(), self._key.get_secret_value()
        if key in text:
            record.msg, record.args = text.replace(key, MASK), ()
        return True
