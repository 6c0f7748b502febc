"""The charts, declared with Altair and compiled to Vega once, here: the page carries no Vega-Lite text to compile.

Each chart is empty: the page's script puts the rows in, and again whenever a filter changes. Every row carries `tip`,
the words to show under the pointer. Colours are the style sheet's variables, so that light and dark are its business.

Run as a script, as `page` does, it prints all of that as JSON; it therefore imports nothing of ours.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import altair as alt
import vl_convert

if TYPE_CHECKING:
    from collections.abc import Mapping

SERIES = 7
"""Colours for parts of a whole: six, and one for everything else."""
_ROWS = alt.NamedData(name="rows")
_NAMES = alt.Axis(labelLimit=alt.ExprRef("clamp(0.42 * containerSize()[0], 60, 260)"))
"""An axis of names, which may take less than half of the chart, also on a phone."""
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
_THEME: Mapping[str, Any] = {
    "background": "transparent",
    "font": _FONT,
    "aria": False,  # the page gives each chart a sentence and a table instead of hundreds of labelled shapes
    "mark": {"aria": False},
    "view": {"stroke": None},
    "bar": {"fill": "var(--series-0)"},
    "rect": {"fill": "var(--series-0)"},
    "text": {"fill": "var(--text)", "fontSize": 12},
    "axis": {
        "labelColor": "var(--muted)",
        "titleColor": "var(--muted)",
        "gridColor": "var(--grid)",
        "domainColor": "var(--axis)",
        "tickColor": "var(--axis)",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
    "axisX": {"labelAngle": 0, "grid": False, "labelOverlap": True, "labelSeparation": 6},
    "axisY": {"domain": False, "ticks": False, "labelPadding": 6, "tickMinStep": 1},
}


def specifications() -> dict[str, dict[str, Any]]:
    """Returns the page's charts by name, as Vega specifications whose data set `rows` is empty."""
    charts = {
        "cited": _columns("year", "Year", height="citations"),
        "history": _history(),
        "years": _columns("year", "Year of publication"),
        "ages": _columns("age", "Years between publication and list", colours=False),
        "topics": _columns("year", "Year of publication"),
        "sections": _bars("papers", "papers"),
        "venues": _bars("papers", "papers"),
        "coverage": _stacked_bars("mentions"),
        "overlap": _overlap(),
    }
    return {name: _compiled(chart) for name, chart in charts.items()}


def library() -> str:
    """Returns the one copy of the chart library, as a script that defines `vegaEmbed`."""
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=_vega_lite())
    return f"(() => {{\n{bundle}\n}})();"


def _vega_lite() -> str:
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def _compiled(chart: Any) -> dict[str, Any]:
    spec = chart.properties(width="container").configure(**_THEME).to_dict()
    vega: dict[str, Any] = vl_convert.vegalite_to_vega(spec, vl_version=_vega_lite())
    return vega


def _slot() -> alt.Color:
    colours = [f"var(--series-{number})" for number in range(SERIES)]
    return alt.Color("slot:O", scale=alt.Scale(domain=list(range(SERIES)), range=colours), legend=None)


def _history() -> Any:
    lines = alt.Chart(_ROWS, height=320).encode(
        x=alt.X("day:T", title=None, scale=alt.Scale(type="utc"), axis=alt.Axis(tickCount=6)),
        y=alt.Y("citations:Q", title="Citations", scale=alt.Scale(zero=False)),
        color=_slot(),
        detail="slot:O",
    )
    return lines.mark_line(strokeWidth=2) + lines.mark_point(filled=True, size=18).encode(tooltip="tip:N")


def _columns(field: str, title: str, *, height: str = "papers", colours: bool = True) -> Any:
    """Returns columns over whole years, gaps included; the script sends a row for every year of the span."""
    chart = alt.Chart(_ROWS, height=240).mark_bar()
    encoded = chart.encode(
        x=alt.X(f"{field}:O", title=title, scale=alt.Scale(paddingInner=0.15)),
        y=alt.Y(f"{height}:Q", title=height.capitalize(), stack="zero"),
        tooltip="tip:N",
    )
    return encoded.encode(color=_slot(), order="slot:O") if colours else encoded


def _bars(field: str, title: str) -> Any:
    return (
        alt.Chart(_ROWS, height=alt.Step(26))
        .mark_bar()
        .encode(
            x=alt.X(f"{field}:Q", title=title.capitalize(), axis=alt.Axis(tickMinStep=1, grid=True)),
            y=alt.Y("label:N", title=None, sort=None, axis=_NAMES),
            tooltip="tip:N",
        )
    )


def _stacked_bars(field: str) -> Any:
    return _bars(field, field).encode(color=_slot(), order="slot:O")


def _overlap() -> Any:
    cells = alt.Chart(_ROWS, height=alt.Step(34)).encode(
        x=alt.X("across:N", title=None, sort=None, axis=alt.Axis(orient="top", domain=False, ticks=False)),
        y=alt.Y("down:N", title=None, sort=None, axis=_NAMES),
        tooltip="tip:N",
    )
    shade = alt.FillOpacity("shade:Q", scale=alt.Scale(range=[0.03, 0.55]), legend=None)
    return cells.mark_rect().encode(fillOpacity=shade) + cells.mark_text().encode(text="words:N")


if __name__ == "__main__":
    json.dump({"specifications": specifications(), "library": library()}, sys.stdout)
