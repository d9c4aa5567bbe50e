"""`format("bowshot")` on a standalone cluster: executors that die, tasks that run twice, drivers and jobs that are killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import psycopg
import pytest
from spark.cluster import Application, Cluster, cluster, files, resident, until
from spark.conftest import jars
from tests.test_tickets import ROWS

HASHED = """
def found(df):
    hashed = f.sum(f.xxhash64("id", "balance", "note").cast("decimal(38, 0)")).cast("string")
    row = df.agg(f.count("*"), f.sum("id"), f.sum("balance"), hashed).collect()[0]
    return [int(value) for value in row]

"""

GATED = HASHED + """
# Partitions that the test lets go on: the first attempts say that they have a batch, and wait.
def gated(batches):
    context = TaskContext.get()
    for number, batch in enumerate(batches):
        if number == 0 and context.attemptNumber() == 0:
            (folder / f"began{context.partitionId()}").touch()
            while not (folder / "go").exists():
                time.sleep(0.02)
        yield batch

folder = Path(arguments["folder"])
# Small batches: most of a partition is unread while its task waits.
df = read("SELECT * FROM accounts", partition_bytes=4 << 20, batch_bytes=256 << 10, connections=4)
waiting = df.mapInArrow(gated, df.schema)
"""

Run = Callable[..., AbstractContextManager[Application]]


@pytest.fixture(scope="module")
def spark_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster of all tests here."""
    with cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture
def run(spark_cluster: Cluster, postgres: str) -> Run:
    """Runs an application; no session of an earlier one is there when it starts."""
    jar = ",".join(map(str, jars()))
    until(lambda: not sessions(postgres) and not spark_cluster.executors(), "an earlier application has not ended")
    return lambda script, **settings: spark_cluster.application(script, postgres, jar, **settings)


def asked(postgres: str, sql: str) -> int:
    with psycopg.connect(postgres, autocommit=True) as connection:
        row = connection.execute(sql).fetchone()
        assert row is not None
        return int(row[0])


def sessions(postgres: str, state: str = "%") -> int:
    """How many sessions of Bowshot's the server has, in a state or in any."""
    of = f"application_name = 'bowshot' AND state LIKE '{state}'"
    return asked(postgres, f"SELECT count(*) FROM pg_stat_activity WHERE {of}")


def none_stays(postgres: str, seconds: float = 10) -> None:
    until(lambda: sessions(postgres) == 0, "a session stays", seconds)


