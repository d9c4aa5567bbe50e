"""Partitions that an ADBC driver makes, read in other processes. The driver is Bowshot's own, as Bowshot's source."""

from __future__ import annotations

import pickle
from typing import Any

import bowshot
import psycopg
import pytest
from tests.test_tickets import accounts, elsewhere, see_one_state, sessions, until, writers

__all__ = ["accounts", "writers"]

SQL = "SELECT id, balance, note FROM accounts"


def plan_of(driver: str, postgres: str, **options: Any) -> bowshot.Plan:
    uri = f"adbc:{driver}?uri={postgres}&bowshot.connections=4"
    plan = bowshot.plan(SQL, uri, connections=4, **options)
    assert len(plan.partitions) > 2, plan.reason
    assert "the driver divided the result" in plan.reason
    return plan


@pytest.mark.usefixtures("writers")
def test_processes_see_the_driver_s_one_execution(driver: str, postgres: str) -> None:
    with plan_of(driver, postgres) as plan:
        assert plan.travels
        see_one_state(plan)


@pytest.mark.usefixtures("accounts")
def test_the_whole_is_what_its_partitions_have(driver: str, postgres: str) -> None:
    whole = bowshot.read_sql(SQL, postgres, return_type="arrow")
    with plan_of(driver, postgres) as plan:
        parts = [pickle.loads(pickle.dumps(partition)) for partition in plan.partitions]
        assert parts[0].schema == plan.schema
        rows = [row for part in parts for row in part.to_arrow().to_pylist()]
    assert rows == whole.to_pylist()


@pytest.mark.usefixtures("accounts")
def test_a_plan_that_is_closed_is_gone_everywhere(driver: str, postgres: str) -> None:
    before = sessions(postgres)
    with plan_of(driver, postgres) as plan:
        partition = pickle.loads(pickle.dumps(plan.partitions[0]))
        assert elsewhere(partition).isdigit()
    until(lambda: sessions(postgres) <= before, "the driver's snapshot stays open")
    assert elsewhere(partition).startswith("SnapshotGoneError")
    with pytest.raises(bowshot.SnapshotGoneError, match="no longer finds the ticket's rows"):
        partition.to_arrow()


@pytest.mark.usefixtures("accounts")
def test_a_table_that_was_altered_is_no_other_result(driver: str, postgres: str) -> None:
    with plan_of(driver, postgres) as plan:
        partition = pickle.loads(pickle.dumps(plan.partitions[0]))
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("ALTER TABLE accounts ALTER balance TYPE text USING balance::text")
    with pytest.raises(bowshot.SnapshotGoneError):
        partition.to_arrow()
