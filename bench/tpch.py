"""TPC-H's table `lineitem`, with the types and NOT NULLs of the specification, in every database of the benchmark.

    python -m bench.tpch sqlite FILE --scale 0.1
    python -m bench.tpch postgres URI --scale 1

The rows come from `tpchgen-cli`; the generated files stay in `${XDG_CACHE_HOME:-~/.cache}/bowshot/tpch`.
"""

import argparse
import csv
import itertools
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

from bench import mariadb
from bench.paths import cache_folder, scale_name
from bench.server import Server, program

LINEITEM = """CREATE TABLE lineitem (
    l_orderkey integer NOT NULL,
    l_partkey integer NOT NULL,
    l_suppkey integer NOT NULL,
    l_linenumber integer NOT NULL,
    l_quantity decimal(15,2) NOT NULL,
    l_extendedprice decimal(15,2) NOT NULL,
    l_discount decimal(15,2) NOT NULL,
    l_tax decimal(15,2) NOT NULL,
    l_returnflag char(1) NOT NULL,
    l_linestatus char(1) NOT NULL,
    l_shipdate date NOT NULL,
    l_commitdate date NOT NULL,
    l_receiptdate date NOT NULL,
    l_shipinstruct char(25) NOT NULL,
    l_shipmode char(10) NOT NULL,
    l_comment varchar(44) NOT NULL,
    PRIMARY KEY (l_orderkey, l_linenumber)
)"""
COLUMNS = 16
ROWS_A_BATCH = 20_000


def generate(scale: float) -> Path:
    """Returns the CSV file of `lineitem` at a scale factor, generated where it is not in the cache."""
    file = cache_folder("tpch") / f"lineitem-{scale_name(scale)}.csv"
    if not file.exists():
        folder = file.with_suffix(f".{os.getpid()}.partial")
        command = [generator(), "csv", "-s", f"{scale:g}", "--tables", "lineitem", "--quiet", f"--output-dir={folder}"]
        subprocess.run(command, check=True)
        (folder / "lineitem.csv").rename(file)
        folder.rmdir()
    return file


def generator() -> str:
    """Returns the path of tpchgen-cli; raises `FileNotFoundError` where it is not installed."""
    found = shutil.which("tpchgen-cli", path=str(Path(sys.executable).parent)) or shutil.which("tpchgen-cli")
    if not found:
        raise FileNotFoundError("tpchgen-cli is not installed: pip install tpchgen-cli==4.0.0")
    return found


def load_sqlite(file: Path, scale: float) -> None:
    """Writes the SQLite database `file`; does nothing where it is there already.

    The declared types are PostgreSQL's; SQLite keeps decimals as numbers and dates as text, as its rules say.
    """
    if file.exists():
        return
    partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
    connection = sqlite3.connect(partial, isolation_level=None)
    for statement in ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -200000", "BEGIN"):
        connection.execute(statement)
    connection.execute(LINEITEM)
    insert = f"INSERT INTO lineitem VALUES ({', '.join('?' * COLUMNS)})"
    with generate(scale).open(newline="") as lines:
        rows = csv.reader(lines)
        next(rows)  # the header
        while batch := list(itertools.islice(rows, ROWS_A_BATCH)):
            connection.executemany(insert, batch)
    connection.execute("COMMIT")
    connection.execute("ANALYZE")
    connection.close()
    partial.rename(file)


def load_postgres(uri: str, scale: float) -> None:
    """Loads `lineitem` into the database at `uri`, in place of a table of that name, and warms the cache."""
    psql(
        uri,
        "DROP TABLE IF EXISTS lineitem",
        LINEITEM,
        f"\\copy lineitem FROM '{generate(scale)}' (FORMAT csv, HEADER)",
        "VACUUM (FREEZE, ANALYZE) lineitem",
        "CHECKPOINT",
    )
    warm_postgres(uri)


def warm_postgres(uri: str) -> None:
    """Reads the whole table into the server's buffers (a plain scan of a large table would not stay there)."""
    psql(uri, "CREATE EXTENSION IF NOT EXISTS pg_prewarm", "SELECT pg_prewarm('lineitem')")


