"""TLS with each client of Python, and certificates of clients."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import adbc_driver_flightsql.dbapi as flight_sql
import bowshot
import pyarrow as pa
import pyarrow.flight as flight
import pytest
from adbc_driver_flightsql import DatabaseOptions
from tests.gateway.clients import flight_options
from tests.gateway.databases import ORDERS, Databases
from tests.gateway.messages import statement
from tests.gateway.serving import Gateway, served

SQL = "SELECT id FROM orders"


@dataclass
class Files:
    """An authority, and what it has signed: the gateway's certificate and that of a client."""

    folder: Path

    def path(self, name: str) -> str:
        """Where `authority.pem`, `server.key` and their like are."""
        return str(self.folder / name)

    def bytes(self, name: str) -> bytes:
        """What one of them holds."""
        return (self.folder / name).read_bytes()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Made with openssl, for an hour or so."""
    folder = tmp_path_factory.mktemp("tls")
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    made = [
        "openssl",
        "req",
        "-x509",
        *key,
        "-subj",
        "/CN=authority",
        "-keyout",
        "authority.key",
        "-out",
        "authority.pem",
    ]
    subprocess.run(made, cwd=folder, check=True, capture_output=True)
    for name in ("server", "client"):
        signed = ["-CA", "authority.pem", "-CAkey", "authority.key", "-addext", "subjectAltName=IP:127.0.0.1"]
        # Without this a certificate is an authority's, which may not be a server's.
        signed += ["-addext", "basicConstraints=critical,CA:FALSE"]
        made = ["openssl", "req", "-x509", *key, *signed, "-subj", f"/CN={name}"]
        subprocess.run(
            [*made, "-keyout", f"{name}.key", "-out", f"{name}.pem"], cwd=folder, check=True, capture_output=True
        )
    return Files(folder)


@pytest.fixture(scope="module")
def encrypted(command: str, databases: Databases, files: Files) -> Iterator[Gateway]:
    """Whoever knows the authority gets in."""
    options = ["--tls-certificate", files.path("server.pem"), "--tls-key", files.path("server.key")]
    with served(command, f"shop={databases.postgres}", *options) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def mutual(command: str, databases: Databases, files: Files) -> Iterator[Gateway]:
    """Clients need a certificate of the authority."""
    options = ["--tls-certificate", files.path("server.pem"), "--tls-key", files.path("server.key")]
    options += ["--tls-client-ca", files.path("authority.pem")]
    with served(command, f"shop={databases.postgres}", *options) as gateway:
        yield gateway


def read_adbc(address: str, files: Files, known: bool, client: bool) -> pa.Table:
    options = {}
    if known:
        options[DatabaseOptions.TLS_ROOT_CERTS.value] = files.bytes("authority.pem").decode()
    if client:
        options[DatabaseOptions.MTLS_CERT_CHAIN.value] = files.bytes("client.pem").decode()
        options[DatabaseOptions.MTLS_PRIVATE_KEY.value] = files.bytes("client.key").decode()
    with (
        flight_sql.connect(address, db_kwargs=options, autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(SQL)
        return cursor.fetch_arrow_table()


def read_pyarrow(address: str, files: Files, known: bool, client: bool) -> pa.Table:
    options = {}
    if known:
        options["tls_root_certs"] = files.bytes("authority.pem")
    if client:
        options |= {"cert_chain": files.bytes("client.pem"), "private_key": files.bytes("client.key")}
    with flight.FlightClient(address, **options) as connection:
        info = connection.get_flight_info(flight.FlightDescriptor.for_command(statement(SQL)), flight_options({}))
        return pa.concat_tables(connection.do_get(endpoint.ticket).read_all() for endpoint in info.endpoints)


def read_bowshot(address: str, files: Files, known: bool, client: bool) -> pa.Table:
    options = [f"ca={files.path('authority.pem')}"] if known else []
    if client:
        options += [f"cert={files.path('client.pem')}", f"key={files.path('client.key')}"]
    return bowshot.query(SQL, f"{address}?{'&'.join(options)}").to_arrow()


CLIENTS = {"adbc": read_adbc, "pyarrow.flight": read_pyarrow, "bowshot": read_bowshot}
Read = Callable[[str, Files, bool, bool], pa.Table]


@pytest.mark.parametrize("read", CLIENTS.values(), ids=CLIENTS)
def test_rows_arrive_over_tls(encrypted: Gateway, files: Files, read: Read) -> None:
    assert encrypted.address.startswith("grpc+tls://")
    table = read(encrypted.address, files, True, False)
    assert sorted(table.column("id").to_pylist()) == list(range(1, ORDERS + 1))


@pytest.mark.parametrize("read", CLIENTS.values(), ids=CLIENTS)
def test_a_gateway_that_the_client_does_not_trust_gets_no_query(encrypted: Gateway, files: Files, read: Read) -> None:
    with pytest.raises(Exception, match=r"(?i)certificate|unavailable|handshake"):
        read(encrypted.address, files, False, False)


@pytest.mark.parametrize("read", CLIENTS.values(), ids=CLIENTS)
def test_a_client_shows_its_certificate(mutual: Gateway, files: Files, read: Read) -> None:
    assert read(mutual.address, files, True, True).num_rows == ORDERS
    # A gateway that turns a client away closes the connection; whether its reason gets there first is chance.
    with pytest.raises(Exception, match=r"(?i)certificate|unavailable|handshake|transport|connection|hung up"):
        read(mutual.address, files, True, False)
