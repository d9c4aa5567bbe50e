"""What the tests of the console do again and again."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page


@contextmanager
def served(command: list[str]) -> Iterator[str]:
    """The address of a console of its own."""
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        line = server.stdout.readline()
        assert line, f"the server did not start: exit code {server.wait(10)}"
        yield str(json.loads(line)["console"])
    finally:
        server.stdin.close()
        assert server.wait(30) == 0


def ask(page: Page, sql: str) -> None:
    """Runs a statement in the SQL box, as the keyboard does it."""
    page.get_by_label("SQL", exact=True).fill(sql)
    page.get_by_label("SQL", exact=True).press("Control+Enter")
