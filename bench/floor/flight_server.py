"""A Flight SQL server that costs next to nothing: one table in memory, at as many endpoints as asked for.

It answers every query with the whole table. What a client needs on top of it is the client's own doing.

    python flight_server.py lineitem.parquet --endpoints 4 --port 0
"""

from __future__ import annotations

import argparse
import sys
from typing import Any, Iterator

import pyarrow as pa
import pyarrow.flight as flight
import pyarrow.parquet as pq

PREFIX = "type.googleapis.com/arrow.flight.protocol.sql."


def varint(number: int) -> bytes:
    """A number as protobuf writes it."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number: int, value: bytes) -> bytes:
    """A field of bytes as protobuf writes it."""
    return varint(number << 3 | 2) + varint(len(value)) + value


def name_of(command: bytes) -> str:
    """The name of a message of Flight SQL: the first field of google.protobuf.Any, whose names are short."""
    return command[2 : 2 + command[1]].decode().removeprefix(PREFIX)


class Server(flight.FlightServerBase):
    """Serves one table."""

    def __init__(self, location: str, table: pa.Table, endpoints: int, batch_rows: int) -> None:
        super().__init__(location)
        self.table = table
        step = -(-table.num_rows // endpoints)
        slices = [table.slice(begin, step) for begin in range(0, table.num_rows, step)]
        self.parts = [part.combine_chunks().to_batches(max_chunksize=batch_rows) for part in slices]

    def get_flight_info(self, _context: Any, descriptor: flight.FlightDescriptor) -> flight.FlightInfo:
        """Where the result of a query is; of a question about the server: nowhere."""
        name = name_of(descriptor.command)
        if name not in {"CommandStatementQuery", "CommandPreparedStatementQuery"}:
            raise NotImplementedError(name)
        endpoints = [flight.FlightEndpoint(str(part).encode(), []) for part in range(len(self.parts))]
        return flight.FlightInfo(self.table.schema, descriptor, endpoints, self.table.num_rows, -1)

    def get_schema(self, _context: Any, _descriptor: flight.FlightDescriptor) -> flight.SchemaResult:
        """The columns of every query."""
        return flight.SchemaResult(self.table.schema)

    def do_get(self, _context: Any, ticket: flight.Ticket) -> flight.RecordBatchStream:
        """The batches of an endpoint, as they lie in memory."""
        batches = self.parts[int(ticket.ticket)]
        return flight.RecordBatchStream(pa.RecordBatchReader.from_batches(self.table.schema, batches))

    def do_action(self, _context: Any, action: flight.Action) -> Iterator[flight.Result]:
        """Prepared queries, for clients that know nothing else."""
        if action.type == "CreatePreparedStatement":
            handle = field(1, b"handle") + field(2, self.table.schema.serialize().to_pybytes())
            name = f"{PREFIX}ActionCreatePreparedStatementResult".encode()
            yield flight.Result(field(1, name) + field(2, handle))
        elif action.type not in {"ClosePreparedStatement", "CloseSession"}:
            raise NotImplementedError(action.type)


def main() -> None:
    """Serves until it is ended; says its port."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", help="a Parquet file")
    parser.add_argument("--endpoints", type=int, default=4)
    parser.add_argument("--batch-rows", type=int, default=65536)
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    table = pq.read_table(options.table)
    server = Server(f"grpc://127.0.0.1:{options.port}", table, options.endpoints, options.batch_rows)
    print(server.port, flush=True)
    print(f"{table.num_rows} rows, {table.nbytes >> 20} MiB", file=sys.stderr, flush=True)
    server.serve()


if __name__ == "__main__":
    main()
