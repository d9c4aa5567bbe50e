"""Part 2: a folder of Parquet files through the gateway, against one core's memcpy and other Flight SQL servers."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import memory, tpch
from bench.bars import Bar
from bench.cases import SQL
from bench.gateway.figures import Figure, Rows
from bench.gateway.judge import at_least, at_most
from bench.gateway.measure import Load, child, measure
from bench.gateway.other_servers import SERVERS
from bench.gateway.process import gateway
from bench.gateway.settings import Settings
from bench.result import CHECKED_COLUMN

NAME = "files"
LIMIT = 2.5
MEMCPY = "memcpy/one core"
ARROW = {"return_type": "arrow"}
CLIENTS = {"bowshot": "peers.gateway:with_bowshot", "adbc": "peers.gateway:with_adbc"}
ENDPOINTS = (1, 2)


def run(settings: Settings, repeat: int) -> Iterator[Figure]:
    """Measures memcpy, the folder without a server, the gateway, and the other servers, one after the other."""
    folder = tpch.parquet_folder(settings.scale)
    files = list(folder.iterdir())
    for _ in range(repeat):
        memory.cached(files)
        yield _memcpy(folder)
        row, function = "lineitem/no server, bowshot", "peers.bowshot:load"
        yield measure(NAME, Load(row, function, f"{folder}/", SQL, CHECKED_COLUMN, ARROW, files=files))
        with gateway(settings.binary, f"{folder}/") as running:
            for load in _ours(running.uri, running.pid, files):
                yield measure(NAME, load)
        for name, server in SERVERS.items():
            try:
                with server(folder) as (process, sql):
                    # Once for its caches, which the gateway has no use for.
                    for load in [_theirs(name, client, process.uri, sql, process.pid, files) for client in CLIENTS] * 2:
                        yield measure(NAME, load)
            except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
                yield Figure(NAME, f"lineitem/{name}", error=str(error))


def _memcpy(folder: Path) -> Figure:
    try:
        return Figure(NAME, MEMCPY, child([sys.executable, "-m", "bench.gateway.memcpy", f"{folder}/", SQL]))
    except RuntimeError as error:
        return Figure(NAME, MEMCPY, error=str(error))


def _ours(uri: str, pid: int, files: Sequence[Path]) -> list[Load]:
    return [
        Load(
            _row("gateway", client, endpoints),
            function,
            uri,
            SQL,
            CHECKED_COLUMN,
            ARROW | {"endpoints": endpoints},
            pid,
            files=files,
        )
        for client, function in CLIENTS.items()
        for endpoints in ENDPOINTS
    ]


def _theirs(name: str, client: str, uri: str, sql: str, pid: int, files: Sequence[Path]) -> Load:
    return Load(f"lineitem/{name}, {client}", CLIENTS[client], uri, sql, CHECKED_COLUMN, ARROW, pid, files=files)


def _row(server: str, client: str, endpoints: int) -> str:
    return f"lineitem/{server}, {client}, {endpoints} endpoint{'s' if endpoints > 1 else ''}"


def bars(rows: Rows) -> list[Bar]:
    """Returns the bars: an endpoint's bytes against their copy by one core, our best against each server."""
    copied = rows.get(MEMCPY, "wall s")
    judged = []
    for endpoints in ENDPOINTS:
        # Each endpoint carries its share of the bytes in the time of the whole.
        share = None if copied is None else copied / endpoints
        ours = rows.get(_row("gateway", "bowshot", endpoints), "wall s")
        judged.append(
            at_most(
                f"Parquet through the gateway, {endpoints} of them", LIMIT, "memcpy of an endpoint's bytes", ours, share
            )
        )
    best = min(
        (
            wall
            for row in rows.medians
            if row.startswith("lineitem/gateway")
            if (wall := rows.get(row, "wall s")) is not None
        ),
        default=None,
    )
    for name in SERVERS:
        walls = [rows.get(f"lineitem/{name}, {client}", "wall s") for client in CLIENTS]
        theirs = min((wall for wall in walls if wall is not None), default=None)
        judged.append(at_least(f"Parquet through the gateway, against {name}", 1, best, theirs))
    return judged