def postgres_database(server: Server, scale: float) -> str:
    """Returns the URI of the server's database with `lineitem` at a scale factor, loaded where it is missing.

    Scale factor 1 is the database `tpch`; another, such as 0.1, is `tpch_sf0_1`.
    """
    name = _database_name(scale)
    maintenance = server.uri("postgres")
    if not psql(maintenance, f"SELECT 1 FROM pg_database WHERE datname = '{name}'"):
        loading = f"{name}_loading"
        psql(maintenance, f"DROP DATABASE IF EXISTS {loading}", f"CREATE DATABASE {loading}")
        load_postgres(server.uri(loading), scale)
        psql(maintenance, f"ALTER DATABASE {loading} RENAME TO {name}")
    warm_postgres(server.uri(name))
    return server.uri(name)


def _database_name(scale: float) -> str:
    return "tpch" if scale == 1 else f"tpch_{scale_name(scale)}".replace(".", "_")


def sqlite_database(scale: float) -> Path:
    """Returns the SQLite database in the cache with `lineitem` at a scale factor, made where it is missing."""
    file = cache_folder("tpch") / f"tpch-{scale_name(scale)}.sqlite"
    load_sqlite(file, scale)
    return file


def mariadb_database(server: mariadb.Server, scale: float) -> str:
    """Returns the URI of the server's database with `lineitem` at a scale factor, loaded where it is missing.

    Scale factor 1 is the database `tpch`; another, such as 0.1, is `tpch_sf0_1`.
    """
    name = _database_name(scale)
    if not mariadb.sql(server, "mysql", f"SELECT 1 FROM information_schema.tables WHERE table_schema = '{name}'"):
        load_mariadb(server, name, scale)
    # Reads the whole table into the buffer pool.
    mariadb.sql(server, name, "SELECT sum(length(l_comment)) FROM lineitem")
    return server.uri(name)


def load_mariadb(server: mariadb.Server, name: str, scale: float) -> None:
    """Loads `lineitem` into a new database of this name, in place of one that was not loaded to its end."""
    loading = f"{name}_loading"
    lines = "FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' IGNORE 1 LINES"
    mariadb.sql(server, "mysql", f"DROP DATABASE IF EXISTS {loading}", f"CREATE DATABASE {loading}")
    mariadb.sql(
        server,
        loading,
        LINEITEM,
        f"LOAD DATA LOCAL INFILE '{generate(scale)}' INTO TABLE lineitem {lines}",
        "ANALYZE TABLE lineitem",
        f"CREATE DATABASE {name}",
        f"RENAME TABLE {loading}.lineitem TO {name}.lineitem",
        f"DROP DATABASE {loading}",
    )


def parquet_folder(scale: float) -> Path:
    """Returns the folder `lineitem` with eight Parquet files, generated where it is not in the cache."""
    parent = cache_folder("tpch") / f"{scale_name(scale)}-parquet"
    if not parent.exists():
        partial = parent.with_suffix(f".{os.getpid()}.partial")
        command = [generator(), "parquet", "-s", f"{scale:g}", "--tables", "lineitem", "--quiet", "--parts=8"]
        subprocess.run([*command, f"--output-dir={partial}"], check=True)
        partial.rename(parent)
    folder = parent / "lineitem"
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is missing; delete {parent} to generate it again")
    return folder


def psql(uri: str, *commands: str) -> str:
    """Runs SQL or psql's own commands one by one and returns what they print, without decoration."""
    arguments = [argument for command in commands for argument in ("-c", command)]
    command = [program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", uri, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.tpch", description=__doc__)
    parser.add_argument("database", choices=["sqlite", "postgres"])
    parser.add_argument("target", help="the SQLite file to write, or the URI of a PostgreSQL database")
    parser.add_argument("--scale", type=float, default=1.0, help="the scale factor; 1 is 6,001,215 rows")
    arguments = parser.parse_args()
    if arguments.database == "sqlite":
        load_sqlite(Path(arguments.target), arguments.scale)
    else:
        load_postgres(arguments.target, arguments.scale)


if __name__ == "__main__":
    main()
