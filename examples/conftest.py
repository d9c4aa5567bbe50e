"""What the tests of the examples share: a tiny TPC-H database in SQLite and in a private PostgreSQL server."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import bench.server
from bench.tpch import load_postgres, load_sqlite

SCALE = 0.001  # 6,005 rows


@pytest.fixture(scope="session")
def sqlite_uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URI of a SQLite file with lineitem."""
    file = tmp_path_factory.mktemp("tpch") / "tpch.sqlite"
    load_sqlite(file, SCALE)
    return f"sqlite:///{file}"


@pytest.fixture(scope="session")
def postgres_uri() -> Iterator[str]:
    """The URI of a PostgreSQL database with lineitem, on a server of our own beside the benchmark's."""
    # Not pytest's folder: where root runs the tests, the server runs as the user postgres, who may not enter that.
    folder = Path(tempfile.mkdtemp(prefix="bowshot-examples-"))
    folder.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench.server, "server_folder", lambda name: folder / name)
        with bench.server.running_server() as server:
            uri = server.uri("postgres")
            load_postgres(uri, SCALE)
            yield uri
    shutil.rmtree(folder)


@pytest.fixture(params=["sqlite", "postgres"])
def uri(request: pytest.FixtureRequest) -> str:
    """Each database in turn."""
    return str(request.getfixturevalue(f"{request.param}_uri"))
