"""Partitions that are read one by one, here and in other processes, on the plan's snapshot."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import bowshot
import psycopg
import pyarrow as pa
import pytest

ROWS = 60_000
SCRIPT = """
import pickle, sys
partition = pickle.load(sys.stdin.buffer)
try:
    print(partition.to_arrow().num_rows)
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.fixture
def accounts(postgres: str) -> Iterator[str]:
    """A table of several partitions whose balances have the sum 0, however they change."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("SET lock_timeout = '5s'")
        connection.execute("DROP TABLE IF EXISTS accounts")
        connection.execute(
            "CREATE TABLE accounts AS SELECT n AS id, 0::bigint AS balance, repeat('x', 300) AS note"
            f" FROM generate_series(1, {ROWS}) n"
        )
        connection.execute("ANALYZE accounts")
        yield "accounts"
        connection.execute("DROP TABLE accounts")


@pytest.fixture
def writers(postgres: str, accounts: str) -> Iterator[None]:
    """Transfers between accounts all the while."""
    stop = threading.Event()

    def transfer() -> None:
        with psycopg.connect(postgres) as connection:
            number = 0
            while not stop.is_set():
                number += 7919
                first, second = number % ROWS + 1, (number * 31) % ROWS + 1
                connection.execute(f"UPDATE {accounts} SET balance = balance - 5 WHERE id = %s", [first])
                connection.execute(f"UPDATE {accounts} SET balance = balance + 5 WHERE id = %s", [second])
                connection.commit()

    thread = threading.Thread(target=transfer)
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE INDEX ON accounts (id)")
    thread.start()
    yield
    stop.set()
    thread.join()


def total(partition: bowshot.Partition) -> tuple[int, int, int]:
    """What a partition holds: its rows, the sum of their numbers, and that of their balances."""
    table = partition.to_arrow()
    return len(table), int(table["id"].to_numpy().sum()), int(table["balance"].to_numpy().sum())


def see_one_state(plan: bowshot.Plan) -> None:
    """Processes that read the partitions of a plan twice find the accounts as they were at one moment."""
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        parts = list(pool.map(total, plan.partitions))
        again = list(pool.map(total, plan.partitions))
    assert sum(rows for rows, _, _ in parts) == ROWS
    assert sum(numbers for _, numbers, _ in parts) == ROWS * (ROWS + 1) // 2
    assert sum(balance for _, _, balance in parts) == 0
    assert again == parts


def elsewhere(partition: bowshot.Partition, code: str = SCRIPT) -> str:
    """What a new Python says of a pickled partition."""
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(partition), capture_output=True, timeout=60)
    return (done.stdout + done.stderr).decode().strip()


def sessions(postgres: str) -> int:
    """How many sessions have a transaction open: waiting in it, or looking now whether somebody reads."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        query = (
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE xact_start IS NOT NULL AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        row = connection.execute(query).fetchone()
        assert row is not None
        return int(row[0])


