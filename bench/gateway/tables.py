"""The tables that the gateway's benchmark makes for itself, in PostgreSQL and, from there, in MariaDB and files.

`numbers` and `texts` have twenty columns of one kind, as in StarRocks' comparison with row protocols. `acs` and
`ontime` have the shapes of the client protocol paper's data sets (Raasveldt and Mühleisen, VLDB 2017), which cannot be
fetched everywhere: the American Community Survey has 274 columns, nearly all of them small integers, many of them NULL
or the same; the flights have 109 columns, short texts and numbers that repeat, and half of the columns are nearly
always NULL. Values come from PostgreSQL's `random()` with a fixed seed.
"""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import bowshot
import pyarrow as pa
import pyarrow.parquet as pq

from bench import mariadb, server
from bench.gateway.settings import Settings
from bench.paths import cache_folder
from bench.tpch import psql

# Column, its type in both databases, and what makes a value of the row g.
Column = tuple[str, str, str]

# Writes a table to a file; its name is the file's ending.
Writer = Callable[[pa.Table, Path], None]

# Rows of a batch of an Arrow file, as many as in those that pyarrow's Feather files have.
ARROW_ROWS = 1 << 16

SEED = "SELECT setseed(0.42)"


def numbers() -> list[Column]:
    """Returns twenty columns of numbers, the first one the key."""
    kinds = [
        ("bigint", "(random() * 1e12)::bigint"),
        ("integer", "(random() * 1e6)::integer"),
        ("double precision", "random() * 1000"),
        ("smallint", "(random() * 100)::smallint"),
    ]
    others = [(f"n{index}", *kinds[index % 4]) for index in range(1, 20)]
    return [("id", "integer NOT NULL", "g"), *others]


def texts() -> list[Column]:
    """Returns a key and twenty columns of text: from two letters that repeat to 32 that do not."""
    kinds = [
        "md5(random()::text)",
        "substr(md5(random()::text), 1, 12)",
        "'customer ' || (random() * 1e5)::integer",
        "(ARRAY['AIR', 'MAIL', 'RAIL', 'SHIP', 'TRUCK'])[1 + (random() * 4)::integer]",
    ]
    return [
        ("id", "integer NOT NULL", "g"),
        *((f"t{index}", "varchar(40)", kinds[index % 4]) for index in range(1, 21)),
    ]


def acs() -> list[Column]:
    """Returns 274 columns: a key, weights, codes, flags of edits, and amounts that are mostly nothing."""
    weights = [(f"pwgtp{index}", "integer", "(20 + random() * 160 * random())::integer") for index in range(1, 82)]
    codes = [
        (
            f"code{index}",
            "smallint",
            f"CASE WHEN random() < {index % 7 * 0.1} THEN NULL ELSE "
            f"(random() * random() * {3 + index % 20})::smallint END",
        )
        for index in range(1, 92)
    ]
    flags = [(f"f{index}p", "smallint", "(random() < 0.06)::integer::smallint") for index in range(1, 82)]
    amounts = [
        (f"amount{index}", "integer", "CASE WHEN random() < 0.75 THEN 0 ELSE (random() * 900)::integer * 100 END")
        for index in range(1, 18)
    ]
    place = [
        ("serialno", "varchar(13)", "'2015' || lpad((g / 3)::text, 9, '0')"),
        ("st", "smallint", "(g % 50)::smallint"),
        ("agep", "smallint", "(random() * 95)::smallint"),
    ]
    return [("id", "integer NOT NULL", "g"), *place, *weights, *codes, *flags, *amounts]


def ontime() -> list[Column]:
    """Returns 109 columns: the date and the plane, where it went, when and how late, and diversions that seldom are."""
    airport = (
        "(ARRAY['ATL', 'ORD', 'DFW', 'LAX', 'DEN', 'PHX', 'IAH', 'LAS', 'SFO', 'SEA'])[1 + (random() * 9)::integer]"
    )
    city = (
        "(ARRAY['Atlanta, GA', 'Chicago, IL', 'Dallas/Fort Worth, TX', 'Los Angeles, CA', 'Denver, CO'])"
        "[1 + (random() * 4)::integer]"
    )
    times = ["deptime", "crsdeptime", "wheelsoff", "wheelson", "arrtime", "crsarrtime"]
    delays = ["depdelay", "arrdelay", "taxiout", "taxiin", "airtime", "actualelapsed", "crselapsed", "distance"]
    seldom = [
        f"div{field}{number}"
        for number in range(1, 6)
        for field in ("airportid", "wheelson", "gtime", "longest", "wheelsoff", "tail", "airport")
    ]
    flags = [f"flag{index}" for index in range(1, 16)]
    causes = [f"cause{index}" for index in range(1, 28)]
    return [
        ("id", "integer NOT NULL", "g"),
        ("year", "smallint", "(1987 + g / 50000)::smallint"),
        ("month", "smallint", "(1 + g / 25000 % 12)::smallint"),
        ("dayofweek", "smallint", "(1 + g / 800 % 7)::smallint"),
        ("flightdate", "date", "date '1987-10-01' + g / 800"),
        ("carrier", "varchar(2)", "(ARRAY['AA', 'DL', 'UA', 'WN', 'US'])[1 + (random() * 4)::integer]"),
        ("tailnum", "varchar(8)", "'N' || (100 + (random() * 4000)::integer) || 'AA'"),
        ("flightnum", "integer", "(random() * 7000)::integer"),
        *(
            (f"{end}{field}", "varchar(30)", value)
            for end in ("origin", "dest")
            for field, value in (("", airport), ("city", city), ("state", f"right({city}, 2)"))
        ),
        *((name, "varchar(4)", "lpad((random() * 2359)::integer::text, 4, '0')") for name in times),
        *((name, "integer", "(random() * random() * 300)::integer - 10") for name in delays),
        *((name, "varchar(4)", "CASE WHEN random() < 0.998 THEN NULL ELSE 'N123' END") for name in seldom),
        *((name, "smallint", "(random() < 0.02)::integer::smallint") for name in flags),
        *((name, "integer", "CASE WHEN random() < 0.8 THEN NULL ELSE (random() * 60)::integer END") for name in causes),
        ("comment1", "varchar(10)", "NULL"),
        ("comment2", "varchar(10)", "NULL"),
        ("comment3", "varchar(10)", "''"),
        ("cancelled", "smallint", "(random() < 0.01)::integer::smallint"),
    ]


