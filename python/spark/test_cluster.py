"""`format("bowshot")` on a standalone cluster: executors and a driver that die, tasks that run twice."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from spark.cluster import Application, Cluster, cluster, files, resident, until
from spark.conftest import jars
from tests.test_tickets import ROWS

SETTINGS = {
    # All memory that Java may use is resident from the beginning: what grows is ours.
    "spark.executor.extraJavaOptions": "-Xms512m -XX:+AlwaysPreTouch",
    "spark.speculation": "true",
    "spark.speculation.interval": "50ms",
    "spark.speculation.minTaskRuntime": "100ms",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.5",
}

COMMON = """
def found(df):
    hashed = f.sum(f.xxhash64("id", "balance", "note").cast("decimal(38, 0)")).cast("string")
    row = df.agg(f.count("*"), f.sum("id"), f.sum("balance"), hashed).collect()[0]
    return [int(value) for value in row]

# Long texts in small batches: sockets have no room for a partition, of which most is unread while its task waits.
spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "200")
long = "SELECT id, balance, repeat(note, 8) AS note FROM accounts"

def accounts():
    return read(long, partition_bytes=6 << 20, batch_bytes=256 << 10, connections=4)

# Partitions that the test lets go on: the first attempts say that they have rows, and wait.
def waiting(df, folder):
    def wait(batches):
        context = TaskContext.get()
        for number, batch in enumerate(batches):
            if number == 0 and context.attemptNumber() == 0:
                (folder / f"began{context.partitionId()}").touch()
                while not (folder / "go").exists():
                    time.sleep(0.02)
            yield batch
    return df.mapInArrow(wait, df.schema)
"""
"""What the applications of the tests know."""


@pytest.fixture(scope="module")
def spark_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster of all tests here."""
    with cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture(scope="module")
def application(spark_cluster: Cluster, postgres: str) -> Iterator[Application]:
    """The application of all tests here."""
    with spark_cluster.application(postgres, ",".join(map(str, jars())), **SETTINGS) as made:
        made.run(COMMON)
        made.run("say(ready=True)")
        assert made.told() == {"ready": True}
        yield made


def asked(postgres: str, sql: str) -> int:
    with psycopg.connect(postgres, autocommit=True) as connection:
        row = connection.execute(sql).fetchone()
        assert row is not None
        return int(row[0])


