"""No password of a source's address comes out of the command, the gateway, its log or its console."""

from __future__ import annotations

import os
import re
import subprocess
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import adbc_driver_flightsql.dbapi as flight_sql
import pytest
from tests.gateway.serving import served
from tests.malformed_addresses import MARK, quick_addresses

ADDRESSES = quick_addresses()

# What a gateway starts with, and no source behind it answers.
ACCEPTED = [
    f"postgresql://ann:a#{MARK}@127.0.0.1:1/shop",
    f"mysql://ann:a {MARK}%@127.0.0.1:1/shop",
    f"clickhouse://ann:{MARK}[@127.0.0.1:1/shop",
    f"postgresql://127.0.0.1:1/shop?user=ann&password={MARK}",
    f"host=127.0.0.1 port=1 user=ann password={MARK} dbname=shop",
    f"odbc:Driver={{Nope}};Server=127.0.0.1;UID=ann;PWD={MARK}",
    f"odbc:Driver={{Nope}};Server=127.0.0.1;UID=ann;PWDD={MARK}",
    f"odbc:PWD={MARK};Driver={{Nope}}",
    f"adbc:nope?uri=postgresql://ann:{MARK}@127.0.0.1&password={MARK}",
    f"grpc://localhost:1?username=ann&password={MARK}",
    f"s3://box/x.csv?secret_access_key={MARK}&endpoint=http://127.0.0.1:1&allow_http=true&region=x",
    f"sqlite:///nowhere/ann:{MARK}@host/x.db",
]


def environment(**more: str) -> dict[str, str]:
    return {**{name: value for name, value in os.environ.items() if not name.startswith("BOWSHOT_")}, **more}


def said(command: str, *arguments: str, **more: str) -> str:
    done = subprocess.run(
        [command, "serve", *arguments, "--check"], env=environment(**more), capture_output=True, check=False, timeout=60
    )
    return (done.stdout + done.stderr).decode("utf-8", "replace")


def test_the_command_line_the_file_and_the_environment(command: str, tmp_path: Path) -> None:
    def look(numbered: tuple[int, str]) -> str:
        number, address = numbered
        match number % 4:
            case 0:
                file = tmp_path / f"{number}.toml"
                text = address.replace("\\", "\\\\").replace('"', '\\"')
                file.write_text(f'[[source]]\nuri = "{text}"\n', "utf-8")
                return said(command, "--config", str(file))
            case 1:
                return said(command, BOWSHOT_SOURCES=address)
            case 2:
                return said(command, f"shop={address}")
            case _:
                return said(command, "--", address)

    with ThreadPoolExecutor(4) as pool:
        leaks = [
            (address, text)
            for address, text in zip(ADDRESSES, pool.map(look, enumerate(ADDRESSES)), strict=True)
            if MARK in text
        ]
    assert not leaks, "\n".join(f"{address}\n    {text[:400]}" for address, text in leaks)


def test_a_gateway_its_log_and_its_console(command: str, tmp_path: Path) -> None:
    file = tmp_path / "gateway.toml"
    quoted = [address.replace("\\", "\\\\").replace('"', '\\"') for address in ACCEPTED]
    # Some have names that their addresses suggest.
    names = ["" if number in (5, 7) else f'name = "s{number}"\n' for number in range(len(quoted))]
    file.write_text(
        "".join(f'[[source]]\n{name}uri = "{uri}"\n' for name, uri in zip(names, quoted, strict=True)), "utf-8"
    )
    heard = [said(command, "--config", str(file))]
    with served(command, "--config", str(file), "--console", "127.0.0.1:0", "--set", "log.level=debug") as gateway:
        with flight_sql.connect(gateway.address, autocommit=True) as connection, connection.cursor() as cursor:
            for number in range(len(ACCEPTED)):
                for sql in (
                    f"SELECT * FROM s{number}.t",
                    f"SELECT * FROM s{number}.public.t JOIN s0.public.t USING (a)",
                ):
                    try:
                        cursor.execute(sql)
                        heard.append(str(cursor.fetchall()))
                    except Exception as error:
                        heard += [str(error), repr(error)]
            cursor.execute("SELECT * FROM bowshot.queries")
            heard.append(str(cursor.fetchall()))
            try:
                heard.append(str(connection.adbc_get_objects(depth="all").read_all()))
            except Exception as error:
                heard.append(repr(error))
        console = re.search(r"console on (http://[\d.:]+)", gateway.log.read_text("utf-8", "replace"))
        assert console
        for path in ("api/sources", "api/history", "api/running", "api/endpoints", "metrics", "ready", "api/sources"):
            try:
                with urllib.request.urlopen(f"{console.group(1)}/{path}", timeout=30) as answer:
                    heard.append(answer.read().decode())
            except urllib.error.HTTPError as error:
                heard.append(error.read().decode())
        heard.append(gateway.log.read_text("utf-8", "replace"))
    leaks = [text for text in heard if MARK in text]
    assert not leaks, leaks


@pytest.mark.parametrize(
    ("names", "address", "table"),
    [
        (["parts/a.parquet", "parts/b.parquet"], "parts/*.parquet", "data"),
        (["parts/part-1.parquet", "parts/part-2.parquet"], "parts/part-?.parquet", "data"),
        (["parts/2024-1.parquet", "parts/2024-2.parquet"], "parts/2024*.parquet", "data"),
        (["day=1/a.parquet", "day=2/a.parquet"], "**/*.parquet", "data"),
        (["parts/a.parquet", "parts/b.parquet"], "file:parts/*.parquet", "data"),
        (["parts/a.parquet", "parts/b.parquet"], "parts/", "parts"),
        (["my parts/a.parquet", "my parts/b.parquet"], "./my parts/", "my parts"),
        (["v1.2/a.parquet", "v1.2/b.parquet"], "./v1.2/", "v1"),
        (["one.parquet"], "one.parquet", "one"),
        (["my file.v2.parquet"], "./my file.v2.parquet", "my file"),
        (["my file.parquet"], "file:my%20file.parquet", "data"),
        (["a[1].parquet"], "./a[1].parquet", "data"),
    ],
)
def test_the_table_that_is_listed_is_found(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: list[str], address: str, table: str
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(names):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"id": [number]}), name)
    with (
        served(command, f"lake={address}", f"other={address}") as gateway,
        flight_sql.connect(gateway.address, autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        objects = connection.adbc_get_objects(depth="tables", catalog_filter="lake").read_all().to_pylist()
        listed = [
            found["table_name"] for schema in objects[0]["catalog_db_schemas"] for found in schema["db_schema_tables"]
        ]
        assert listed == [table]
        for name in (f'lake."{table}"', "lake.data"):
            cursor.execute(f"SELECT id FROM {name} ORDER BY id")
            assert [row[0] for row in cursor.fetchall()] == list(range(len(names))), name
