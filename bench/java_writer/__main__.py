"""Writes `lineitem` of TPC-H from memory as Parquet, with Snappy: ArrowParquetWriter in a JVM beside `pq.write_table`.

    dev/parquet_build.sh && python -m bench.java_writer

Prints the CPU seconds of each round. The bar: no more than pyarrow takes.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from bench.paths import cache_folder
from bench.tpch_arrow import arrow_stream

JAVA = Path(__file__).resolve().parents[2] / "java"
MAIN = "io.bowshot.parquet.WriterBenchmark"
BAR = 1.0


def main() -> int:
    """Runs the command line; returns 1 where the files hold other rows."""
    parser = argparse.ArgumentParser(prog="python -m bench.java_writer", description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="rounds (default 5)")
    parser.add_argument("--scale", type=float, default=1, help="of TPC-H (default 1)")
    arguments = parser.parse_args()
    stream = arrow_stream(arguments.scale)
    with tempfile.TemporaryDirectory(dir=cache_folder("tpch")) as name:
        folder = Path(name)
        ours = java_seconds(stream, folder / "java.parquet", arguments.repeat)
        theirs = pyarrow_seconds(stream, folder / "pyarrow.parquet", arguments.repeat)
        sizes = [(folder / f"{writer}.parquet").stat().st_size >> 20 for writer in ("java", "pyarrow")]
        same = pq.read_table(folder / "java.parquet").equals(pq.read_table(folder / "pyarrow.parquet"))
    ratio = statistics.median(ours) / statistics.median(theirs)
    for label, seconds, size in (("ArrowParquetWriter", ours, sizes[0]), ("pq.write_table", theirs, sizes[1])):
        print(f"{label:20} {' '.join(f'{second:.2f}' for second in seconds)} CPU s, {size} MiB")
    print(f"{ratio:.2f} x (bar {BAR:.2f}): {'met' if ratio <= BAR else 'missed'}")
    if not same:
        print("the files do not hold the same rows", file=sys.stderr)
    return 0 if same else 1


def java_seconds(stream: Path, file: Path, rounds: int) -> list[float]:
    """Returns the CPU seconds of a JVM's writes, all of its threads included, after one that is not counted."""
    paths = file.with_name("class-path")
    goals = ["test-compile", "dependency:build-classpath", f"-Dmdep.outputFile={paths}"]
    subprocess.run(["mvn", "--batch-mode", "--quiet", "--projects", "border,parquet", *goals], cwd=JAVA, check=True)
    # What Maven wrote last is the class path of `parquet`.
    classes = [JAVA / "parquet/target/classes", JAVA / "parquet/target/test-classes"]
    class_path = ":".join([*map(str, classes), paths.read_text().strip()])
    command = ["java", "--add-opens=java.base/java.nio=ALL-UNNAMED", "-XX:MaxDirectMemorySize=64g"]
    command += ["-cp", class_path, MAIN, str(stream), str(file), str(rounds)]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [float(line) for line in printed.split()]


def pyarrow_seconds(stream: Path, file: Path, rounds: int) -> list[float]:
    """Returns the CPU seconds of pyarrow's writes of the same batches, after one that is not counted."""
    # In memory, as the JVM has it.
    table = pa.ipc.open_stream(pa.py_buffer(stream.read_bytes())).read_all()
    found = []
    for _ in range(rounds + 1):
        start = time.process_time()
        pq.write_table(table, file, compression="snappy", row_group_size=1 << 20)
        found.append(time.process_time() - start)
    return found[1:]


if __name__ == "__main__":
    sys.exit(main())
