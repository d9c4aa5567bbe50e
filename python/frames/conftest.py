"""What the tests of `python/tests` have too: private servers, tables, writers; and a Ray of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import ray
from tests.conftest import mariadb, postgres, testkit
from tests.test_tickets import accounts, writers

__all__ = ["accounts", "mariadb", "postgres", "testkit", "writers"]


@pytest.fixture(scope="session", autouse=True)
def cluster() -> Iterator[None]:
    """Ray with two workers, which the guides find when they ask for one."""
    ray.init(num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()
