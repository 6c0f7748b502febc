"""The charts, declared with Altair and compiled to Vega, once for all pages: the page carries what is in charts.json.

Each chart is empty: the page's script puts the rows in, and again whenever a filter changes. Every row carries `tip`,
the words to show under the pointer. Colours are the style sheet's variables, so that light and dark are its business.

After a change: `python -m benchmarks.page.charts > warehouse/dashboard/charts.json`. No page needs Altair, which is not
installed with paperlake.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import altair as alt
import vl_convert

SERIES = 5  # colours for parts of a whole: four, and grey for everything else
# How lines are dashed, so that they are told apart without colours.
_DASHES = [[1, 0], [7, 3], [2, 2], [10, 3, 2, 3], [5, 5], [2, 5]]
_ROWS = alt.NamedData(name="rows")
# An axis of names, which may take less than half of the chart, also on a phone.
_NAMES = alt.Axis(labelLimit=alt.ExprRef("clamp(0.42 * containerSize()[0], 60, 260)"))
# Pixels beside a chart for the names of its lines.
_NAME_WIDTH = alt.ExprRef("clamp(0.3 * containerSize()[0], 60, 200)")
# An axis of counts: a tick between two whole numbers has no label.
_COUNTS = alt.Axis(labelExpr="datum.value % 1 ? '' : format(datum.value, ',')", tickMinStep=1, grid=True)
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
        "cited": _columns(),
        "history": _history(),
        "years": _ridges(),
        "topics": _ridges(),
        "sections": _bars("papers", "papers"),
        "venues": _bars("papers", "papers"),
        "coverage": _stacked_bars("mentions"),
        "overlap": _overlap(),
        "map": _map(),
        "terms": _terms(),
        "compare": _stacked_bars("papers"),
        "people": _bars("papers", "papers"),
        "institutions": _bars("papers", "papers"),
        "counting": _counting(),
    }
    compiled: dict[str, dict[str, Any]] = {
        name: vl_convert.vegalite_to_vega(
            chart.properties(width="container").configure(**_THEME).to_dict(), vl_version=_vega_lite()
        )
        for name, chart in charts.items()
    }
    for scale in compiled["history"]["scales"]:
        if isinstance(scale["domain"], dict) and "fields" in scale["domain"]:
            fields = scale["domain"].pop("fields")
            scale["domain"]["fields"] = [field for field in fields if field["data"] == fields[0]["data"]]
    (names,) = (mark for mark in compiled["map"]["marks"] if mark["type"] == "text")
    (dots,) = (mark for mark in compiled["map"]["marks"] if mark["type"] == "symbol")
    # Vega-Lite has no word for names that stand where there is room, the first ones first, over nothing else.
    size = {"signal": "[max(1, width), max(1, height)]"}  # of a window without any width, too
    names["transform"] = [
        {"type": "label", "size": size, "offset": [6], "avoidMarks": [dots["name"]], "sort": {"field": "datum.rank"}}
    ]
    return compiled


def written() -> str:
    """Returns the charts as charts.json has them, a line each."""
    lines = (
        f"{json.dumps(name)}: {json.dumps(chart, separators=(',', ':'))}" for name, chart in specifications().items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _vega_lite() -> str:
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


# A colour for each part of a whole.
_SLOTS = alt.Scale(domain=list(range(SERIES)), range=[f"var(--series-{number})" for number in range(SERIES)])


def _slot() -> alt.Color:
    return alt.Color("slot:O", scale=_SLOTS, legend=None)


def _history() -> Any:
    """Returns lines in pieces, their points, marks where a source recounted, and names at the lines' ends."""
    lines = alt.Chart(_ROWS, height=320).encode(
        x=alt.X("day:T", title=None, scale=alt.Scale(type="utc"), axis=alt.Axis(tickCount=6)),
        y=alt.Y("citations:Q", title="Citations", scale=alt.Scale(zero=False)),
        color=_slot(),
        detail="piece:N",
    )
    points = lines.transform_filter("isValid(datum.citations)")
    dash = alt.StrokeDash("dash:O", scale=alt.Scale(domain=list(range(len(_DASHES))), range=_DASHES), legend=None)
    names = alt.Chart(_ROWS).transform_filter("isValid(datum.name)").mark_text(align="left", dx=7, limit=_NAME_WIDTH)
    return (
        points.mark_line(strokeWidth=2).encode(strokeDash=dash)
        + points.mark_point(filled=True, size=18).encode(tooltip="tip:N")
        + points.transform_filter("datum.recount").mark_point(shape="diamond", size=110).encode(tooltip="tip:N")
        + names.encode(x="day:T", y="at:Q", text="name:N", color=_slot())
    )


def _columns() -> Any:
    """Returns citations over whole years, the last one hollow; the script sends a row for every year of the span."""
    opacity = alt.FillOpacity("slot:O", scale=alt.Scale(domain=[0, 1], range=[1, 0.25]), legend=None)
    return (
        alt.Chart(_ROWS, height=240)
        .mark_bar()
        .encode(
            x=alt.X("year:O", title="Year", scale=alt.Scale(paddingInner=0.15)),
            y=alt.Y("citations:Q", title="Citations"),
            stroke=alt.Stroke("slot:O", scale=_SLOTS, legend=None),
            color=_slot(),
            fillOpacity=opacity,
            tooltip="tip:N",
        )
    )