@pytest.mark.usefixtures("accounts")
def test_rows_are_those_of_the_table(run: Run, postgres: str) -> None:
    script = HASHED + """
df = read("SELECT * FROM accounts", partition_bytes=4 << 20, connections=4)
theirs = spark.range(1, 60001).selectExpr("CAST(id AS INT)", "0L AS balance", "repeat('x', 300) AS note")
say(ours=found(df), theirs=found(theirs), partitions=df.rdd.getNumPartitions())
heard()
"""
    with run(script) as application:
        told = application.told()
        assert told["ours"] == told["theirs"]
        assert told["ours"][:3] == [ROWS, ROWS * (ROWS + 1) // 2, 0]
        assert told["partitions"] > 2
        # While the application lives on, and its executors do.
        none_stays(postgres)


@pytest.mark.usefixtures("writers")
def test_an_executor_is_killed_and_its_task_reads_the_same_state_elsewhere(run: Run, spark_cluster: Cluster, postgres: str) -> None:
    with run(GATED + "say(found=found(waiting))\nheard()\n") as application:
        folder = application.log.parent
        until(lambda: len(list(folder.glob("began*"))) == 2, "two tasks never run at once", 60)
        killed, kept = spark_cluster.executors()
        changes = changed(postgres)
        until(lambda: changed(postgres) > changes + 100, "nobody writes")
        os.kill(killed, signal.SIGKILL)
        (folder / "go").touch()
        rows, numbers, balance, _ = application.told()["found"]
        assert (rows, numbers, balance) == (ROWS, ROWS * (ROWS + 1) // 2, 0)
        assert killed not in spark_cluster.executors()
        assert kept in spark_cluster.executors()
        none_stays(postgres)


def changed(postgres: str) -> int:
    """How many transactions there were."""
    return asked(postgres, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")


@pytest.mark.usefixtures("accounts")
def test_a_slow_task_is_run_twice_and_its_rows_are_read_once(run: Run, postgres: str) -> None:
    script = GATED + """
def slow(batches):
    context = TaskContext.get()
    if context.partitionId() == 0:
        (folder / f"attempt{context.attemptNumber()}").touch()
        # The first attempt never ends by itself.
        while context.attemptNumber() == 0:
            next(batches, None)
            time.sleep(0.02)
    yield from batches

say(slow=found(df.mapInArrow(slow, df.schema)), plain=found(df))
heard()
"""
    speculation = {
        "spark.speculation": "true",
        "spark.speculation.interval": "50ms",
        "spark.speculation.minTaskRuntime": "100ms",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.5",
    }
    with run(script, **speculation) as application:
        told = application.told()
        assert told["slow"] == told["plain"]
        assert {path.name for path in application.log.parent.glob("attempt*")} == {"attempt0", "attempt1"}
        none_stays(postgres)


@pytest.mark.usefixtures("accounts")
def test_a_driver_is_killed_and_its_sessions_end(run: Run, spark_cluster: Cluster, postgres: str) -> None:
    with run(GATED + "say(jvm=spark.sparkContext._gateway.proc.pid)\nfound(waiting)\n") as application:
        jvm = application.told()["jvm"]
        until(lambda: len(list(application.log.parent.glob("began*"))) == 2, "two tasks never run at once", 60)
        # One of the plan, and one of each task.
        assert sessions(postgres) >= 3
        os.kill(jvm, signal.SIGKILL)
        none_stays(postgres)
        until(lambda: not spark_cluster.executors(), "the executors stay")


@pytest.mark.usefixtures("accounts")
def test_a_job_is_cancelled_while_the_database_waits(run: Run, postgres: str) -> None:
    script = """
def slow():
    spark.sparkContext.setJobGroup("slow", "waits in the database", interruptOnCancel=False)
    try:
        read("SELECT id, pg_sleep(3600) IS NULL AS slow FROM accounts").write.format("noop").mode("overwrite").save()
    except Exception as error:
        say(failed=type(error).__name__)

thread = threading.Thread(target=slow)
thread.start()
heard()
spark.sparkContext.cancelJobGroup("slow")
say(cancelled=True)
thread.join()
say(count=read("SELECT * FROM accounts").count())
heard()
"""
    with run(script) as application:
        until(lambda: sleeping(postgres), "the database never waits", 60)
        application.tell("cancel")
        assert application.told() == {"cancelled": True}
        start = time.monotonic()
        until(lambda: not sleeping(postgres), "the database waits on")
        assert time.monotonic() - start < 1
        assert "failed" in application.told()
        # The executors read on.
        assert application.told() == {"count": ROWS}
        none_stays(postgres)


def sleeping(postgres: str) -> int:
    return asked(postgres, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")


READS = """
class Cancelled(Exception):
    pass

def early(number):
    # Spark itself filters, and stops when it has enough: the rest of the partition is never read.
    rows = df.where(f"id % 7 = {number % 7}").limit(3).collect()
    assert len(rows) == 3 and all(row.id % 7 == number % 7 for row in rows)

def limited(number):
    assert len(df.limit(1 + number % 5).collect()) == 1 + number % 5

def cancelled(number):
    context = spark.sparkContext
    context.setJobGroup(f"job{number}", "cancelled", interruptOnCancel=number % 2 == 0)
    thread = threading.Timer(0.005 * (number % 20), context.cancelJobGroup, [f"job{number}"])
    thread.start()
    try:
        slow.write.format("noop").mode("overwrite").save()
    except Exception as error:
        assert "cancel" in str(error).lower(), error
    else:
        raise AssertionError("it is not cancelled")
    finally:
        thread.join()
        context._jsc.clearJobGroup()

df = read("SELECT * FROM accounts", partition_bytes=4 << 20, batch_bytes=1 << 20, connections=4)
slow = read("SELECT *, pg_sleep(0.01) IS NULL AS slow FROM accounts")
number = 0
while command := heard():
    for _ in range(int(command)):
        number += 1
        (cancelled if number % 10 == 0 else limited if number % 3 == 0 else early)(number)
    spark._jvm.System.gc()
    say(reads=number)
"""


@pytest.mark.usefixtures("accounts")
def test_hundreds_of_reads_that_end_early_leave_nothing(run: Run, spark_cluster: Cluster, postgres: str) -> None:
    touched = {"spark.executor.extraJavaOptions": "-Xms512m -XX:+AlwaysPreTouch"}
    with run(READS, **touched) as application:

        def reads(count: int) -> dict[int, tuple[int, int]]:
            application.tell(str(count))
            application.told()
            none_stays(postgres)
            return {pid: (resident(pid), files(pid)) for pid in spark_cluster.executors()}

        before = reads(50)
        assert len(before) == 2
        start = time.monotonic()
        number = 50
        while number < 1000 and (number < 250 or time.monotonic() < start + 60):
            after = reads(50)
            number += 50
            print(number, round(time.monotonic() - start, 1), after)
        assert before.keys() == after.keys(), "an executor died"
        for pid, (memory, opened) in after.items():
            assert memory - before[pid][0] < 64 << 20
            assert opened - before[pid][1] < 8
