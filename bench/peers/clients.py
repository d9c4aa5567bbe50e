"""The databases' own clients: they ask in their own protocol, and what they receive is thrown away."""

import subprocess
from urllib.parse import urlsplit

from bench import mariadb as server
from bench.result import Discarded
from bench.server import program


def psql(source: str, sql: str) -> Discarded:
    """Runs a query with psql; raises `CalledProcessError` where the server refuses."""
    subprocess.run([program("psql"), "-X", "-q", "-A", "-t", "-o", "/dev/null", "-c", sql, source], check=True)
    return Discarded()


def mariadb(source: str, sql: str, compressed: bool = False) -> Discarded:
    """Runs a query with MariaDB's client, row by row; raises `CalledProcessError` where the server refuses.

    `compressed`: the protocol's own compression, which is zlib's.
    """
    uri = urlsplit(source)
    command = [server.program("mariadb"), "--no-defaults", f"-h{uri.hostname}", f"-P{uri.port}", f"-u{uri.username}"]
    command += [f"-p{uri.password}", "--quick", "-N", "-B", *(["--compress"] if compressed else [])]
    subprocess.run([*command, "-e", sql, uri.path[1:]], stdout=subprocess.DEVNULL, check=True)
    return Discarded()