def _ridges() -> Any:
    """Returns a row of columns over whole years for each group, its name above; the script says how high each is.

    A line under each row tells it from the name of the next one.
    """
    scale = alt.Scale(nice=False, zero=True)
    rows = alt.Chart(_ROWS, height=240)
    columns = rows.transform_filter("isValid(datum.papers)").mark_bar()
    names = rows.transform_filter("isValid(datum.name)").transform_calculate(top="datum.low + 0.9")
    floors = names.mark_rule(stroke="var(--grid)").encode(y=alt.Y("low:Q", scale=scale, axis=None))
    return (
        floors
        + columns.encode(
            x=alt.X("year:O", title="Year of publication", scale=alt.Scale(paddingInner=0.15)),
            y=alt.Y("low:Q", scale=scale, axis=None),
            y2="high:Q",
            color=_slot(),
            tooltip="tip:N",
        )
        + names.mark_text(align="left", baseline="top", limit=300).encode(
            x=alt.value(0), y=alt.Y("top:Q"), text="name:N"
        )
    )


def _bars(field: str, title: str, scale: Any = alt.Undefined) -> Any:
    return (
        alt.Chart(_ROWS, height=alt.Step(26))
        .mark_bar()
        .encode(
            x=alt.X(f"{field}:Q", title=title.capitalize(), axis=_COUNTS, scale=scale),
            y=alt.Y("label:N", title=None, sort=None, axis=_NAMES),
            tooltip="tip:N",
        )
    )


def _stacked_bars(field: str) -> Any:
    """Returns bars in parts, each with the numbers of its parts beside it: colours alone tell nobody everything."""
    room = alt.Scale(range=[0, alt.ExprRef("width - clamp(0.2 * width, 60, 110)")])  # the words stand behind the bars
    bars = _bars(field, field, room).transform_filter(f"isValid(datum.{field})").encode(color=_slot(), order="slot:O")
    words = alt.Chart(_ROWS).transform_filter("isValid(datum.parts)").mark_text(align="left", dx=5, fontSize=11)
    return bars + words.encode(x="at:Q", y=alt.Y("label:N", sort=None), text="parts:N", tooltip="tip:N")


def _overlap() -> Any:
    cells = alt.Chart(_ROWS, height=alt.Step(34)).encode(
        x=alt.X("across:N", title=None, sort=None, axis=alt.Axis(orient="top", domain=False, ticks=False)),
        y=alt.Y("down:N", title=None, sort=None, axis=_NAMES),
        tooltip="tip:N",
    )
    shade = alt.FillOpacity("shade:Q", scale=alt.Scale(range=[0.03, 0.55]), legend=None)
    return cells.mark_rect().encode(fillOpacity=shade) + cells.mark_text().encode(text="words:N")


def _map() -> Any:
    """Returns papers by year and citations, works that are missing as hollow marks, and the citations of one paper.

    Fills, outlines and sizes come with the rows. One row at least leads to another place: without any, Vega would warn.
    """
    span = alt.Scale(zero=False, nice=False, padding=12)
    marks = alt.Chart(_ROWS, height=360).encode(
        x=alt.X("year:Q", title="Year of publication", scale=span, axis=alt.Axis(format="d", tickMinStep=1)),
        y=alt.Y("citations:Q", title="Citations", scale=alt.Scale(type="symlog"), axis=alt.Axis(values=_POWERS)),
    )
    outline = alt.Stroke("outline:N", scale=None)
    links = marks.transform_filter("isValid(datum.other_year)").mark_rule()
    dash = alt.StrokeDash("dash:N", scale=alt.Scale(domain=["cites", "cited"], range=[[4, 3], [1, 0]]), legend=None)
    dots = marks.transform_filter("isValid(datum.tip)").mark_circle(opacity=1, fillOpacity=0.6, strokeWidth=2)
    size = alt.Size("size:Q", scale=None)
    names = marks.transform_filter("isValid(datum.label)").mark_text(fontSize=11)
    return (
        links.encode(x2="other_year:Q", y2="other_citations:Q", strokeDash=dash, stroke=outline)
        + dots.encode(fill=alt.Fill("fill:N", scale=None), size=size, stroke=outline, tooltip="tip:N")
        + names.encode(text="label:N")
    )


_POWERS = [0, *(10**power for power in range(8))]


def _terms() -> Any:
    """Returns a row of cells for each term and a column for each year; years with few papers are hatched."""
    shade = alt.FillOpacity("share:Q", scale=alt.Scale(domainMin=0, range=[0.04, 1]), legend=None)
    return (
        alt.Chart(_ROWS, height=alt.Step(26))
        .mark_rect(stroke="var(--panel)")
        .encode(
            x=alt.X("year:O", title="Year of publication"),
            y=alt.Y("term:N", title=None, sort=None, axis=_NAMES),
            fill=alt.Fill("fill:N", scale=None),
            fillOpacity=alt.condition("datum.thin", alt.value(1), shade),
            tooltip="tip:N",
        )
    )


def _counting() -> Any:
    """Returns a column for each day on which citations were counted; days with a recount in another colour."""
    columns = alt.Chart(_ROWS, height=160).encode(
        x=alt.X("day:T", title=None, scale=alt.Scale(type="utc"), axis=alt.Axis(tickCount=6)),
        y=alt.Y("papers:Q", title="Papers counted"),
        color=alt.condition("datum.recount", alt.value("var(--series-1)"), alt.value("var(--series-0)")),
        tooltip="tip:N",
    )
    return columns.mark_bar(width=4)


if __name__ == "__main__":
    sys.stdout.write(written())
