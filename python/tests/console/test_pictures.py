"""The pictures of the console in the docs.

They are drawn on every run; `BOWSHOT_PICTURES=docs/pictures` keeps them, with a minute of throughput to show.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect
from tests.console.steps import ask

SQL = """SELECT n_name AS nation, count(*) AS orders, sum(o_totalprice) AS revenue
FROM shop.public.orders JOIN lake.nation USING (n_nationkey)
GROUP BY n_name
ORDER BY n_name"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_whole_in_light_and_dark(
    browser: Browser, console: str, scheme: Literal["light", "dark"], tmp_path: Path
) -> None:
    kept = os.environ.get("BOWSHOT_PICTURES")
    folder = Path(kept) if kept else tmp_path
    page = browser.new_page(viewport={"width": 1240, "height": 860}, color_scheme=scheme, device_scale_factor=1.5)
    page.goto(console)
    expect(page.locator("#figure-running")).to_have_text("2")
    expect(page.locator("#sources li")).to_have_count(4)
    page.wait_for_timeout(50_000 if kept else 1_500)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it is wider than its window"
    page.screenshot(path=folder / f"console-overview-{scheme}.png")
    page.get_by_role("link", name="Query").click()
    ask(page, SQL)
    expect(page.locator("#chart rect")).to_have_count(8)
    page.screenshot(path=folder / f"console-query-{scheme}.png")
    page.get_by_role("link", name="History").click()
    expect(page.locator("#history tbody tr")).to_have_count(7)
    page.locator("#history tbody tr").filter(has_text="failed").get_by_role("button").click()
    page.screenshot(path=folder / f"console-history-{scheme}.png")
    page.set_viewport_size({"width": 420, "height": 860})
    for name in ["Overview", "Query", "History"]:
        page.get_by_role("link", name=name, exact=True).click()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
            f"{name} is too wide for a telephone"
        )
    page.close()
