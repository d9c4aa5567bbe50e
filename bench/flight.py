"""A Flight SQL server for the benchmark: lineitem in memory, four endpoints whatever the query.

    python -m bench.flight FOLDER_OF_PARQUET_FILES      # prints its URI, ends when standard input closes

pyarrow's server is C++ and sends what lies in memory: it costs little beside its clients.
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow
import pyarrow.dataset
import pyarrow.flight

ENDPOINTS = 4
# About 1 MiB of lineitem, the size of message that the papers found best.
ROWS_A_BATCH = 8_192


@dataclass(frozen=True)
class Server:
    """A running server: its URI and its pid."""

    uri: str
    pid: int


class LineitemServer(pyarrow.flight.FlightServerBase):  # type: ignore[misc]
    """Answers every query with the whole table, a fourth of it an endpoint."""

    def __init__(self, table: pyarrow.Table) -> None:
        """Listens on a free port."""
        super().__init__("grpc://127.0.0.1:0")
        self.table = table

    def get_flight_info(
        self, _context: pyarrow.flight.ServerCallContext, descriptor: pyarrow.flight.FlightDescriptor
    ) -> pyarrow.flight.FlightInfo:
        """Returns the endpoints; without locations, which means this server.

        Raises `NotImplementedError` for all but queries: ADBC's driver asks for the server's properties first, and
        does without.
        """
        if b"CommandStatementQuery" not in descriptor.command:
            raise NotImplementedError("this server answers queries only")
        endpoints = [pyarrow.flight.FlightEndpoint(bytes([part]), []) for part in range(ENDPOINTS)]
        return pyarrow.flight.FlightInfo(self.table.schema, descriptor, endpoints, self.table.num_rows, -1)

    def get_schema(
        self, _context: pyarrow.flight.ServerCallContext, _descriptor: pyarrow.flight.FlightDescriptor
    ) -> pyarrow.flight.SchemaResult:
        """Returns the columns of every query."""
        return pyarrow.flight.SchemaResult(self.table.schema)

    def do_get(
        self, _context: pyarrow.flight.ServerCallContext, ticket: pyarrow.flight.Ticket
    ) -> pyarrow.flight.RecordBatchStream:
        """Returns the rows of an endpoint."""
        part, rows = ticket.ticket[0], self.table.num_rows
        first, last = rows * part // ENDPOINTS, rows * (part + 1) // ENDPOINTS
        batches = self.table.slice(first, last - first).to_batches(max_chunksize=ROWS_A_BATCH)
        return pyarrow.flight.RecordBatchStream(pyarrow.RecordBatchReader.from_batches(self.table.schema, batches))


@contextlib.contextmanager
def running_server(folder: Path) -> Iterator[Server]:
    """Yields a server in a process of its own; raises `RuntimeError` where it does not start."""
    command = [sys.executable, "-m", "bench.flight", str(folder)]
    root = Path(__file__).parent.parent
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        uri = process.stdout.readline().strip()
        if not uri:
            raise RuntimeError(f"the Flight SQL server ended with exit code {process.wait()}")
        yield Server(uri, process.pid)
        process.stdin.close()


def read(folder: Path) -> pyarrow.Table:
    """Returns the folder's rows, text as `string`: pyarrow sends all bytes of a `string_view` with each slice of it."""
    table = pyarrow.dataset.dataset(folder, format="parquet").to_table().combine_chunks()
    view, string = pyarrow.string_view(), pyarrow.string()
    fields = [field.with_type(string) if field.type == view else field for field in table.schema]
    return table.cast(pyarrow.schema(fields))


def main() -> None:
    """Runs the command line."""
    server = LineitemServer(read(Path(sys.argv[1])))
    sys.stdout.write(f"grpc://127.0.0.1:{server.port}\n")
    sys.stdout.flush()
    sys.stdin.read()
    server.shutdown()


if __name__ == "__main__":
    main()
