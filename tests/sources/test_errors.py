"""Every error survives the way between two processes."""

import pickle
from collections.abc import Iterator

from sources import errors
from tests.matrices import for_each

FACTS = {
    "source": "arxiv",
    "url": "https://export.arxiv.org/api/query",
    "status": 503,
    "retry_after_s": 7.5,
    "record": "1706.03762",
    "field": "title",
    "text": "Attention Is All You Need",
    "scheme": "doi",
    "value": "10.1/x",
    "table": "papers",
    "columns": ("title", "year"),
    "check": "unique keys",
    "sample": ("1", "2"),
}


def _kinds(kind: type[errors.PaperlakeError] = errors.PaperlakeError) -> Iterator[type[errors.PaperlakeError]]:
    yield kind
    for lower in kind.__subclasses__():
        yield from _kinds(lower)


@for_each("kind", sorted(set(_kinds()), key=lambda kind: kind.__name__))
def test_an_error_keeps_its_type_message_and_facts_through_pickling(kind):
    error = kind("what happened", **{name: FACTS[name] for name in vars(kind("")) if name != "message"})
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert vars(copy) == vars(error)
    assert str(copy) == "what happened"
    assert str(pickle.loads(pickle.dumps(kind()))) == ""  # without any fact
