"""What a case is: a query, the data that it reads, and the ways to read them, each in the JVM of its engine."""

from collections.abc import Mapping
from dataclasses import dataclass, field

# The engines, whose names most ways have too.
SPARK = "spark"
BOWSHOT = "bowshot"
DROP_IN = "drop-in"
COMET = "comet"
BOWSHOT_ON_4_1 = "bowshot on 4.1"

# Where a case has no file to read, but a table of PostgreSQL: in a database without the extension, or in one with it.
POSTGRES = "postgres"
POSTGRES_EXTENSION = "postgres, extension"
TABLES = (POSTGRES, POSTGRES_EXTENSION)

ALL = "SELECT * FROM data"


@dataclass(frozen=True)
class Group:
    """Cases that share their engines, which end with the group: memory does not hold the JVMs of all groups.

    A group with workers runs on a cluster of that many workers, of one core each; any other in the driver's JVM.
    A group has at most `rounds` rounds.
    """

    name: str
    workers: int = 0
    rounds: int = 1_000


FILES = Group("files")


@dataclass(frozen=True)
class Way:
    """A way to read a case's data: the JVM that does it, and what Spark's `read` is told.

    `plan` is text that Spark's plan must contain: where an accelerator leaves the scan to Spark, nothing is measured.
    """

    name: str
    engine: str
    format: str
    options: Mapping[str, str] = field(default_factory=dict)
    schema: str = ""
    plan: str = ""


@dataclass(frozen=True)
class Case:
    """A query over the view `data`.

    `data` names a file or folder of `data.FILES`, or one of `TABLES`. What takes less than a second is read several
    times a measurement, since CPU time is counted in hundredths. `bar` is how many times Bowshot's CPU seconds the
    other reader must take: Spark's own, or Comet.
    """

    name: str
    data: str
    sql: str
    ways: tuple[Way, ...]
    bar: float | None = None
    reads: int = 1
    group: Group = FILES
