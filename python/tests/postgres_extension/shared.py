"""Results that n connections share, as a test declares and fetches them."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pyarrow as pa
from tests.postgres_extension.server import Server, connect

NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Shared:
    """A declared result."""

    uri: str
    name: str
    parts: int
    owner: psycopg.Connection[Any]

    @property
    def how(self) -> str | None:
        """How it is shared; nothing once it is gone."""
        found = self.seen("how")
        return None if found is None else str(found)

    def seen(self, column: str) -> Any:
        """What the view says of it."""
        row = self.owner.execute(f"SELECT {column} FROM bowshot.results WHERE name = %s", [self.name]).fetchone()
        return row and row[0]

    def fetch(self, part: int, act: Callable[[], object] | None = None) -> pa.Table:
        """One part over a connection of its own; `act` comes after its first message."""
        with connect(self.uri) as connection:
            return fetched(connection, self.name, part, act)

    def fetch_all(self) -> list[pa.Table]:
        """All parts, side by side."""
        found = self.outcomes()
        for outcome in found:
            if isinstance(outcome, BaseException):
                raise outcome
        return [outcome for outcome in found if isinstance(outcome, pa.Table)]

    def outcomes(self, parts: Sequence[int] | None = None) -> list[pa.Table | BaseException]:
        """Parts or their errors, fetched side by side."""
        chosen = list(parts or range(1, self.parts + 1))
        found: list[pa.Table | BaseException] = [RuntimeError("not fetched")] * len(chosen)

        def run(place: int, part: int) -> None:
            try:
                found[place] = self.fetch(part)
            except psycopg.Error as error:
                found[place] = error

        threads = [threading.Thread(target=run, args=place) for place in enumerate(chosen)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found


def fetched(
    connection: psycopg.Connection[Any], name: str, part: int, act: Callable[[], object] | None = None
) -> pa.Table:
    """A part, checked."""
    received = []
    with connection.cursor().copy(fetch_sql(name, part)) as copy:
        for message in copy:
            received.append(bytes(message))
            if act is not None:
                act()
                act = None
    with pa.ipc.open_stream(b"".join(received)) as stream:
        result = stream.read_all()
    result.validate(full=True)
    return result


def fetch_sql(name: str, part: int) -> str:
    """The statement that fetches a part."""
    return f"COPY (SELECT bowshot.fetch('{name}', {part})) TO STDOUT (FORMAT arrow)"


def declare(owner: psycopg.Connection[Any], uri: str, sql: str, parts: int, **options: object) -> Shared:
    """Declares a result in a session."""
    name = f"result {next(NUMBERS)}"
    arguments = "".join(f", {option} => %s" for option in options)
    declared = f"SELECT bowshot.declare(%s, %s, %s{arguments})"
    assert owner.execute(declared, [name, sql, parts, *options.values()]).fetchone() == (parts,)
    return Shared(uri, name, parts, owner)


@contextmanager
def declared(server: Server, sql: str, parts: int, **options: object) -> Iterator[Shared]:
    """A result of a session that ends with the block."""
    with server.connect() as owner:
        yield declare(owner, server.uri, sql, parts, **options)
