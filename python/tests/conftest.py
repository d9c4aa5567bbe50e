"""A private PostgreSQL server and small SQLite files for the tests."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def testkit() -> str:
    """The path of the program that starts servers, built if it is not there yet."""
    named = os.environ.get("BOWSHOT_TESTKIT")
    if named:
        return named
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    target = Path(os.environ.get("CARGO_TARGET_DIR", cache / "bowshot" / "target"))
    cargo = shutil.which("cargo") or str(Path.home() / ".cargo/bin/cargo")
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    subprocess.run([cargo, "build", "--quiet", "-p", "bowshot-testkit"], cwd=ROOT, env=environment, check=True)
    return str(target / "debug" / "bowshot-testkit")


@pytest.fixture(scope="session")
def command() -> str:
    """The path of `bowshot`: that of `make build`, else the build cache's, built if it is not there yet."""
    named = os.environ.get("BOWSHOT_COMMAND")
    if named:
        return named
    installed = ROOT / ".venv" / "bin" / "bowshot"
    if installed.exists():
        return str(installed)
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    target = Path(os.environ.get("CARGO_TARGET_DIR", cache / "bowshot" / "target"))
    cargo = shutil.which("cargo") or str(Path.home() / ".cargo/bin/cargo")
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    subprocess.run([cargo, "build", "--quiet", "-p", "bowshot-cli"], cwd=ROOT, env=environment, check=True)
    return str(target / "debug" / "bowshot")


@pytest.fixture(scope="session")
def driver() -> str:
    """The ADBC driver's path: that of `make build`, else the build cache's, built if it is not there yet."""
    installed = ROOT / ".venv" / "lib" / "bowshot" / "libadbc_driver_bowshot.so"
    if installed.exists():
        return str(installed)
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    target = Path(os.environ.get("CARGO_TARGET_DIR", cache / "bowshot" / "target"))
    build = ["cargo", "build", "--quiet", "-p", "bowshot-adbc-driver"]
    subprocess.run(build, cwd=ROOT, env={**os.environ, "CARGO_TARGET_DIR": str(target)}, check=True)
    return str(target / "debug" / "libadbc_driver_bowshot.so")


@pytest.fixture(scope="session")
def postgres(testkit: str) -> Iterator[str]:
    """The URI of a private server, which stops when its standard input closes."""
    server = subprocess.Popen([testkit, "postgres"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    assert server.stdout is not None
    line = server.stdout.readline()
    assert line, f"the server did not start: exit code {server.wait(10)}"
    yield json.loads(line)["uri"]
    server.stdin.close()
    assert server.wait(30) == 0


@pytest.fixture(scope="session")
def mariadb(testkit: str) -> Iterator[str]:
    """The URI of a private MariaDB, which stops when its standard input closes."""
    server = subprocess.Popen([testkit, "mariadb"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    assert server.stdout is not None
    line = server.stdout.readline()
    assert line, f"the server did not start: exit code {server.wait(10)}"
    yield json.loads(line)["uri"]
    server.stdin.close()
    assert server.wait(30) == 0


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """An empty SQLite file."""
    path = tmp_path / "test.db"
    sqlite3.connect(path).close()
    return path


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """An SQLite file with every storage class, NULLs, and dates kept as text and as numbers."""
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE items (id INTEGER PRIMARY KEY, amount INTEGER, price REAL, name TEXT, note TEXT, image BLOB,"
            " void INTEGER, day TEXT, seconds INTEGER, large INTEGER, cost DECIMAL(10, 2))"
        )
        rows = [
            (
                number,
                None if number % 3 == 0 else number * 10,
                None if number % 4 == 0 else number / 7,
                f"näme {number} 🎯" if number % 2 else "",
                None if number % 5 else "note",
                None if number % 2 else bytes([0, number % 256, 255]),
                None,
                f"2024-02-{number % 28 + 1:02}",
                1_700_000_000 + number,
                2**53 + number,
                number + 0.25,
            )
            for number in range(1, 101)
        ]
        connection.executemany(f"INSERT INTO items VALUES ({','.join('?' * 11)})", rows)
    connection.close()
    return path
