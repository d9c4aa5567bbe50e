"""PostgreSQL servers that have the extension, which dev/postgres_extension_setup.sh makes.

POSTGRES_EXTENSION_BIN names the folder of one's programs; without it, nothing here is collected.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.conformance_cases import started
from tests.postgres_extension.server import Server, running

collect_ignore_glob = [] if "POSTGRES_EXTENSION_BIN" in os.environ else ["test_*.py"]


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder of the server's programs."""
    return Path(os.environ["POSTGRES_EXTENSION_BIN"])


@pytest.fixture(scope="session")
def server(testkit: str, programs: Path) -> Iterator[Server]:
    """A server of its own, with the extension in its first database."""
    with running(testkit, programs) as found:
        found.execute("CREATE EXTENSION bowshot")
        yield found


@pytest.fixture(scope="session")
def conformance(testkit: str, programs: Path) -> Iterator[dict[str, Any]]:
    """The databases of the conformance cases, with the extension in each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POSTGRES_BIN", str(programs))
        with started(testkit, "postgres") as found:
            for uri in found["suites"].values():
                with psycopg.connect(uri, autocommit=True) as connection:
                    connection.execute("CREATE EXTENSION bowshot")
            yield found
