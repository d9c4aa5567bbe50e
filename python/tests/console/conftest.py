"""The console of a gateway, and a browser without a window that looks at it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from tests.console.steps import served

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def command() -> list[str]:
    """What starts a console. It prints a line `{"console": "http://…"}` and ends when its standard input is closed.

    BOWSHOT_CONSOLE_DEMO names another one than the demo of crates/gateway-console.
    """
    named = os.environ.get("BOWSHOT_CONSOLE_DEMO")
    if named:
        return shlex.split(named)
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    target = Path(os.environ.get("CARGO_TARGET_DIR", cache / "bowshot" / "target"))
    cargo = shutil.which("cargo") or str(Path.home() / ".cargo/bin/cargo")
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    build = [cargo, "build", "--quiet", "-p", "bowshot-gateway-console", "--example", "demo"]
    subprocess.run(build, cwd=ROOT, env=environment, check=True)
    return [str(target / "debug" / "examples" / "demo")]


@pytest.fixture
def console(command: list[str]) -> Iterator[str]:
    """A busy console."""
    with served(command) as address:
        yield address


@pytest.fixture
def idle(command: list[str]) -> Iterator[str]:
    """One where nothing has happened yet."""
    with served([*command, "--idle"]) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    chromium = shutil.which("chromium")
    assert chromium, "Chromium is missing: dev/chromium_setup.sh installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that says nothing on the browser's console and asks nobody but its own server."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(15_000)
    said: list[str] = []
    hosts: set[str] = set()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    yield page
    page.close()
    # What a browser says of an answer that is an error is no mistake of the page.
    assert [text for text in said if not text.startswith("Failed to load resource")] == []
    assert len(hosts) <= 1, hosts
