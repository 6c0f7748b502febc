"""The figures of one run, and how they went from commit to commit, as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import altair as alt

from benchmarks.figure import Figure, shown


def draw(figures: Sequence[Figure], history: Sequence[dict], out: Path) -> None:
    """Writes an SVG: above, each figure as a share of what is allowed; below, the same over the commits measured."""
    now = [{"figure": one.name, "share": _share(one), "told": _told(one)} for one in figures if _share(one) is not None]
    then = [
        {"figure": line["figure"], "at": line["at"], "commit": line["commit"], "share": share}
        for line in history
        if (share := _share_of(line)) is not None
    ]
    alt.vconcat(_bars(now), _lines(then)).configure_axis(labelLimit=520).save(out)


def _bars(rows: list[dict]) -> alt.LayerChart:
    where = alt.Y("figure:N", sort=None, title=None)
    bars = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(opacity=0.6)
        .encode(
            x=alt.X("share:Q", title="share of what is allowed"),
            y=where,
            color=alt.condition("datum.share <= 1", alt.value("#4c78a8"), alt.value("#e45756")),
        )
    )
    told = bars.mark_text(align="left", dx=4).encode(text="told:N", color=alt.value("black"))
    limit = alt.Chart(alt.Data(values=[{"share": 1}])).mark_rule(strokeDash=[4, 3]).encode(x="share:Q")
    return alt.layer(bars, told, limit).properties(width=420, title="Measured now")


def _lines(rows: list[dict]) -> alt.Chart:
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("at:T", title="measured at"),
            y=alt.Y("share:Q", title="share of what is allowed"),
            color=alt.Color("figure:N", legend=alt.Legend(title=None, labelLimit=520, orient="bottom", columns=1)),
        )
        .properties(width=420, height=240, title="From commit to commit")
    )


def _share(one: Figure) -> float | None:
    return _share_of({"value": one.value, "plain": one.plain, "bar": one.bar, "bar_on": one.bar_on})


def _share_of(line: dict) -> float | None:
    value, plain, bar = line["value"], line["plain"], line["bar"]
    if not bar or (plain is None and line["bar_on"] != "value"):
        return None
    allowed = {"value": bar, "ratio": bar * (plain or 0), "difference": bar + (plain or 0)}[line["bar_on"]]
    return value / allowed if allowed else None


def _told(one: Figure) -> str:
    measured = one.measured or 0
    return f"{f'{measured:.2f}' if one.bar_on == 'ratio' else shown(measured)} of {one.bar_told}"
