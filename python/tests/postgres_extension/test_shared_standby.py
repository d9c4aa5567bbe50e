"""Shared results on a standby, which can only read."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from tests.postgres_extension.server import Server
from tests.postgres_extension.shared import declared
from tests.postgres_extension.test_survival import PATIENCE

# PostgreSQL refuses to run as root.
OWNER = "postgres"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def copy_what_is_there(source: str, to: str) -> str:
    """Files may go while the server runs; the log brings about the same in the copy."""
    with suppress(FileNotFoundError):
        shutil.copy2(source, to)
    return to


def copy_of(server: Server, to: Path) -> None:
    """A copy of the server's folder as it runs, which will follow it."""
    with psycopg.connect(server.uri, autocommit=True) as connection:
        (folder,) = connection.execute("SELECT current_setting('data_directory')").fetchone() or ("",)
        connection.execute("SELECT pg_backup_start('standby', true)")
        ignored = shutil.ignore_patterns("postmaster.*", "pg_replslot")
        shutil.copytree(folder, to, ignore=ignored, copy_function=copy_what_is_there)
        (label,) = connection.execute("SELECT labelfile FROM pg_backup_stop(false)").fetchone() or ("",)
    (to / "pg_replslot").mkdir()
    (to / "backup_label").write_text(label)
    (to / "standby.signal").touch()
    source = urlsplit(server.uri)
    information = f"host={source.hostname} port={source.port} user={source.username} password={source.password}"
    with (to / "postgresql.auto.conf").open("a") as settings:
        settings.write(f"\nprimary_conninfo = '{information}'\n")
    to.chmod(0o700)
    if os.geteuid() == 0:
        for path in (to, *to.rglob("*")):
            shutil.chown(path, OWNER, OWNER)


@pytest.fixture
def standby(server: Server, programs: Path) -> Iterator[Server]:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder, port = Path(name), free_port()
        data = folder / "data"
        folder.chmod(0o711)
        copy_of(server, data)
        command = [
            f"{programs}/postgres",
            "-D",
            f"{data}",
            "-p",
            f"{port}",
            "-k",
            "",
            "-c",
            "listen_addresses=127.0.0.1",
        ]
        user = OWNER if os.geteuid() == 0 else None
        process = subprocess.Popen(command, user=user, group=user, cwd="/tmp", stderr=subprocess.DEVNULL)
        found = Server(server.uri.replace(str(urlsplit(server.uri).port), str(port)))
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                psycopg.connect(found.uri).close()
                break
            except psycopg.OperationalError:
                assert process.poll() is None, "the standby did not start"
                assert time.monotonic() < deadline, "the standby takes no connections"
                time.sleep(0.1)
        yield found
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0


def test_a_standby_shares_results(server: Server, standby: Server) -> None:
    server.execute("CREATE TABLE followed AS SELECT n, repeat('f', 100) AS pad FROM generate_series(1, 20000) n")
    with psycopg.connect(standby.uri, autocommit=True) as connection:
        assert connection.execute("SELECT pg_is_in_recovery()").fetchone() == (True,)
        there = "SELECT to_regclass('followed') IS NOT NULL"
        deadline = time.monotonic() + PATIENCE
        while connection.execute(there).fetchone() != (True,):
            assert time.monotonic() < deadline, "the standby does not follow"
            time.sleep(0.05)
    for sql, how in (("SELECT * FROM followed", "plan"), ("SELECT * FROM followed ORDER BY n", "result")):
        with declared(standby, sql, 3) as shared:
            assert shared.how == how
            numbers = [number for part in shared.fetch_all() for number in part["n"].to_pylist()]
            assert sorted(numbers) == list(range(1, 20_001))
    server.execute("DROP TABLE followed")
