"""Other Flight SQL servers over the same Parquet files: roapi and Sail, both on DataFusion.

They are programs that `pip` installs, in an environment of their own in the cache, `bench-servers-venv`.
Where they cannot be installed, their rows say so.
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.gateway.process import Process, listening
from bench.paths import cache_folder
from bench.server import free_port

VERSIONS = {"roapi": "0.12.7", "pysail": "0.7.2"}


def program(name: str) -> Path:
    """Returns the path of `roapi` or `sail`, installed where it is missing.

    Raises `CalledProcessError` where pip cannot install it.
    """
    folder = cache_folder("bench-servers-venv")
    found = folder / "bin" / name
    if not found.exists():
        if not (folder / "bin" / "pip").exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        # Sail's Python package would bring Spark's client, which its server does not need.
        packages = [f"{package}=={number}" for package, number in VERSIONS.items()]
        subprocess.run([str(folder / "bin" / "pip"), "install", "--quiet", "--no-deps", *packages], check=True)
    return found


@contextlib.contextmanager
def roapi(folder: Path) -> Iterator[tuple[Process, str]]:
    """Yields roapi with the folder in memory, which is its way, and the query for its rows."""
    port, others = free_port(), [free_port(), free_port()]
    command = [str(program("roapi")), "-t", f"lineitem={folder}/,format=parquet"]
    command += [
        "-a",
        f"127.0.0.1:{others[0]}",
        "-p",
        f"127.0.0.1:{others[1]}",
        "--addr-flight-sql",
        f"127.0.0.1:{port}",
    ]
    with listening("roapi", command, "127.0.0.1", port) as pid:
        yield Process(f"grpc://127.0.0.1:{port}", pid), "SELECT * FROM lineitem"


@contextlib.contextmanager
def sail(folder: Path) -> Iterator[tuple[Process, str]]:
    """Yields Sail, and the query that reads the folder's files."""
    port = free_port()
    command = [str(program("sail")), "flight", "server", "--ip", "127.0.0.1", "--port", str(port)]
    with listening("sail", command, "127.0.0.1", port) as pid:
        yield Process(f"grpc://127.0.0.1:{port}", pid), f"SELECT * FROM parquet.`{folder}`"


SERVERS = {"roapi": roapi, "sail": sail}
