"""A private PostgreSQL server for the benchmark.

Its data folder outlives a run, so that a large table is loaded once. The server listens on loopback only, on a free
port, and is stopped through the pid file of its own data folder.

    python -m bench.server start      # prints the URI, leaves the server running
    python -m bench.server stop
"""

import argparse
import contextlib
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.paths import server_folder

USER = "app"
PASSWORD = "app"

# The table fits into shared_buffers; what makes runs differ (autovacuum, checkpoints, the disk) is off.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "shared_buffers": "2GB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "1h",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "unix_socket_directories": "",
}


@dataclass(frozen=True)
class Server:
    """A running server: where it listens, and the pid of its postmaster."""

    port: int
    pid: int

    def uri(self, database: str) -> str:
        """Returns the URI of one of the server's databases."""
        return f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{self.port}/{database}"


def start(port: int | None = None, settings: Mapping[str, str] = {}) -> Server:
    """Starts the server, or finds the one that already runs, and returns it.

    `settings` go before the benchmark's own; a server that already runs keeps those it has.

    Raises `FileNotFoundError` where PostgreSQL is not installed and `CalledProcessError` where it does not start.
    """
    folder = server_folder("postgres")
    running = find_running(folder)
    if running:
        return running
    data = folder / "data"
    if not (data / "PG_VERSION").exists():
        _initialise(folder)
    options = " ".join(f"-c {name}='{value}'" for name, value in {**SETTINGS, **settings}.items())
    options += f" -c port={port or free_port()}"
    _run("pg_ctl", "-D", str(data), "-w", "-t", "60", "-l", str(folder / "server.log"), "-o", options, "start")
    server = find_running(folder)
    if server is None:
        raise RuntimeError(f"PostgreSQL started and ended at once; see {folder / 'server.log'}")
    return server


def stop() -> None:
    """Stops the server; does nothing where none runs."""
    folder = server_folder("postgres")
    if find_running(folder):
        _run("pg_ctl", "-D", str(folder / "data"), "-w", "-m", "fast", "stop")


@contextlib.contextmanager
def running_server(settings: Mapping[str, str] = {}) -> Iterator[Server]:
    """Yields the server; stops it at the end, unless it ran before."""
    ran_before = find_running(server_folder("postgres")) is not None
    server = start(settings=settings)
    try:
        yield server
    finally:
        if not ran_before:
            stop()


def find_running(folder: Path) -> Server | None:
    """Returns the server whose pid file is in `folder`, if its process is alive."""
    try:
        lines = (folder / "data" / "postmaster.pid").read_text().splitlines()
        pid, port = int(lines[0]), int(lines[3])
        name = Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, IndexError, ValueError):
        return None
    return Server(port, pid) if name in ("postgres", "postmaster") else None


def program(name: str) -> str:
    """Returns the path of one of PostgreSQL's programs: in $POSTGRES_BIN, else Debian's newest, or on the PATH."""
    if folder := os.environ.get("POSTGRES_BIN"):
        return str(Path(folder) / name)
    debian = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: float(path.parts[4]))
    found = str(debian[-1]) if debian else shutil.which(name)
    if not found:
        raise FileNotFoundError(f"{name} of PostgreSQL is not installed; on Debian: apt-get install postgresql")
    return found


def _initialise(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    password = folder / "password"
    password.write_text(PASSWORD)
    hand_over(folder)
    hand_over(password)
    arguments = ["-A", "scram-sha-256", f"--pwfile={password}", "-E", "UTF8", "--locale=C", "--no-sync"]
    _run("initdb", "-D", str(folder / "data"), "-U", USER, *arguments)


def hand_over(file: Path) -> None:
    """Gives a file to the user that the server runs as."""
    if os.geteuid() == 0:
        shutil.chown(file, "postgres", "postgres")


def _run(name: str, *arguments: str) -> None:
    """Runs one of PostgreSQL's programs, as the user `postgres` where we are root."""
    user = "postgres" if os.geteuid() == 0 else None
    # Standard output is not a pipe: a server that pg_ctl started would keep it open for ever.
    subprocess.run(
        [program(name), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
        cwd="/",
        user=user,
        group=user,
        extra_groups=[] if user else None,
    )


def free_port() -> int:
    """Returns a port of this machine that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.server", description=__doc__)
    parser.add_argument("verb", choices=["start", "stop"])
    parser.add_argument("--port", type=int, help="the port to listen on (default: a free one)")
    arguments = parser.parse_args()
    if arguments.verb == "stop":
        stop()
    else:
        sys.stdout.write(start(arguments.port).uri("tpch") + "\n")


if __name__ == "__main__":
    main()
