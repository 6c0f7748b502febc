"""Pictures of a dashboard as Chromium shows it: `python -m benchmarks.page.pictures PAGE FOLDER` (`make picture`).

`dashboard.png` is the one of the README, of `PAGE`. The others are one for each width of `WIDTHS` in light and in dark,
and one of the panels of people and where they work, of a made-up lake: its papers, people and counts are nobody's.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from standins.trials.browser import chromium, visit
from standins.trials.dashboard_lake import made_up, make_lake
from warehouse.dashboard.page import publish
from warehouse.lake.place import LakePlace

WIDTHS = {1440: 1100, 768: 1024, 390: 844}
"""Width of the window -> its height, in pixels: a desk, a tablet and a phone."""


def take(page: Path, folder: Path) -> list[Path]:
    """Writes the pictures into `folder`, and returns them."""
    taken = []
    with tempfile.TemporaryDirectory() as work, chromium() as browser:
        made = _made_up_page(Path(work))
        for width, height in WIDTHS.items():
            for scheme in ("light", "dark"):
                picture = folder / f"dashboard-{width}-{scheme}.png"
                _take(browser, made, picture, viewport={"width": width, "height": height}, color_scheme=scheme)
                taken.append(picture)
        picture = folder / "dashboard-people.png"
        with visit(browser, made, viewport={"width": 1440, "height": 1100}) as visited:
            panels = [visited.page.locator(f".panel:has(#{name})") for name in ("people", "institutions")]
            boxes = [panel.bounding_box() for panel in panels]
            visited.page.screenshot(path=picture, full_page=True, clip=_around(boxes))
        taken.append(picture)
        picture = folder / "dashboard.png"
        _take(browser, page, picture, viewport={"width": 1200, "height": 860})
        return [*taken, picture]


def _around(boxes: list[Any]) -> dict[str, float]:
    left, top = min(box["x"] for box in boxes), min(box["y"] for box in boxes)
    right = max(box["x"] + box["width"] for box in boxes)
    return {
        "x": left, "y": top, "width": right - left, "height": max(box["y"] + box["height"] for box in boxes) - top
    }  # fmt: skip


def _made_up_page(work: Path) -> Path:
    """Publishes a lake of three lists that were read every week, with abstracts and what OpenAlex tells."""
    place = LakePlace.of(work / "lake")
    make_lake(place, list(made_up(300)), lists=3, weeks=20, whole=True)
    return publish(place, work / "out").page


def _take(browser: Any, page: Path, picture: Path, **context: Any) -> None:
    with visit(browser, page, folded=True, reduced_motion="reduce", **context) as visited:
        visited.page.screenshot(path=picture)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    for picture in take(options.page.resolve(), options.folder):
        print(f"{picture}: {picture.stat().st_size / 1e3:,.0f} kB")
