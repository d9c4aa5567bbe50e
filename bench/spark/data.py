"""The data of the cases: Parquet and CSV files in a folder that goes with the run, and a table of PostgreSQL."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench import tpch
from bench.paths import cache_folder
from bench.spark.case import BOWSHOT, TABLES, Case, Way
from bench.spark.scaling import GIGABYTES, QUARTER, folder
from bench.tpch_arrow import arrow_stream

ROWS_A_GROUP = 1 << 20
CSV_BYTES = 318_000_000
# The keys of lineitem lie between 1 and this many at scale 1.
KEYS = 6_000_000
DRIVER = "org.postgresql.Driver"


@dataclass(frozen=True)
class Size:
    """How much there is to read: rows of four columns, rows of a hundred, and two scales of TPC-H.

    `quarter` is how many rows of four columns make 0.25 GB.
    """

    numbers: int = 32_000_000
    wide: int = 800_000
    quarter: int = 7_812_500
    scale: float = 1
    postgres_scale: float = 0.2


QUICK = Size(numbers=20_000, wide=2_000, quarter=2_000, scale=0.001, postgres_scale=0.001)


@dataclass(frozen=True)
class Prepared:
    """Data that is there: the folder of the files, the addresses of the databases, and how large all is."""

    folder: Path
    uris: Mapping[str, str]
    size: Size

    def read(self, case: Case, way: Way) -> Mapping[str, object]:
        """Returns what Spark's `read` is told: format, options, schema, and a path or nothing."""
        options: dict[str, str] = dict(way.options)
        path = str(self.folder / case.data)
        if case.data in TABLES:
            uri = self.uris[case.data]
            path = uri if way.engine == BOWSHOT else ""
            options |= {"dbtable": "lineitem"}
            if way.engine != BOWSHOT:
                options |= self._jdbc(way, uri)
        return {"format": way.format, "options": options, "schema": way.schema, "path": path}

    def _jdbc(self, way: Way, uri: str) -> Mapping[str, str]:
        address = urlsplit(uri)
        options = {
            "driver": DRIVER,
            "url": f"jdbc:postgresql://{address.hostname}:{address.port}{address.path}",
            "user": address.username or "",
            "password": address.password or "",
        }
        if "partitionColumn" in way.options:
            options |= {"lowerBound": "1", "upperBound": str(int(KEYS * self.size.postgres_scale))}
        return options


@contextlib.contextmanager
def prepared(cases: Sequence[Case], size: Size, uris: Mapping[str, str]) -> Iterator[Prepared]:
    """Yields the data of some cases, in a folder of the cache that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="spark-", dir=cache_folder("tpch")) as name:
        folder = Path(name)
        for data in dict.fromkeys(case.data for case in cases if case.data not in TABLES):
            FILES[data](folder / data, size)
        yield Prepared(folder, uris, size)


def write_csv(file: Path, size: Size) -> None:
    """Writes the first 318 MB of lineitem as CSV, or all of it where it is smaller, with the header."""
    with tpch.generate(size.scale).open("rb") as source, file.open("wb") as target:
        left = CSV_BYTES
        while left > 0 and (piece := source.read(min(left, 1 << 24))):
            target.write(piece)
            left -= len(piece)
        # The line that the cut went through is whole again.
        target.write(source.readline() if left == 0 else b"")


def _numbers(rows: int, columns: list[str]) -> Iterator[pa.Table]:
    """Yields row groups of random 64-bit integers, the same ones in every run."""
    random = np.random.default_rng(1)
    for start in range(0, rows, ROWS_A_GROUP):
        count = min(ROWS_A_GROUP, rows - start)
        made = {name: random.integers(0, 1 << 62, count, dtype=np.int64) for name in columns}
        yield pa.table(made)


def _write(file: Path, groups: Iterator[pa.Table]) -> None:
    first = next(groups)
    with pq.ParquetWriter(file, first.schema, compression="snappy") as writer:
        writer.write_table(first, row_group_size=ROWS_A_GROUP)
        for group in groups:
            writer.write_table(group, row_group_size=ROWS_A_GROUP)


def _link_quarters(gigabytes: float) -> Callable[[Path, Size], None]:
    """Returns what makes a folder of files of 0.25 GB that are one file: the disk and the cache hold it once."""

    def link(made: Path, size: Size) -> None:
        quarter = made.parent / "quarter.parquet"
        if not quarter.exists():
            _write(quarter, _numbers(size.quarter, ["a", "b", "c", "d"]))
        made.mkdir()
        for number in range(round(gigabytes / QUARTER)):
            (made / f"part-{number:02}.parquet").hardlink_to(quarter)

    return link


def _write_lineitem(codec: str) -> Callable[[Path, Size], None]:
    def write(file: Path, size: Size) -> None:
        with pa.memory_map(str(arrow_stream(size.scale))) as source:
            table = pa.ipc.open_stream(source).read_all()
            pq.write_table(table, file, compression=codec, row_group_size=ROWS_A_GROUP)

    return write


FILES: Mapping[str, Callable[[Path, Size], None]] = {
    "numbers.parquet": lambda file, size: _write(file, _numbers(size.numbers, ["a", "b", "c", "d"])),
    "wide.parquet": lambda file, size: _write(file, _numbers(size.wide, [f"c{number}" for number in range(100)])),
    "lineitem.csv": write_csv,
    **{f"lineitem-{codec}.parquet": _write_lineitem(codec) for codec in ("none", "snappy", "gzip", "zstd")},
    **{folder(gigabytes): _link_quarters(gigabytes) for gigabytes in GIGABYTES},
}
