"""What a result depends on besides the code: the machine, and the version of everything."""

import os
import platform
import re
import sqlite3
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench import mariadb
from bench.server import program

PACKAGES = [
    "bowshot",
    "connectorx",
    "adbc-driver-postgresql",
    "adbc-driver-sqlite",
    "adbc-driver-flightsql",
    "arrow-odbc",
    "mysqlclient",
    "PyMySQL",
    "pyodbc",
    "duckdb",
    "polars",
    "pandas",
    "numpy",
    "pyarrow",
    "SQLAlchemy",
    "psycopg2-binary",
    "tpchgen-cli",
]


def machine() -> dict[str, str]:
    """Returns the CPU's model, the cores, the memory and the kernel."""
    memory = re.search(r"MemTotal:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    return {
        "cpu": cpu_model(),
        "cores": str(os.cpu_count()),
        "memory": f"{int(memory[1]) / 2**20:.0f} GiB" if memory else "unknown",
        "kernel": f"{platform.system()} {platform.release()}",
    }


def cpu_model() -> str:
    """Returns the name that the CPU gives itself."""
    model = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return model[1].strip() if model else platform.machine()


def cpu_slug() -> str:
    """Returns the CPU's name as a part of a file's name: `amd-epyc`."""
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"\((?:r|tm)\)", "", cpu_model().lower())).strip("-")


def versions() -> dict[str, str]:
    """Returns the versions of Python, the databases and the packages that are installed, and this tree's commit."""
    postgres = subprocess.run([program("postgres"), "--version"], check=True, capture_output=True, text=True).stdout
    found = {
        "python": platform.python_version(),
        "postgresql": postgres.split()[2],
        "mariadb": mariadb.version(),
        "sqlite (the C library of Python and of the floor)": sqlite3.sqlite_version,
    }
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    described = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=12"]
    done = subprocess.run(described, capture_output=True, text=True)
    return found | ({"commit": done.stdout.strip()} if done.returncode == 0 else {})