def asleep(postgres: str) -> int:
    """How many queries sleep: those that are only planned do not."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        row = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'").fetchone()
        assert row is not None
        return int(row[0])


def until(condition: Callable[[], bool], what: str, seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def plan_of(postgres: str, **options: Any) -> bowshot.Plan:
    plan = bowshot.plan("SELECT id, balance, note FROM accounts", postgres, connections=4, **options)
    assert len(plan.partitions) > 2, plan.reason
    return plan


@pytest.mark.usefixtures("writers")
def test_processes_see_one_state_while_writers_write(postgres: str) -> None:
    with plan_of(postgres) as plan:
        see_one_state(plan)


@pytest.mark.usefixtures("accounts")
def test_a_partition_is_what_the_whole_read_has_there(postgres: str) -> None:
    whole = bowshot.read_sql("SELECT id, balance, note FROM accounts", postgres, return_type="arrow")
    with plan_of(postgres) as plan:
        parts = [pickle.loads(pickle.dumps(partition)).to_arrow() for partition in plan.partitions]
    assert pa.concat_tables(parts).combine_chunks() == whole.combine_chunks()
    assert parts[0].schema == whole.schema


@pytest.mark.usefixtures("writers")
def test_threads_read_the_partitions_of_one_plan(postgres: str) -> None:
    plan = plan_of(postgres)
    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(total, [*plan.partitions, *plan.partitions]))
    half = len(plan.partitions)
    assert parts[:half] == parts[half:]
    assert sum(balance for _, _, balance in parts[:half]) == 0


@pytest.mark.usefixtures("accounts")
def test_every_form_of_a_partition(postgres: str) -> None:
    with plan_of(postgres) as plan:
        partition = plan.partitions[1]
        table = partition.to_arrow()
        assert partition.schema.names == ["id", "balance", "note"]
        assert partition.to_pandas()["id"].tolist() == table["id"].to_pylist()
        assert partition.to_polars()["id"].to_list() == table["id"].to_pylist()
        assert pa.Table.from_batches(list(partition.batches())) == table
        assert pa.table(partition) == table
        assert partition.to_reader().read_all() == table
        travelled = pickle.loads(pickle.dumps(partition))
        assert travelled.schema.types == partition.schema.types
        assert (travelled.index, travelled.label, travelled.rows) == (1, partition.label, partition.rows)
        assert pa.table(travelled) == table
        assert pickle.loads(pickle.dumps(travelled)).to_arrow() == table


@pytest.mark.usefixtures("accounts")
def test_the_plan_can_be_read_in_place_as_well(postgres: str) -> None:
    query = bowshot.query("SELECT id, balance FROM accounts", postgres, connections=2)
    plan = query.plan
    before = total(plan.partitions[0])
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("UPDATE accounts SET balance = 1")
    table = query.to_arrow()
    assert table["balance"].to_numpy().sum() == 0
    assert total(plan.partitions[0]) == before


@pytest.mark.usefixtures("accounts")
def test_what_is_closed_is_gone_and_its_sessions_end(postgres: str) -> None:
    before = sessions(postgres)
    with plan_of(postgres) as plan:
        partition = plan.partitions[0]
        kept = pickle.loads(pickle.dumps(partition))
        assert sessions(postgres) == before + 1
    until(lambda: sessions(postgres) == before, "the holder's session stays")
    started = time.monotonic()
    with pytest.raises(bowshot.SnapshotGoneError, match="was closed"):
        partition.to_arrow()
    with pytest.raises(bowshot.SnapshotGoneError, match="plan the query again"):
        kept.to_arrow()
    assert time.monotonic() - started < 1
    assert elsewhere(kept).startswith("SnapshotGoneError the plan's snapshot is gone")


@pytest.mark.usefixtures("accounts")
def test_a_partition_keeps_its_plan_alive(postgres: str) -> None:
    before = sessions(postgres)
    partition = plan_of(postgres).partitions[0]
    assert total(partition) == total(partition)
    del partition
    until(lambda: sessions(postgres) == before, "a dropped plan's session stays")


@pytest.mark.usefixtures("accounts")
def test_the_lease_ends_and_a_read_that_has_begun_goes_on(postgres: str) -> None:
    plan = plan_of(postgres, lease=0.3)
    kept = pickle.loads(pickle.dumps(plan.partitions[0]))
    whole = total(plan.partitions[0])
    batches = kept.batches(batch_size=50)
    rows = len(next(batches))
    time.sleep(0.2)
    # The reader has shown itself; when it has ended, nobody does.
    rows += sum(len(batch) for batch in batches)
    assert rows == whole[0]

    until(lambda: not sessions(postgres), "the lease never ends")
    with pytest.raises(bowshot.SnapshotGoneError, match="its lease of 300 ms ended"):
        plan.ticket(0)
    with pytest.raises(bowshot.SnapshotGoneError):
        kept.to_arrow()


@pytest.mark.usefixtures("accounts")
def test_a_killed_holder_leaves_one_clear_error(postgres: str) -> None:
    code = (
        "import bowshot, pickle, sys, time\n"
        f"plan = bowshot.plan('SELECT id, balance FROM accounts', {postgres!r}, connections=2)\n"
        "sys.stdout.buffer.write(pickle.dumps(plan.partitions[0]) + b'END')\n"
        "sys.stdout.flush()\n"
        "time.sleep(600)\n"
    )
    before = sessions(postgres)
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    written = b""
    while not written.endswith(b"END"):
        piece = os.read(holder.stdout.fileno(), 1 << 16)
        assert piece, "the holder died"
        written += piece
    partition = pickle.loads(written[:-3])
    reading = partition.batches(batch_size=10)
    rows = len(next(reading))
    holder.kill()
    holder.wait()
    # What has begun sees its own snapshot to the end.
    rows += sum(len(batch) for batch in reading)
    assert rows > 10
    until(lambda: sessions(postgres) == before, "the holder's session outlives it")
    started = time.monotonic()
    with pytest.raises(bowshot.SnapshotGoneError) as gone:
        partition.to_arrow()
    assert time.monotonic() - started < 1
    assert gone.value.hint is not None


@pytest.mark.usefixtures("writers")
def test_a_killed_worker_is_tried_again_with_equal_rows(postgres: str) -> None:
    with plan_of(postgres) as plan:
        first = total(plan.partitions[1])
        code = (
            "import os, pickle, signal, sys\n"
            "partition = pickle.load(sys.stdin.buffer)\n"
            "next(partition.batches(batch_size=10))\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        killed = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(plan.partitions[1]), timeout=60)
        assert killed.returncode == -9
        assert total(plan.partitions[1]) == first


@pytest.mark.usefixtures("accounts")
def test_an_altered_table_is_another_result(postgres: str) -> None:
    # The plan's locks keep the table as it is; without a snapshot, only the ticket's fingerprint tells.
    plan = bowshot.plan("SELECT * FROM accounts", postgres, connections=1)
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("SET lock_timeout = '200ms'")
        ticket = plan.ticket(0)
        with pytest.raises(psycopg.errors.LockNotAvailable):
            connection.execute("ALTER TABLE accounts ADD COLUMN more int")
    assert bowshot.join(ticket, postgres).to_arrow().num_rows == ROWS


@pytest.mark.usefixtures("accounts")
def test_many_plans_that_nobody_closes_have_a_bound(postgres: str) -> None:
    before = sessions(postgres)
    kept: list[bowshot.Plan] = []

    def keep() -> None:
        for _ in range(100):
            kept.append(bowshot.plan("SELECT 1 AS one FROM accounts LIMIT 1", postgres))
            kept[-1].ticket(0)

    with pytest.raises(bowshot.ConnectionLimitError, match=r"32 plans.*close plans"):
        keep()
    assert len(kept) <= 33
    kept.clear()
    for _ in range(100):
        bowshot.plan("SELECT 1 AS one FROM accounts LIMIT 1", postgres).ticket(0)
    until(lambda: sessions(postgres) <= before, "dropped plans keep sessions")


@pytest.mark.usefixtures("accounts")
def test_a_fork_reads_its_parents_partitions_and_leaves_them_alone(postgres: str) -> None:
    with plan_of(postgres) as plan:
        partition = plan.partitions[0]
        expected = total(partition)
        child = os.fork()
        if child == 0:
            try:
                same = total(partition) == expected
                del partition, plan
                import gc

                gc.collect()
                os._exit(0 if same else 3)
            except BaseException:
                os._exit(4)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert total(partition) == expected


@pytest.mark.usefixtures("accounts")
def test_damaged_tickets_and_those_of_other_sources(postgres: str, shop: Path) -> None:
    with plan_of(postgres) as plan:
        ticket = plan.ticket(0)
        for damaged in (b"", b"x", ticket[:-1], ticket[:20] + bytes([ticket[20] ^ 1]) + ticket[21:]):
            with pytest.raises(bowshot.ConfigError, match=r"ticket"):
                bowshot.join(damaged, postgres)
        with pytest.raises(bowshot.ConfigError, match="another version of Bowshot"):
            bowshot.join(ticket[:7] + b"\x7f" + ticket[8:], postgres)
        with pytest.raises(bowshot.ConfigError, match="the ticket is of postgresql"):
            bowshot.join(ticket, shop).to_arrow()
        other = postgres.rsplit("/", 1)[0] + "/template1"
        with pytest.raises(bowshot.SnapshotGoneError):
            bowshot.join(ticket, other).to_arrow()


@pytest.mark.usefixtures("accounts")
def test_a_password_is_looked_up_where_it_is_needed(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_URI", postgres)
    monkeypatch.setenv("SHOP_PASSWORD", "s3cret")
    with plan_of("${SHOP_URI}") as plan:
        pickled = pickle.dumps(plan.partitions[0])
        assert postgres.encode() not in pickled
        assert elsewhere(plan.partitions[0]).isdigit()
        monkeypatch.delenv("SHOP_URI")
        assert elsewhere(plan.partitions[0]).startswith("ConfigError the environment has no variable SHOP_URI")
    address = bowshot.plan("SELECT 1 AS one", postgres).partitions[0]
    assert "s3cret" not in repr(address)


def test_a_plan_says_whether_it_travels(postgres: str, shop: Path, mariadb: str) -> None:
    assert bowshot.plan("SELECT * FROM items", shop).travels
    assert bowshot.plan("SELECT 1 AS one", mariadb).travels
    queries = ["SELECT 1 AS one", "SELECT 2 AS one"]
    plan = bowshot.plan(queries, mariadb)
    assert not plan.travels
    assert "bowshot serve" in plan.reason
    with pytest.raises(bowshot.UnsupportedError, match="one_snapshot=False"):
        plan.ticket(0)
    with pytest.raises(bowshot.UnsupportedError):
        pickle.dumps(plan.partitions[0])
    assert bowshot.plan(queries, postgres).travels
    values = [partition.to_arrow()["one"].to_pylist() for partition in bowshot.plan(queries, postgres).partitions]
    assert values == [[1], [2]]


@pytest.mark.parametrize("lease", [0, -1, float("inf"), float("nan")])
def test_leases_that_are_none(postgres: str, lease: float) -> None:
    with pytest.raises(bowshot.ConfigError, match="lease"):
        bowshot.plan("SELECT 1 AS one", postgres, lease=lease)


def test_parameters_types_and_statements_before_travel(postgres: str) -> None:
    plan = bowshot.plan(
        "SELECT g AS n, g * %(factor)s::numeric AS price, current_setting('bowshot.mood') AS mood"
        " FROM generate_series(1, 3) g",
        postgres,
        params={"factor": "1.5"},
        types={"price": "decimal128(12, 1)"},
        pre_execution_query="SET bowshot.mood = 'calm'",
    )
    table = pickle.loads(pickle.dumps(plan.partitions[0])).to_arrow()
    assert table.schema.field("price").type == pa.decimal128(12, 1)
    assert [str(value) for value in table["price"].to_pylist()] == ["1.5", "3.0", "4.5"]
    assert table["mood"].to_pylist() == ["calm"] * 3


def test_temporary_tables_are_read_anew_where_they_are_made_again(postgres: str) -> None:
    plan = bowshot.plan("SELECT * FROM mine", postgres, pre_execution_query="CREATE TEMP TABLE mine AS SELECT 7 AS n")
    assert pickle.loads(pickle.dumps(plan.partitions[0])).to_arrow()["n"].to_pylist() == [7]
