"""How fast lists are read: against the bare Markdown pass, over one long list, over many, and over hostile text.

Run as `.venv/bin/python benchmarks/reading/parse.py`. The lists are those of ../shared beside the checkout, or the
project's own fixtures where that folder is absent. Times are processor time, so that a busy machine does not blur them.
Before every timing the parser's caches are emptied ("cold"); "warm" is what a second list of the same kind costs.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from markdown_it import MarkdownIt  # noqa: E402
from mdit_py_plugins.footnote import footnote_plugin  # noqa: E402
from mdit_py_plugins.front_matter import front_matter_plugin  # noqa: E402

from benchmarks.figure import Figure  # noqa: E402
from sources.lists.reading import parse_reading_list  # noqa: E402

HOSTILE = {
    "100,000 opening brackets": "[" * 100_000,
    "a line of 1 MB": "word " * 200_000,
    "a line of 1 MB in capitals": "Deep Learning, " * 70_000,
    "10,000 bullets in each other, on a line": "- " * 10_000 + "x",
    "10,000 bullets in each other, one a line": "".join("  " * depth + "- A Title\n" for depth in range(10_000)),
    "100,000 open images": "![" * 50_000,
    "100,000 open tags": "<" * 100_000,
    "30,000 names in a row": "J. Smith, " * 30_000,
    "20,000 links on a line": "[p](http://arxiv.org/abs/1706.03762)" * 20_000,
}


def texts():
    shared = ROOT / "../shared"
    found = [*sorted((shared / "lists").glob("*.txt")), *sorted((shared / "practice").glob("*.md"))]
    found = found or sorted((ROOT / "tests/fixtures/reading_lists").glob("*.md"))
    return [path.read_text(encoding="utf-8") for path in found]


def bare():
    return MarkdownIt("js-default", {"html": True}).use(front_matter_plugin).use(footnote_plugin)


def forget():
    for name, module in list(sys.modules.items()):
        if name.startswith("sources.lists.reading."):
            for value in vars(module).values():
                remembers = hasattr(value, "cache_clear") and not isinstance(value, type)
                if remembers and getattr(value, "__name__", "") != "markdown":
                    value.cache_clear()


def seconds(work, *, cold=False):
    if cold:
        forget()
    start = time.process_time()
    work()
    return time.process_time() - start


def figures(*, full):
    """Yields what lists cost beside the bare Markdown pass, and a long one beside a short one, for `make bench`."""
    lists = texts()
    markdown, cold, warm = passes(lists)
    told = f"parsing {len(lists)} lists of {sum(map(len, lists)):,} characters"
    for name, spent, bar in ((told, warm, None), (f"{told}, the parser's caches emptied before", cold, 5.0)):
        yield Figure(
            name=name, value=spent * 1e3, unit="ms", beside="the bare markdown-it-py pass", plain=markdown * 1e3,
            bar=bar,
        )  # fmt: skip
    size = 10_000_000 if full else 2_500_000
    short, long = (seconds(lambda n=n: parse_reading_list(repeated(lists, n)), cold=True) for n in (size // 8, size))
    yield Figure(
        name=f"parsing one list of {size:,} characters",
        value=long,
        unit="s",
        beside="eight times what an eighth of it takes",
        plain=8 * short,
    )


def passes(lists):
    """Returns the seconds of the bare Markdown pass, of ours with its caches emptied first, and of ours warm.

    The three are run in turn, so that other work of the machine slows them alike; of each the fastest run counts.
    """
    parser = bare()
    rounds = [
        (
            seconds(lambda: [parser.parse(text) for text in lists]),
            seconds(lambda: [parse_reading_list(text) for text in lists], cold=True),
            seconds(lambda: [parse_reading_list(text) for text in lists]),
        )
        for _ in range(7)
    ]
    markdown, cold, warm = map(min, zip(*rounds, strict=True))
    return markdown, cold, warm


def repeated(lists, size):
    whole = "\n\n".join(lists)
    return (whole * (size // len(whole) + 1))[:size]


def ratio(lists):
    markdown, cold, warm = passes(lists)
    size = sum(map(len, lists))
    print(f"{len(lists)} lists, {size:,} characters: Markdown alone {markdown * 1e3:.0f} ms")
    for state, spent in (("cold", cold), ("warm", warm)):
        print(f"  parse, {state}: {spent * 1e3:.0f} ms = {spent / markdown:.2f} times")


def curve(lists):
    print("one list of n characters: seconds, microseconds a character")
    for size in (300_000, 1_250_000, 2_500_000, 5_000_000, 10_000_000):
        text = repeated(lists, size)
        spent = seconds(lambda text=text: parse_reading_list(text), cold=True)
        print(f"  {size:>10,}  {spent:7.2f} s  {spent / size * 1e6:6.2f}", flush=True)
    print("n lists: seconds, milliseconds a list")
    for count in (125, 250, 500, 1_000):
        spent = seconds(
            lambda count=count: [parse_reading_list(lists[n % len(lists)]) for n in range(count)], cold=True
        )
        print(f"  {count:>10,}  {spent:7.2f} s  {spent / count * 1e3:6.2f}", flush=True)


def hostile():
    print("hostile text: seconds")
    for name, text in HOSTILE.items():
        print(f"  {seconds(lambda text=text: parse_reading_list(text)):7.2f} s  {name}", flush=True)


if __name__ == "__main__":
    lists = texts()
    ratio(lists)
    hostile()
    curve(lists)