def sessions(postgres: str) -> int:
    """How many sessions of Bowshot's the server has."""
    return asked(postgres, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bowshot'")


def none_stays(postgres: str) -> None:
    until(lambda: sessions(postgres) == 0, "a session stays", seconds=10)


def began(folder: Path) -> list[Path]:
    """Which partitions wait."""
    return list(folder.glob("began*"))


@pytest.mark.usefixtures("accounts")
def test_rows_are_those_of_the_table(application: Application, postgres: str) -> None:
    application.run("""
theirs = spark.range(1, 60001).selectExpr("CAST(id AS INT)", "0L AS balance", "repeat('x', 2400) AS note")
say(ours=found(accounts()), theirs=found(theirs), partitions=accounts().rdd.getNumPartitions())
""")
    told = application.told()
    assert told["ours"] == told["theirs"]
    assert told["ours"][:3] == [ROWS, ROWS * (ROWS + 1) // 2, 0]
    assert told["partitions"] > 2
    none_stays(postgres)


@pytest.mark.usefixtures("accounts")
def test_a_slow_task_is_run_twice_and_its_rows_are_read_once(
    application: Application, postgres: str, tmp_path: Path
) -> None:
    application.run(f"folder = Path({str(tmp_path)!r})")
    application.run("""
def slow(batches):
    context = TaskContext.get()
    if context.partitionId() == 0:
        (folder / f"attempt{context.attemptNumber()}").touch()
        # The first attempt never ends by itself.
        while context.attemptNumber() == 0:
            next(batches, None)
            time.sleep(0.02)
    yield from batches

df = accounts()
say(slow=found(df.mapInArrow(slow, df.schema)), plain=found(df))
""")
    told = application.told()
    assert told["slow"] == told["plain"]
    assert {path.name for path in tmp_path.iterdir()} == {"attempt0", "attempt1"}
    none_stays(postgres)


@pytest.mark.usefixtures("accounts")
def test_a_job_is_cancelled_while_the_database_waits(application: Application, postgres: str) -> None:
    application.run("""
def slow():
    spark.sparkContext.setJobGroup("slow", "waits in the database", interruptOnCancel=False)
    try:
        read("SELECT id, pg_sleep(3600) IS NULL AS slow FROM accounts").write.format("noop").mode("overwrite").save()
    except Exception as error:
        say(failed=type(error).__name__)

thread = threading.Thread(target=slow)
thread.start()
""")
    until(lambda: sleeping(postgres), "the database never waits", 60)
    application.run('say(cancelled=spark.sparkContext.cancelJobGroup("slow"))')
    assert application.told() == {"cancelled": None}
    start = time.monotonic()
    until(lambda: not sleeping(postgres), "the database waits on")
    assert time.monotonic() - start < 1
    assert "failed" in application.told()
    application.run('thread.join()\nsay(count=read("SELECT * FROM accounts").count())')
    assert application.told() == {"count": ROWS}
    none_stays(postgres)


def sleeping(postgres: str) -> int:
    return asked(postgres, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")


READS = """
def early(number):
    # Spark itself filters, and stops when it has enough: the rest of the partition is never read.
    rows = df.where(f"id % 7 = {number % 7}").limit(3).collect()
    assert len(rows) == 3 and all(row.id % 7 == number % 7 for row in rows)

def limited(number):
    assert len(df.limit(1 + number % 5).collect()) == 1 + number % 5

def cancelled(number):
    context = spark.sparkContext
    context.setJobGroup(f"job{number}", "cancelled", interruptOnCancel=number % 20 == 0)
    # Again and again: a job that has not begun yet is not cancelled.
    done = threading.Event()
    def cancel():
        while not done.wait(0.1):
            context.cancelJobGroup(f"job{number}")
    thread = threading.Thread(target=cancel)
    thread.start()
    try:
        slow.write.format("noop").mode("overwrite").save()
    except Exception as error:
        assert "cancel" in str(error).lower(), error
    else:
        raise AssertionError("it is not cancelled")
    finally:
        done.set()
        thread.join()
        context._jsc.clearJobGroup()

df = accounts()
slow = read("SELECT *, pg_sleep(0.01) IS NULL AS slow FROM accounts")
number = 0

def reads(count):
    global number
    for _ in range(count):
        number += 1
        (cancelled if number % 10 == 0 else limited if number % 3 == 0 else early)(number)
    say(reads=number)
"""


@pytest.mark.usefixtures("accounts")
def test_hundreds_of_reads_that_end_early_leave_nothing(
    application: Application, spark_cluster: Cluster, postgres: str
) -> None:
    def read(count: int) -> dict[int, tuple[int, int]]:
        application.run(f"reads({count})")
        application.told()
        none_stays(postgres)
        return {pid: (resident(pid), files(pid)) for pid in spark_cluster.executors()}

    application.run(READS)
    before = after = read(50)
    assert len(before) == 2
    number, start = 50, time.monotonic()
    while number < 1000 and (number < 200 or time.monotonic() < start + 20):
        after = read(50)
        number += 50
        print(f"{number} reads:", time.monotonic() - start, after)
    assert before.keys() == after.keys(), "an executor died"
    for pid, (memory, opened) in after.items():
        # One batch of each read would be more.
        assert memory - before[pid][0] < 32 << 20
        assert opened - before[pid][1] < 8


@pytest.mark.usefixtures("writers")
def test_a_task_of_a_killed_executor_reads_the_same_state_elsewhere(
    application: Application, spark_cluster: Cluster, postgres: str, tmp_path: Path
) -> None:
    application.run(f"say(found=found(waiting(accounts(), Path({str(tmp_path)!r}))))")
    until(lambda: len(began(tmp_path)) == 2, "two tasks never run at once", 60)
    killed, kept = spark_cluster.executors()
    changes = transactions(postgres)
    until(lambda: transactions(postgres) > changes + 100, "nobody writes")
    os.kill(killed, signal.SIGKILL)
    (tmp_path / "go").touch()
    rows, numbers, balance, _ = application.told()["found"]
    assert (rows, numbers, balance) == (ROWS, ROWS * (ROWS + 1) // 2, 0)
    assert killed not in spark_cluster.executors()
    assert kept in spark_cluster.executors()
    none_stays(postgres)


def transactions(postgres: str) -> int:
    """How many there were."""
    return asked(postgres, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")


@pytest.mark.usefixtures("accounts")
def test_a_driver_is_killed_and_its_sessions_end(
    application: Application, spark_cluster: Cluster, postgres: str, tmp_path: Path
) -> None:
    """The last one: nothing of the application is left after it."""
    until(lambda: len(spark_cluster.executors()) == 2, "the killed executor has no successor", 60)
    application.run("say(jvm=spark.sparkContext._gateway.proc.pid)")
    jvm = application.told()["jvm"]
    application.run(f"found(waiting(accounts(), Path({str(tmp_path)!r})))")
    until(lambda: len(began(tmp_path)) == 2, "two tasks never run at once", 60)
    # One of the plan, and one of each task.
    assert sessions(postgres) >= 3
    os.kill(jvm, signal.SIGKILL)
    none_stays(postgres)
    until(lambda: not spark_cluster.executors(), "the executors stay")
