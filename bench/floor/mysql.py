"""MySQL's floor: a C program that receives the packets of a result (text protocol) and throws them away."""

import subprocess
from urllib.parse import urlsplit

from bench.floor.compile import compiled
from bench.mariadb import FLOOR_USER
from bench.result import Discarded


def discard(uri: str, sql: str) -> Discarded:
    """Runs the query and drops its packets; raises `CalledProcessError` where the server refuses."""
    parts = urlsplit(uri)
    command = [str(compiled("mysql_discard")), str(parts.port), FLOOR_USER, parts.path.lstrip("/"), sql]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return Discarded()
