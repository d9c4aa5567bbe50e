"""Makes all data and installs the other servers, so that a run only measures."""

from bench import mariadb, server, tpch
from bench.gateway.other_servers import SERVERS, program
from bench.gateway.parts.rows import FILES, TABLES
from bench.gateway.settings import Settings
from bench.gateway.tables import in_files, in_mariadb, in_postgres


def prepare(settings: Settings) -> None:
    """Makes what is missing; raises `CalledProcessError` where a database refuses or a package cannot be installed."""
    tpch.parquet_folder(settings.scale)
    with server.running_server() as postgres, mariadb.running_server() as maria:
        for scale in (settings.scale, settings.network_scale):
            tpch.postgres_database(postgres, scale)
        tpch.mariadb_database(maria, settings.network_scale)
        uri = in_postgres(postgres, settings)
        in_mariadb(maria, uri, settings)
        for write in FILES.values():
            in_files(uri, settings, TABLES, write)
    for name in SERVERS:
        program(name)
