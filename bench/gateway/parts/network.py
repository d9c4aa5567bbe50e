"""Part 4: codecs on a local and on a wide area network, against the databases' own protocols.

After tables 10 to 12 of "Don't Hold My Data Hostage" (VLDB 2017): three data sets, two networks.
"""

import contextlib
import os
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import mariadb, server, tpch
from bench.bars import Bar
from bench.gateway.figures import Figure, Rows
from bench.gateway.judge import at_least, at_most
from bench.gateway.measure import Load, measure
from bench.gateway.network.link import LAN, WAN, obstacle, server_address, standing
from bench.gateway.network.plain import plain
from bench.gateway.process import Process, gateway
from bench.gateway.settings import Settings
from bench.gateway.tables import in_mariadb, in_postgres
from bench.paths import server_folder

NAME = "network"
LINKS = (LAN, WAN)
# Each with the column that is checked.
DATA = {"lineitem": "l_orderkey", "acs": "id", "ontime": "id"}
FIXED = ("none", "lz4", "zstd")
# As good as the best fixed codec, but for this.
LIMIT = 1.10
OWN = {
    "postgresql": ("psql", "bowshot straight"),
    "mariadb": ("mariadb", "mariadb, compressed", "bowshot straight", "bowshot straight, 1 connection"),
}


@dataclass(frozen=True)
class Served:
    """The addresses of a data set's two databases and gateways, as a client beyond the link sees them."""

    databases: Mapping[str, str]
    gateways: Mapping[str, Process]


def run(settings: Settings, repeat: int) -> Iterator[Figure]:
    """Measures every data set over every link; without root, says so."""
    if why := obstacle():
        yield Figure(NAME, "lan", error=why)
        return
    with contextlib.ExitStack() as stack:
        host = stack.enter_context(server_address())
        postgres = stack.enter_context(server.running_server(_postgres_settings(host)))
        maria = stack.enter_context(mariadb.running_server({"bind-address": f"127.0.0.1,{host}"}))
        _check_listening(host, postgres.port, "bench.server")
        _check_listening(host, maria.port, "bench.mariadb")
        pids = {"postgresql": postgres.pid, "mariadb": maria.pid}
        uri = in_postgres(postgres, settings)
        scale = settings.network_scale
        made = {
            "lineitem": (tpch.postgres_database(postgres, scale), tpch.mariadb_database(maria, scale)),
            "own": (uri, in_mariadb(maria, uri, settings)),
        }
        served = {kind: _serve(stack, settings, host, *uris) for kind, uris in made.items()}
        for _ in range(repeat):
            for link in LINKS:
                with standing(link) as network:
                    yield Figure(NAME, f"{link.name}/plain TCP", plain(network, host, link))
                    for data, column in DATA.items():
                        loads = _loads(f"{link.name}/{data}", data, column, served[_kind(data)], pids)
                        again = loads[: len(FIXED) + 1] * (settings.codec_rounds - 1)
                        for load in loads + again:
                            yield measure(NAME, load, network.command)


def _check_listening(host: str, port: int, module: str) -> None:
    try:
        socket.create_connection((host, port), timeout=5).close()
    except OSError as error:
        way = f"stop it first: python -m {module} stop"
        raise RuntimeError(f"a server that ran before does not listen on {host}:{port}; {way}") from error


def _kind(data: str) -> str:
    return "lineitem" if data == "lineitem" else "own"


def _serve(stack: contextlib.ExitStack, settings: Settings, host: str, *uris: str) -> Served:
    gateways = {
        database: stack.enter_context(gateway(settings.binary, uri, host=host))
        for database, uri in zip(OWN, uris, strict=True)
    }
    beyond = {database: uri.replace("127.0.0.1", host) for database, uri in zip(OWN, uris, strict=True)}
    return Served(beyond, gateways)


def _loads(cell: str, data: str, column: str, served: Served, pids: Mapping[str, int]) -> list[Load]:
    sql = f"SELECT * FROM {data}"
    arrow = {"return_type": "arrow"}
    loads = [
        Load(
            f"{cell}/gateway on {database}, {codec}",
            "peers.gateway:with_bowshot",
            served.gateways[database].uri,
            sql,
            column,
            arrow | {"compression": codec},
            served.gateways[database].pid,
            pids[database],
        )
        for database, codecs in (("postgresql", (*FIXED, "auto")), ("mariadb", ("auto",)))
        for codec in codecs
    ]
    functions: dict[str, tuple[str, dict[str, Any]]] = {
        "psql": ("peers.clients:psql", {}),
        "mariadb": ("peers.clients:mariadb", {}),
        "mariadb, compressed": ("peers.clients:mariadb", {"compressed": True}),
        "bowshot straight": ("peers.bowshot:load", arrow),
        # To find ranges of keys and to share a snapshot takes round trips, which a connection alone does without.
        "bowshot straight, 1 connection": ("peers.bowshot:load", arrow | {"connections": 1}),
    }
    for database, clients in OWN.items():
        for client in clients:
            function, options = functions[client]
            loads.append(
                Load(
                    f"{cell}/{database}, {client}",
                    function,
                    served.databases[database],
                    sql,
                    column,
                    options,
                    database=pids[database],
                )
            )
    return loads


def _postgres_settings(host: str) -> dict[str, str]:
    """Returns settings with which the server also listens on the link's address, and lets its users in from there."""
    file = server_folder("postgres") / "network_hba.conf"
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    network = host.rpartition(".")[0] + ".0/24"
    file.write_text(f"host all all 127.0.0.1/32 scram-sha-256\nhost all all {network} scram-sha-256\n")
    if os.geteuid() == 0:
        Path(file).chmod(0o644)
    return {"listen_addresses": f"127.0.0.1,{host}", "hba_file": str(file)}


def bars(rows: Rows) -> list[Bar]:
    """Returns a cell's bars: what is chosen against the best fixed codec, and against the databases' protocols."""
    judged = []
    for link in LINKS:
        for data in DATA:
            cell = f"{link.name}/{data}"
            auto = rows.get(f"{cell}/gateway on postgresql, auto", "wall s")
            judged.append(at_most(f"{cell}: chosen codec", LIMIT, "the best fixed one", auto, _best(rows, cell)))
            for database, clients in OWN.items():
                # As the database's own programs speak it, as in the paper. Bowshot's are there for comparison.
                own_clients = [client for client in clients if not client.startswith("bowshot")]
                walls = [rows.get(f"{cell}/{database}, {client}", "wall s") for client in own_clients]
                own = min((wall for wall in walls if wall is not None), default=None)
                ours = rows.get(f"{cell}/gateway on {database}, auto", "wall s")
                judged.append(at_least(f"{cell}: the gateway on {database} against its own protocol", 1, ours, own))
    return judged


def _best(rows: Rows, cell: str) -> float | None:
    walls = [rows.get(f"{cell}/gateway on postgresql, {codec}", "wall s") for codec in FIXED]
    return min((wall for wall in walls if wall is not None), default=None)
