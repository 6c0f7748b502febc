"""The figures of one run, and how they went from commit to commit, as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import altair as alt

from benchmarks.figure import Figure, shown

_RUNS = 20
"""Runs of the past that are shown, the last ones."""


def draw(figures: Sequence[Figure], history: Sequence[dict], out: Path) -> None:
    """Writes an SVG: above, each figure as a share of what is allowed; below, the same over the runs so far."""
    now = [{"figure": one.name, "share": _share(one), "told": _told(one)} for one in figures if _share(one) is not None]
    runs = list(dict.fromkeys(line["at"] for line in history))[-_RUNS:]
    names = {row["figure"] for row in now}
    then = [
        {"figure": line["figure"], "run": f"{line['commit']} {line['at'][:10]}", "share": share}
        for line in history
        if line["at"] in runs and line["figure"] in names and (share := _share_of(line)) is not None
    ]
    chart = alt.vconcat(_bars(now), _squares(then)).resolve_scale(color="independent")
    chart.properties(padding={"left": 90, "right": 90, "top": 5, "bottom": 5}).configure_axis(labelLimit=700).save(out)


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


def _squares(rows: list[dict]) -> alt.LayerChart:
    squares = (
        alt.Chart(alt.Data(values=rows))
        .mark_rect()
        .encode(
            x=alt.X("run:N", sort=None, title="commit and day", axis=alt.Axis(labelAngle=-40)),
            y=alt.Y("figure:N", sort=None, title=None),
            color=alt.Color(
                "share:Q",
                scale=alt.Scale(domain=[0, 1], range=["#f2f6fa", "#9ec1e0"], clamp=True),
                legend=None,
            ),
        )
    )
    told = squares.mark_text().encode(
        text=alt.Text("share:Q", format=".2f"),
        color=alt.condition("datum.share <= 1", alt.value("black"), alt.value("#c0392b")),
    )
    return alt.layer(squares, told).properties(
        width=alt.Step(60), title="From commit to commit: shares of what is allowed"
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
