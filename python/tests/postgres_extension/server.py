"""A PostgreSQL server with the extension, and results that it sends as Arrow."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa


@dataclass(frozen=True)
class Server:
    """A running server."""

    uri: str

    def database(self, name: str) -> str:
        """The URI of another database of it."""
        return self.uri.rpartition("/")[0] + f"/{name}"

    def connect(self, **options: Any) -> psycopg.Connection[Any]:
        """A session in which FORMAT arrow is there."""
        return connect(self.uri, **options)

    def execute(self, sql: str) -> None:
        """Runs one statement outside a transaction."""
        with psycopg.connect(self.uri, autocommit=True) as connection:
            connection.execute(sql)


@contextmanager
def running(
    testkit: str, programs: Path, *settings: str, tls: bool = False, preexec_fn: Callable[[], None] | None = None
) -> Iterator[Server]:
    """A server of these programs with these settings (`name=value`), in a process that begins with `preexec_fn`."""
    command = [testkit, "postgres", *(part for setting in settings for part in ("-c", setting))]
    command += ["--tls"] * tls
    environment = {**os.environ, "POSTGRES_BIN": str(programs)}
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=preexec_fn,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, f"the server did not start: exit code {process.wait(10)}"
    yield Server(json.loads(line)["uri"])
    process.stdin.close()
    assert process.wait(30) == 0


def connect(uri: str, **options: Any) -> psycopg.Connection[Any]:
    """A session in which FORMAT arrow is there."""
    connection = psycopg.connect(uri, autocommit=True, **options)
    connection.execute("SELECT bowshot.version()")
    return connection


def messages(connection: psycopg.Connection[Any], sql: str, options: str = "") -> list[bytes]:
    """What the messages of COPY carry for a query, or for a table in place of one."""
    what = sql if sql.startswith("TABLE ONLY ") else f"({sql}\n)"
    with connection.cursor().copy(f"COPY {what.removeprefix('TABLE ONLY ')} TO STDOUT (FORMAT arrow{options})") as copy:
        return [bytes(message) for message in copy]


def tag(connection: psycopg.Connection[Any], sql: str) -> bytes | None:
    """What the server says behind a COPY that is read to its end, which psycopg keeps to itself."""
    session = connection.pgconn
    session.exec_(sql.encode())
    while session.get_copy_data(0)[0] > 0:
        pass
    result = session.get_result()
    assert result is not None
    assert session.get_result() is None
    return result.command_status


def consume(
    connection: psycopg.Connection[Any], sql: str, received: list[bytes], act: Callable[[], object] | None = None
) -> None:
    """Reads the result of a query, and does something once it is in full flow."""
    with connection.cursor().copy(f"COPY ({sql}\n) TO STDOUT (FORMAT arrow)") as copy:
        for message in copy:
            received.append(bytes(message))
            if act is not None and len(received) == 20:
                act()


def table(connection: psycopg.Connection[Any], sql: str, options: str = "") -> pa.Table:
    """The whole result, checked."""
    with pa.ipc.open_stream(b"".join(messages(connection, sql, options))) as stream:
        result = stream.read_all()
    result.validate(full=True)
    return result


def batches(connection: psycopg.Connection[Any], sql: str, options: str = "") -> Sequence[pa.RecordBatch]:
    """The batches as they were sent."""
    with pa.ipc.open_stream(b"".join(messages(connection, sql, options))) as stream:
        return list(stream)
