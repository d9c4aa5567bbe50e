"""A private MariaDB server for the benchmark.

Its data folder outlives a run, so that a large table is loaded once. The server listens on loopback only, on a free
port, and is stopped through the pid file in its own folder.

    python -m bench.mariadb start      # prints the URI, leaves the server running
    python -m bench.mariadb stop
"""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.paths import server_folder
from bench.server import free_port

USER = "app"
PASSWORD = "app"
# Whom the floor logs in as: without a password, its C program needs no cryptography.
FLOOR_USER = "floor"
SECONDS_TO_START = 60

# The table fits into the buffer pool; what makes runs differ (the disk, logs) is off.
SETTINGS = {
    "bind-address": "127.0.0.1",
    "innodb-buffer-pool-size": "2G",
    "innodb-log-file-size": "1G",
    "innodb-flush-log-at-trx-commit": "0",
    "innodb-doublewrite": "0",
    "innodb-stats-persistent": "1",
    "performance-schema": "0",
    "local-infile": "1",
    "max-allowed-packet": "1G",
}


@dataclass(frozen=True)
class Server:
    """A running server: where it listens, and its pid."""

    port: int
    pid: int

    def uri(self, database: str) -> str:
        """Returns the URI of one of the server's databases."""
        return f"mysql://{USER}:{PASSWORD}@127.0.0.1:{self.port}/{database}"


def start(port: int | None = None, settings: Mapping[str, str] = {}) -> Server:
    """Starts the server, or finds the one that already runs, and returns it.

    `settings` go before the benchmark's own; a server that already runs keeps those it has.

    Raises `FileNotFoundError` where MariaDB is not installed and `RuntimeError` where it does not start.
    """
    folder = server_folder("mariadb")
    running = find_running(folder)
    if running:
        return running
    data = folder / "data"
    user = _owner()
    if not data.exists():
        _initialise(folder, user)
    chosen = port or free_port()
    (folder / "port").write_text(str(chosen))
    arguments = [f"--{name}={value}" for name, value in {**SETTINGS, **settings}.items()]
    arguments += [f"--datadir={data}", f"--socket={folder / 'socket'}", f"--pid-file={folder / 'pid'}"]
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(
            [program("mariadbd"), "--no-defaults", f"--user={user}", f"--port={chosen}", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline and process.poll() is None:
        server = find_running(folder)
        if server and _answers(folder):
            return server
        time.sleep(0.1)
    raise RuntimeError(f"MariaDB did not start; see {folder / 'server.log'}")


def stop() -> None:
    """Stops the server; does nothing where none runs."""
    folder = server_folder("mariadb")
    if server := find_running(folder):
        os.kill(server.pid, signal.SIGTERM)
        while find_running(folder):
            time.sleep(0.1)


@contextlib.contextmanager
def running_server(settings: Mapping[str, str] = {}) -> Iterator[Server]:
    """Yields the server; stops it at the end, unless it ran before."""
    ran_before = find_running(server_folder("mariadb")) is not None
    server = start(settings=settings)
    try:
        yield server
    finally:
        if not ran_before:
            stop()


def find_running(folder: Path) -> Server | None:
    """Returns the server whose pid file is in `folder`, if its process is alive."""
    try:
        pid, port = int((folder / "pid").read_text()), int((folder / "port").read_text())
        name = Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ValueError):
        return None
    return Server(port, pid) if name in ("mariadbd", "mysqld") else None


def program(name: str) -> str:
    """Returns the path of one of MariaDB's programs."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if not found:
        raise FileNotFoundError(f"{name} is not installed; on Debian: apt-get install mariadb-server-core")
    return found


def version() -> str:
    """Returns the server's version, such as 10.11.14-MariaDB-0+deb12u2."""
    shown = subprocess.run(
        [program("mariadbd"), "--no-defaults", "--version"], check=True, capture_output=True, text=True
    )
    return shown.stdout.split()[2]


def sql(server: Server, database: str, *statements: str) -> str:
    """Runs SQL and returns what it prints, without decoration."""
    command = [program("mariadb"), "--no-defaults", "-h127.0.0.1", f"-P{server.port}", f"-u{USER}", f"-p{PASSWORD}"]
    command += ["--local-infile=1", "-N", "-B", "-e", ";".join(statements), database]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _initialise(folder: Path, user: str) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if os.geteuid() == 0:
        shutil.chown(folder, user)
    users = folder / "users.sql"
    # A statement a line: the server reads this file while it is made.
    statements = [
        "FLUSH PRIVILEGES;",
        f"CREATE USER {USER}@'%' IDENTIFIED BY '{PASSWORD}';",
        f"GRANT ALL ON *.* TO {USER}@'%';",
        f"CREATE USER {FLOOR_USER}@'%' IDENTIFIED BY '';",
        f"GRANT SELECT ON *.* TO {FLOOR_USER}@'%';",
    ]
    users.write_text("\n".join(statements) + "\n")
    partial = folder / "data.partial"
    shutil.rmtree(partial, ignore_errors=True)
    command = [program("mariadb-install-db"), "--no-defaults", f"--datadir={partial}", f"--user={user}"]
    command += ["--skip-test-db", "--auth-root-authentication-method=normal", f"--extra-file={users}"]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    partial.rename(folder / "data")


def _owner() -> str:
    """Returns who runs the server: MariaDB does not want to run as root."""
    if os.geteuid() != 0:
        return str(os.getuid())
    return "nobody"


def _answers(folder: Path) -> bool:
    command = [program("mariadb"), "--no-defaults", f"--socket={folder / 'socket'}", f"-u{USER}", f"-p{PASSWORD}"]
    return subprocess.run([*command, "-e", "SELECT 1"], capture_output=True).returncode == 0


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.mariadb", description=__doc__)
    parser.add_argument("verb", choices=["start", "stop"])
    parser.add_argument("--port", type=int, help="the port to listen on (default: a free one)")
    arguments = parser.parse_args()
    if arguments.verb == "stop":
        stop()
    else:
        sys.stdout.write(start(arguments.port).uri("tpch") + "\n")


if __name__ == "__main__":
    main()
