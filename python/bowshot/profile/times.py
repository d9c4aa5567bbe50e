"""The figures of a profile. Every instant and every time is in seconds; instants count from the start of the read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

Outcome: TypeAlias = Literal["running", "complete", "failed", "stopped"]
Site: TypeAlias = Literal["server", "files", "here", "driver"]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some time of a partition, of one or several batches."""

    start: float
    end: float
    connecting: float
    server: float
    decoding: float
    waiting: float
    starved: float


@dataclass(frozen=True, slots=True)
class PartitionProfile:
    """A partition of a read, or several that one connection read one after the other.

    `connecting`, `server`, `decoding`, `waiting` and `starved` add up to the time from `start` to `end`.
    """

    index: int
    """Which partition of the plan, or the first of several."""
    last: int
    """The last of several; else the same."""
    count: int
    """How many: 1 unless the plan has more than 10,000 partitions."""
    label: str
    """What it holds, for people; of several, the first one's."""
    connection: int
    """The connection that read it, by its index."""
    start: float
    """When its connection turned to it; for the first one of a connection, when that was asked for."""
    claimed: float
    """When its connection was there and the reading began."""
    opened: float | None
    """When its query was sent, or its file opened."""
    first_batch: float | None
    """When its first batch was decoded."""
    end: float
    """When its connection was through with it, or now."""
    complete: bool
    """Whether it was read to its end."""
    connecting: float
    """Time in which its connection was opened."""
    server: float
    """Time in which the reading thread waited for the server, the files or the driver."""
    decoding: float
    """Time in which the reading thread worked: it made batches, and of them what the destination wants."""
    waiting: float
    """Time in which the reading thread waited for room, since what it had read was not taken yet."""
    starved: float
    """Time in which the reading thread was ready to go on, but every core of the machine was busy. Only Linux says so;
    elsewhere it is part of the states before it."""
    batches: int
    rows: int
    bytes: int
    """Bytes of Arrow memory."""
    stretches: tuple[Stretch, ...] = field(repr=False)
    """The same times, one stretch after the other: at most 256 of them."""

    @property
    def duration(self) -> float:
        """From its start to its end."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class ConnectionProfile:
    """A connection, and the thread that reads over it."""

    index: int
    start: float
    """When it was asked for."""
    opened: float | None
    """When it was open; `None` where it is not yet, was refused, or failed."""
    end: float
    """When there was no more to do for it, or now."""
    failed: bool
    """Whether it met the error that ended the read."""

    @property
    def duration(self) -> float:
        """From its start to its end."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class ConsumerStretch:
    """Some time of the consumer."""

    start: float
    end: float
    waiting: float
    working: float


@dataclass(frozen=True, slots=True)
class ConsumerProfile:
    """The side that takes the batches. `waiting` and `working` add up to the time of the read."""

    waiting: float
    """Time in which it waited for a batch, or for the end."""
    working: float
    """Time in which it did something else: before it asked for the first batch, and with each batch."""
    first_batch: float | None
    """When it had the first batch."""
    batches: int
    rows: int
    bytes: int
    """Bytes of Arrow memory."""
    stretches: tuple[ConsumerStretch, ...] = field(repr=False)
    """The same times, one stretch after the other."""


