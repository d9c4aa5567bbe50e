"""The timeline of a read as a browser draws it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest
from bowshot.profile import Profile
from playwright.sync_api import Browser
from tests.profile_cases import HOSTILE, made

CASES = {
    "one": made(1, 1, stretches=200),
    "labels": made(2, 16),
    "eight": made(8, 16, shares=(0.2, 0.5, 0.1, 0.2)),
    "many": made(8, 1000, stretches=1),
    "crowd": made(64, 2000, stretches=1, seconds=700),
    "consumer": made(4, 16, shares=(0.2, 0.1, 0.7, 0.0), working=0.9),
    "failed": made(4, 9, outcome="failed", seconds=1.3),
    "hostile": made(2, 6, label=HOSTILE),
    "short": made(2, 2, seconds=0.0004),
}

# Texts that lie on each other, or outside of the picture.
FAULTS = """() => {
  const page = document.querySelector('svg').getBoundingClientRect()
  const texts = [...document.querySelectorAll('svg text')].map(text => [text.textContent, text.getBoundingClientRect()])
  const faults = texts.filter(([, box]) => box.left < page.left || box.right > page.right || box.bottom > page.bottom)
  texts.forEach(([, a], at) => texts.slice(0, at).forEach(other => {
    const b = other[1]
    if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3) faults.push(other)
  }))
  return faults.map(([words]) => words)
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_text_lies_on_another(browser: Browser, scheme: Literal["light", "dark"], tmp_path: Path) -> None:
    kept = os.environ.get("BOWSHOT_PICTURES")
    page = browser.new_page(viewport={"width": 1000, "height": 800}, color_scheme=scheme, device_scale_factor=1.5)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    for name, profile in CASES.items():
        page.set_content(profile.to_svg())
        assert page.evaluate(FAULTS) == [], name
        ground = page.evaluate("getComputedStyle(document.querySelector('.page')).fill")
        assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 25, 34)")
        page.locator("svg").screenshot(path=(Path(kept) if kept else tmp_path) / f"profile-{name}-{scheme}.png")
    page.close()
    assert dialogs == []


def test_it_is_a_file_of_its_own(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "timeline.svg"
    profile: Profile = CASES["labels"]
    path.write_text(profile.to_svg())
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.tagName") == "svg"
    assert page.evaluate("getComputedStyle(document.querySelector('.server')).fill") == "rgb(63, 116, 217)"
    page.close()
