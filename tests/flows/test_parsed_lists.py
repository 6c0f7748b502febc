"""A list whose text has not changed is not parsed again, and stands as if it had been."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows.refresh import reading as refresh_reading
from flows.refresh.reading import read_and_parse
from sources.lists import reading
from standins.trials.bench import Bench

KNOWN = """# Papers

## Transformers

- [Attention Is All You Need](https://arxiv.org/abs/1706.03762), Vaswani et al., 2017 [[notes]](notes/attention.md)
- ~~**Deep Residual Learning for Image Recognition**, K. He et al., CVPR 2016~~
- A Paper That No Service Has Ever Heard Of At All, 2011
- GloVe: Global Vectors for Word Representation. https://doi.org/10.3115/v1/d14-1162 arXiv:1706.037
"""
FIGURES = ("lists", "mentions", "resolved", "ambiguous", "not_found", "failed", "papers", "findings")


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the parser has read since."""
    texts: list[str] = []
    parse = reading.parse_reading_list
    monkeypatch.setattr(reading, "parse_reading_list", lambda text: texts.append(text) or parse(text))
    return texts


def test_an_unchanged_list_is_not_parsed_again_and_counts_as_before(bench: Bench, standins, parsed: list[str]):
    path, other = bench.write(KNOWN), bench.write("- [R-CNN](https://arxiv.org/abs/1311.2524)\n", name="other.md")
    read_and_parse([path], bench.place)
    assert not (bench.place.folder / "parsed").exists(), "reading alone writes nothing"
    parsed.clear()
    first, before = bench.refresh(path, other), bench.contents()
    standins.clear_log()
    second = bench.refresh(path, other)
    assert len(parsed) == 2
    assert bench.contents() == before
    assert [getattr(second, name) for name in FIGURES] == [getattr(first, name) for name in FIGURES]
    assert standins.requests() == []
    bench.refresh(path, other, max_age=timedelta(0))
    assert "Heard" in str([line["body"] or line["params"] for line in standins.requests()]), "it is due again"
    assert len(parsed) == 2
    bench.write(changed := KNOWN.replace("2011", "2012"))
    bench.refresh(path, other)
    assert parsed[2:] == [changed]
    assert bench.rows("SELECT DISTINCT year FROM mentions WHERE title LIKE 'A Paper That%'") == [{"year": 2012}]


def test_what_is_stored_is_all_that_this_parser_found_in_this_text(bench: Bench, parsed: list[str], monkeypatch):
    path, stored = bench.write(KNOWN), refresh_reading.ParsedLists(bench.place)
    (read,) = read_and_parse([path], bench.place).lists
    stored.store(read.list_id, KNOWN, read.reading_list)
    assert read_and_parse([path], bench.place).lists[0].reading_list == read.reading_list
    assert len(parsed) == 1
    (file,) = (bench.place.folder / "parsed").iterdir()
    sound = file.read_bytes()
    file.write_bytes(sound.replace(b"Attention", b"Attendion"))
    assert read_and_parse([path], bench.place).lists[0].reading_list == read.reading_list
    file.write_bytes(sound)
    monkeypatch.setattr(refresh_reading, "_parser_version", lambda: b"another")
    assert read_and_parse([path], bench.place).lists[0].reading_list == read.reading_list
    assert len(parsed) == 3
    stored.forget(read.list_id)
    assert not file.exists()
