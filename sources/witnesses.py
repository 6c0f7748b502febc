"""Papers that a service surely has. That it has no other is believed only of an answer that holds one of these.

An empty feed, a list of nulls and a short page are what a service sends for unknown papers, and also what a broken one
sends for known ones. So silence is looked into once more, in company.
"""

from __future__ import annotations

from collections.abc import Collection

_TITLES = {
    "1810.04805": "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
    "1512.03385": "Deep Residual Learning for Image Recognition",
    "1706.03762": "Attention Is All You Need",
}
_TELLING = 2
"""How many of the titles, from the first, stand in few other papers' titles and abstracts."""


class Witnesses:
    """Famous papers, and whatever was found last.

    Args:
        prefix: What the service wants before an arXiv identifier.
    """

    def __init__(self, *, prefix: str = "") -> None:
        self._famous = [prefix + base for base in _TITLES]
        self._found: list[str] = []

    def saw(self, found: Collection[str]) -> None:
        """Notes identifiers that the service has just answered: they are the best of witnesses."""
        self._found = [*list(found)[:2], *self._found][:2]

    def ids(self, *, besides: Collection[str]) -> list[str]:
        """Returns a few identifiers that the service surely has, none of them in `besides`."""
        known = dict.fromkeys([*self._found, *self._famous])
        return [one for one in known if one not in besides][:4]

    @property
    def titles(self) -> list[str]:
        """Returns titles that the service surely has."""
        return list(_TITLES.values())[:_TELLING]
