"""Endpoints of the gateway that are fetched more than once: a task that is tried again sees the same state."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import bowshot
import psycopg
import pyarrow as pa
import pytest
from tests.gateway.serving import served
from tests.test_tickets import ROWS, accounts, elsewhere, sessions, total, until, writers

__all__ = ["accounts", "writers"]

SQL = "SELECT id, balance, note FROM accounts"


@pytest.fixture
def gateway(command: str, postgres: str) -> Iterator[str]:
    """In front of the accounts' database."""
    with served(command, f"bank={postgres}") as gateway:
        yield gateway.address


def plan_of(gateway: str, **options: Any) -> bowshot.Plan:
    plan = bowshot.plan(SQL, gateway, connections=4, **options)
    assert len(plan.partitions) > 1, plan.reason
    return plan


@pytest.mark.usefixtures("writers")
def test_every_endpoint_is_read_again_on_one_state(gateway: str) -> None:
    with plan_of(gateway) as plan:
        parts = [pickle.loads(pickle.dumps(partition)) for partition in plan.partitions]
        first = [total(part) for part in parts]
        assert sum(rows for rows, _, _ in first) == ROWS
        assert sum(numbers for _, numbers, _ in first) == ROWS * (ROWS + 1) // 2
        assert sum(balance for _, _, balance in first) == 0
        for _ in range(2):
            assert [total(part) for part in reversed(parts)] == first[::-1]


@pytest.mark.usefixtures("accounts")
def test_a_reader_that_leaves_in_the_middle_ends_nothing(gateway: str) -> None:
    whole = bowshot.read_sql(SQL, gateway, return_type="arrow").sort_by("id")
    with plan_of(gateway) as plan:
        parts = [pickle.loads(pickle.dumps(partition)) for partition in plan.partitions]
        batches = parts[0].batches()
        next(batches)
        other = parts[1].batches()
        begun = next(other)
        batches.close()
        rest = [begun, *other]
        tables = [parts[0].to_arrow(), pa.Table.from_batches(rest), *(part.to_arrow() for part in parts[2:])]
    assert pa.concat_tables(tables).sort_by("id").equals(whole)


@pytest.mark.usefixtures("accounts")
def test_a_plan_that_is_closed_lets_the_database_go(gateway: str, postgres: str) -> None:
    before = sessions(postgres)
    with plan_of(gateway) as plan:
        part = pickle.loads(pickle.dumps(plan.partitions[0]))
        assert elsewhere(part) == elsewhere(part)
        assert sessions(postgres) > before
    until(lambda: sessions(postgres) <= before, "the gateway keeps a snapshot that nobody needs")
    with pytest.raises(bowshot.SnapshotGoneError, match="the server no longer has the ticket's rows"):
        part.to_arrow()


@pytest.mark.usefixtures("accounts")
def test_what_nobody_passed_on_is_read_once_and_without_a_holder(gateway: str, postgres: str) -> None:
    before = sessions(postgres)
    plan = plan_of(gateway)
    assert sessions(postgres) == before + 1
    assert bowshot.read_sql(SQL, gateway, return_type="arrow").num_rows == ROWS
    plan.close()
    until(lambda: sessions(postgres) <= before, "a result that was cancelled keeps its snapshot")


@pytest.mark.usefixtures("accounts")
def test_a_table_that_is_altered_waits_for_the_plan(gateway: str, postgres: str) -> None:
    with plan_of(gateway) as plan, psycopg.connect(postgres, autocommit=True) as connection:
        part = pickle.loads(pickle.dumps(plan.partitions[0]))
        expected = total(part)
        connection.execute("SET lock_timeout = '200ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            connection.execute("ALTER TABLE accounts DROP COLUMN note")
        assert total(part) == expected