@dataclass(frozen=True, slots=True, repr=False)
class Profile:
    """Where the time of a read went: print it, let a notebook draw it, or look at its figures.

    >>> import bowshot, sqlite3, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "shop.db"
    >>> with sqlite3.connect(path) as connection:
    ...     _ = connection.execute("CREATE TABLE items (id INTEGER, name TEXT)")
    ...     _ = connection.execute("INSERT INTO items VALUES (7, 'bow')")
    >>> items = bowshot.query("SELECT * FROM items", path)
    >>> table = items.to_table()
    >>> profile = items.profile()
    >>> profile.outcome, profile.rows, len(profile.partitions)
    ('complete', 1, 1)
    >>> profile.to_svg()[:4]
    '<svg'
    """

    outcome: Outcome
    """How the read stands: it is `running`, is `complete`, has `failed`, or was `stopped` by its consumer."""
    site: Site
    """Where the source's work is done, which says what `server` and `decoding` mean: on a `server`, in `files`, `here`
    in the thread that reads (SQLite), or in a `driver` (ODBC, ADBC)."""
    total: float
    """From the start of the read to the end of its last batch, or until now."""
    planned: int
    """How many partitions the plan has, begun or not."""
    connections: tuple[ConnectionProfile, ...]
    """In the order in which they were asked for."""
    partitions: tuple[PartitionProfile, ...]
    """Those that were begun, in the order of the result."""
    consumer: ConsumerProfile
    """The side that takes the batches."""

    @classmethod
    def _of(cls, told: Mapping[str, Any]) -> Profile:
        """Of what the compiled half tells."""
        consumer = dict(told["consumer"])
        consumer["stretches"] = tuple(ConsumerStretch(*stretch) for stretch in consumer["stretches"])
        return cls(
            outcome=told["outcome"],
            site=told["site"],
            total=told["total"],
            planned=told["planned"],
            connections=tuple(ConnectionProfile(**connection) for connection in told["connections"]),
            partitions=tuple(map(_partition, told["partitions"])),
            consumer=ConsumerProfile(**consumer),
        )

    @property
    def rows(self) -> int:
        """Rows that the consumer was given."""
        return self.consumer.rows

    @property
    def bytes(self) -> int:
        """Bytes of Arrow memory that the consumer was given."""
        return self.consumer.bytes

    @property
    def connecting(self) -> float:
        """Time in which connections were opened, of all together."""
        return sum((one.end if one.opened is None else one.opened) - one.start for one in self.connections)

    @property
    def server(self) -> float:
        """Time in which threads waited for the server, the files or the driver, of all together."""
        return sum(partition.server for partition in self.partitions)

    @property
    def decoding(self) -> float:
        """Time in which threads worked, of all together."""
        return sum(partition.decoding for partition in self.partitions)

    @property
    def waiting(self) -> float:
        """Time in which threads waited for room, of all together."""
        return sum(partition.waiting for partition in self.partitions)

    @property
    def starved(self) -> float:
        """Time in which threads were ready while every core was busy, of all together."""
        return sum(partition.starved for partition in self.partitions)

    @property
    def summary(self) -> str:
        """Where the time went, in a sentence or two."""
        from .words import summary

        return summary(self)

    def to_dict(self) -> dict[str, Any]:
        """All figures as dictionaries, lists and numbers, as `json.dumps` takes them."""
        figures = asdict(self)
        for name in ("connections", "partitions"):
            figures[name] = list(figures[name])
        for holder in (figures["consumer"], *figures["partitions"]):
            holder["stretches"] = list(holder["stretches"])
        return figures

    def to_svg(self) -> str:
        """The timeline as a picture: a file of its own, or a part of a page."""
        from .svg import draw

        return draw(self)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        return f'<figure style="margin:0">{self.to_svg()}</figure>'

    def __str__(self) -> str:
        """A table for terminals: where the time went, and the slowest partitions."""
        from .table import table

        return table(self)

    def __repr__(self) -> str:
        """One line."""
        from .words import count, duration

        partitions = count(sum(partition.count for partition in self.partitions), "partition")
        connections = count(len(self.connections), "connection")
        return f"<bowshot.Profile: {partitions} over {connections} in {duration(self.total)}, {self.outcome}>"


def _partition(told: Mapping[str, Any]) -> PartitionProfile:
    rest = {name: value for name, value in told.items() if name not in ("states", "stretches")}
    states = dict(zip(("connecting", "server", "decoding", "waiting", "starved"), told["states"], strict=True))
    stretches = tuple(Stretch(start, end, *states) for start, end, states in told["stretches"])
    return PartitionProfile(**rest, **states, stretches=stretches)