def tables(settings: Settings) -> dict[str, tuple[list[Column], int]]:
    """Returns the columns of each table and how many rows it has."""
    wide = settings.wide_rows
    return {
        "numbers": (numbers(), wide),
        "texts": (texts(), wide),
        "acs": (acs(), settings.acs_rows),
        "ontime": (ontime(), settings.ontime_rows),
    }


def in_postgres(running: server.Server, settings: Settings) -> str:
    """Returns the URI of PostgreSQL's database with the tables, made where it is missing, and warms them."""
    maintenance, name = running.uri("postgres"), settings.database
    if not psql(maintenance, f"SELECT 1 FROM pg_database WHERE datname = '{name}'"):
        loading = f"{name}_loading"
        psql(maintenance, f"DROP DATABASE IF EXISTS {loading}", f"CREATE DATABASE {loading}")
        for table, (columns, rows) in tables(settings).items():
            psql(running.uri(loading), SEED, *_filled(table, columns, rows), f"VACUUM (FREEZE, ANALYZE) {table}")
        psql(running.uri(loading), "CREATE EXTENSION IF NOT EXISTS pg_prewarm")
        psql(maintenance, f"ALTER DATABASE {loading} RENAME TO {name}")
    psql(running.uri(name), *(f"SELECT pg_prewarm('{table}')" for table in tables(settings)))
    return running.uri(name)


def in_mariadb(running: mariadb.Server, postgres: str, settings: Settings) -> str:
    """Returns the URI of MariaDB's database with the same rows, copied from PostgreSQL where it is missing."""
    name = settings.database
    if not mariadb.sql(running, "mysql", f"SELECT 1 FROM information_schema.schemata WHERE schema_name = '{name}'"):
        loading = f"{name}_loading"
        mariadb.sql(running, "mysql", f"DROP DATABASE IF EXISTS {loading}", f"CREATE DATABASE {loading}")
        for table, (columns, _) in tables(settings).items():
            _copied(running, loading, postgres, table, columns)
        moved = [f"RENAME TABLE {loading}.{table} TO {name}.{table}" for table in tables(settings)]
        mariadb.sql(running, "mysql", f"CREATE DATABASE {name}", *moved, f"DROP DATABASE {loading}")
    # Reads the tables into the buffer pool.
    mariadb.sql(running, name, *(f"SELECT max(id) FROM {table} IGNORE INDEX (PRIMARY)" for table in tables(settings)))
    return running.uri(name)


def in_files(postgres: str, settings: Settings, names: Sequence[str], write: Writer) -> list[Path]:
    """Returns files with the rows of these tables, each written from PostgreSQL where it is missing."""
    folder = cache_folder("gateway") / settings.database
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{name}.{write.__name__}" for name in names]
    for name, file in zip(names, files, strict=True):
        if not file.exists():
            partial = file.with_suffix(".partial")
            write(bowshot.read_sql(f"SELECT * FROM {name}", postgres, return_type="arrow"), partial)
            partial.rename(file)
    return files


def parquet(table: pa.Table, file: Path) -> None:
    """Writes a Parquet file as pyarrow does if it is not told otherwise."""
    pq.write_table(table, file)


def arrow(table: pa.Table, file: Path) -> None:
    """Writes an Arrow file whose batches are not compressed, so that who maps it has them."""
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table.combine_chunks(), ARROW_ROWS)


def _filled(table: str, columns: Sequence[Column], rows: int) -> list[str]:
    values = ", ".join(f"{value} AS {name}" for name, _, value in columns)
    return [_created(table, columns), f"INSERT INTO {table} SELECT {values} FROM generate_series(1, {rows}) g"]


def _created(table: str, columns: Sequence[Column]) -> str:
    named = ", ".join(f"{name} {kind}" for name, kind, _ in columns)
    return f"CREATE TABLE {table} ({named}, PRIMARY KEY (id))"


def _copied(running: mariadb.Server, database: str, postgres: str, table: str, columns: Sequence[Column]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{table}.txt"
        # COPY's own text: tabs, and \N for NULL, which is what MariaDB reads, too.
        psql(postgres, f"\\copy {table} TO '{file}'")
        loaded = f"LOAD DATA LOCAL INFILE '{file}' INTO TABLE {table}"
        mariadb.sql(running, database, _created(table, columns), loaded, f"ANALYZE TABLE {table}")
