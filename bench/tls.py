"""What TLS costs: lineitem in COPY BINARY over one connection, plain and encrypted, to psql and to Bowshot.

python -m bench.tls      # on a server of its own, so none of the benchmark's may run
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench import server, tpch
from bench.bars import Bar
from bench.cases import SQL
from bench.conditions import steady
from bench.extension.cost import ONE
from bench.gateway.figures import Figure, Rows, disagreements, rows
from bench.gateway.judge import at_most
from bench.gateway.measure import Load, measure
from bench.gateway.report import part_table
from bench.paths import server_folder
from bench.record import record, write
from bench.report import bars_table, machine_line
from bench.result import CHECKED_COLUMN

NAME = "TLS"
WAYS = {"plain": "disable", "TLS": "require"}


def main() -> int:
    """Runs the command line; returns 1 where results disagreed."""
    parser = argparse.ArgumentParser(prog="python -m bench.tls", description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="rounds (default 3)")
    parser.add_argument("--scale", type=float, default=1, help="of TPC-H (default 1)")
    arguments = parser.parse_args()
    folder = server_folder("postgres")
    if server.find_running(folder):
        parser.error("the benchmark's server runs, without TLS; stop it: python -m bench.server stop")
    with steady() as conditions, server.running_server(_certificate(folder)) as postgres:
        uri = tpch.postgres_database(postgres, arguments.scale)
        figures = list(_measure(uri, postgres.pid, arguments.repeat))
    found = [figure.as_json() for figure in figures]
    result = record("bench.tls", arguments.repeat, **conditions, figures=found)
    measured = rows(figures, NAME)
    page = "\n\n".join(
        [
            "# What TLS costs",
            f"`{result['command']}`, {result['date']}. {machine_line(result)}",
            *(f"**Wrong result:** {line}" for line in disagreements(figures)),
            bars_table(_bars(measured)),
            part_table(measured),
            "",
        ]
    )
    sys.stdout.write(page)
    write(result, page, "tls")
    return 1 if disagreements(figures) else 0


def _certificate(folder: Path) -> dict[str, str]:
    """Makes a certificate that the server can read, and returns the settings that name it."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    names = {"ssl_cert_file": folder / "server.crt", "ssl_key_file": folder / "server.key"}
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=localhost"]
    files = ["-out", str(names["ssl_cert_file"]), "-keyout", str(names["ssl_key_file"])]
    subprocess.run([*make, *files], check=True, capture_output=True)
    for file in names.values():
        server.hand_over(file)
        file.chmod(0o600)
    return {"ssl": "on", **{name: str(file) for name, file in names.items()}}


def _measure(uri: str, pid: int, repeat: int) -> Iterator[Figure]:
    for _ in range(repeat):
        for way, mode in WAYS.items():
            source = f"{uri}?sslmode={mode}"
            for row, function, options in (
                (f"{way}/psql, thrown away", "floor.postgres:copy", {"form": "binary"}),
                (f"{way}/bowshot, to Arrow", "peers.bowshot:load", ONE | {"protocol": "copy"}),
            ):
                yield measure(NAME, Load(row, function, source, SQL, CHECKED_COLUMN, options, database=pid))


def _bars(measured: Rows) -> list[Bar]:
    def wall(row: str) -> float | None:
        return measured.get(row, "wall s")

    return [
        at_most(f"{way}: to Arrow", 1.10, "psql's", wall(f"{way}/bowshot, to Arrow"), wall(f"{way}/psql, thrown away"))
        for way in WAYS
    ]


if __name__ == "__main__":
    sys.exit(main())
