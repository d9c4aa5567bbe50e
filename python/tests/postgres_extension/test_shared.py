"""Shared results: the parts together are the result, whatever is shared and however."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import psycopg
import pyarrow as pa
import pytest
from tests.conformance_display import display
from tests.postgres_extension.server import Server, connect, table
from tests.postgres_extension.shared import declare, declared, fetched

TABLES = """CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE wide AS SELECT n AS id, n % 7 AS kind, md5(n::text) AS text, (n / 7.0)::numeric(20, 6) AS ratio,
    CASE WHEN n % 3 = 0 THEN NULL ELSE (ARRAY['sad', 'ok', 'happy'])[n % 3 + 1]::mood END AS mood,
    ARRAY[n, NULL] AS pair, ARRAY['sad', 'happy']::mood[] AS moods, timestamptz '2024-01-01' + n * interval '1 minute'
    AS at FROM generate_series(1, 12000) n;
ALTER TABLE wide ALTER id SET NOT NULL;
CREATE TABLE kinds AS SELECT n AS kind, 'kind ' || n AS name FROM generate_series(0, 5) n;
CREATE TABLE empty (id int, text text);
CREATE TABLE split (id int, pad text) PARTITION BY RANGE (id);
CREATE TABLE split_low PARTITION OF split FOR VALUES FROM (MINVALUE) TO (8000);
CREATE TABLE split_high PARTITION OF split FOR VALUES FROM (8000) TO (MAXVALUE);
INSERT INTO split SELECT n, repeat('p', n % 100) FROM generate_series(1, 16000) n;
CREATE TABLE large AS SELECT n, repeat(chr(64 + n), n * 300000) AS text FROM generate_series(1, 8) n;
CREATE INDEX ON wide (id);
VACUUM ANALYZE"""

BY_PLAN = {
    "table": "SELECT * FROM wide",
    "filter": "SELECT id, text FROM wide WHERE kind = 3 AND at < now()",
    "inner join": "SELECT id, name FROM wide JOIN kinds USING (kind)",
    "left join": "SELECT id, name FROM wide LEFT JOIN kinds USING (kind)",
    "semi join": "SELECT id FROM wide WHERE kind IN (SELECT kind FROM kinds)",
    "anti join": "SELECT id FROM wide w WHERE NOT EXISTS (SELECT 1 FROM kinds k WHERE k.kind = w.kind)",
    "sublinks": "SELECT id, (SELECT max(name) FROM kinds k WHERE k.kind = w.kind) AS name FROM wide w",
    "partitions": "SELECT * FROM split",
    "union all": "SELECT id, text FROM wide UNION ALL SELECT id, pad FROM split",
    "set-returning": "SELECT id, generate_series(1, kind) AS s FROM wide",
    "empty": "SELECT * FROM empty",
    "no row": "SELECT * FROM wide WHERE text = ''",
    "large values": "SELECT * FROM large",
    "no column": "SELECT FROM kinds",
}
BY_RESULT = {
    "aggregate": "SELECT kind, count(*), sum(ratio), array_agg(DISTINCT mood) FROM wide GROUP BY kind",
    "order": "SELECT * FROM wide ORDER BY text",
    "limit": "SELECT id FROM wide ORDER BY id LIMIT 6000",
    "index": "SELECT id, mood FROM wide WHERE id BETWEEN 40 AND 60",
    "distinct": "SELECT DISTINCT kind, mood FROM wide",
    "window": "SELECT id, row_number() OVER (ORDER BY id DESC) AS place FROM wide",
    "union": "SELECT id FROM wide UNION SELECT id FROM split",
    "right join": "SELECT w.id, k.name FROM kinds k LEFT JOIN wide w USING (kind)",
    "self join": "SELECT a.id, b.text FROM wide a JOIN wide b ON a.id = b.id",
    "series": "SELECT n, n::text AS t FROM generate_series(1, 20000) n",
    "large values": "SELECT * FROM large ORDER BY n",
    "values": "VALUES (1, 'a'), (2, NULL)",
    "no row": "SELECT * FROM wide WHERE id < 0 ORDER BY text",
    "no column": "SELECT FROM generate_series(1, 1000)",
}
CASES = [pytest.param("plan", sql, id=f"plan: {name}") for name, sql in BY_PLAN.items()]
CASES += [pytest.param("result", sql, id=f"result: {name}") for name, sql in BY_RESULT.items()]


@pytest.fixture(scope="module", autouse=True)
def tables(server: Server) -> Iterator[None]:
    with psycopg.connect(server.uri, autocommit=True) as connection:
        for statement in TABLES.split(";\n"):
            connection.execute(statement)
    yield
    # Other tests have tables of the same names.
    server.execute("DROP TABLE wide, kinds, empty, split, large; DROP TYPE mood")


def rows(found: Iterable[pa.Table]) -> Counter[tuple[str, ...] | int]:
    """The rows of all tables, with how often each is there."""
    counted: Counter[tuple[str, ...] | int] = Counter()
    for part in found:
        columns = [[display(cell) for cell in column] for column in part.columns]
        counted.update(zip(*columns, strict=True) if columns else [part.num_rows] * bool(part.num_rows))
    return counted


@pytest.mark.parametrize(("how", "sql"), CASES)
def test_the_parts_are_the_result(server: Server, how: str, sql: str) -> None:
    with server.connect() as connection:
        expected = table(connection, sql)
    wanted = rows([expected])
    for parts in (1, 3):
        with declared(server, sql, parts) as shared:
            assert shared.how == how
            found = shared.fetch_all()
            assert all(part.schema.equals(expected.schema, check_metadata=True) for part in found)
            if expected.num_columns == 0:
                assert sum(part.num_rows for part in found) == expected.num_rows
            else:
                assert rows(found) == wanted
            # Fetched whole, it is gone.
            assert shared.how is None


@pytest.mark.parametrize("parts", [1, 2, 4, 8, 16, 64])
@pytest.mark.parametrize(("how", "sql"), [("plan", "SELECT * FROM wide"), ("result", "SELECT * FROM wide ORDER BY id")])
def test_any_number_of_parts(server: Server, how: str, sql: str, parts: int) -> None:
    with declared(server, sql, parts, batch_bytes=20_000) as shared:
        assert shared.how == how
        found = shared.fetch_all()
    identities = [part["id"].to_pylist() for part in found]
    assert sorted(number for part in identities for number in part) == list(range(1, 12_001))
    if how == "result":
        assert all(part == sorted(part) for part in identities)


@pytest.mark.parametrize("order", ["", " ORDER BY id"])
def test_one_connection_fetches_all_parts_in_turn(server: Server, order: str) -> None:
    with server.connect() as owner, server.connect() as connection:
        shared = declare(owner, server.uri, f"SELECT id FROM wide{order}", 4)
        found = [fetched(connection, shared.name, part) for part in (3, 1, 4, 2)]
        assert sorted(number for part in found for number in part["id"].to_pylist()) == list(range(1, 12_001))
        # The session that declared it may fetch, too.
        shared = declare(owner, server.uri, f"SELECT id FROM wide{order}", 2)
        assert sum(fetched(owner, shared.name, part).num_rows for part in (1, 2)) == 12_000


@pytest.mark.parametrize("order", ["", " ORDER BY id"])
def test_compression_and_infinity_are_the_results(server: Server, order: str) -> None:
    sql = f"SELECT id, text, CASE WHEN id = 7 THEN 'infinity' ELSE date '2024-01-01' END AS day FROM wide{order}"
    with declared(server, sql, 2) as shared:
        outcomes = shared.outcomes()
        assert any(isinstance(outcome, psycopg.errors.NumericValueOutOfRange) for outcome in outcomes)
    with declared(server, sql, 2, infinity="null", compression="zstd", batch_bytes=10_000) as shared:
        found = pa.concat_tables(shared.fetch_all()).sort_by("id")
        assert found["day"].null_count == 1
        assert found["day"][6].as_py() is None


@pytest.mark.parametrize("order", ["", " ORDER BY id"])
def test_all_parts_are_of_one_snapshot(server: Server, order: str) -> None:
    with server.connect() as other:
        other.execute("CREATE TABLE moving AS SELECT n AS id FROM generate_series(1, 5000) n")
        with declared(server, f"SELECT id FROM moving{order}", 3) as shared:
            other.execute("DELETE FROM moving WHERE id % 2 = 0; INSERT INTO moving VALUES (0)")
            other.execute("VACUUM moving")
            found = [shared.fetch(1)]
            other.execute("UPDATE moving SET id = -id")
            other.execute("VACUUM moving")
            # What the session that fetches has written itself is not of the snapshot either.
            other.execute("BEGIN; INSERT INTO moving VALUES (-7); DELETE FROM moving WHERE id = -1")
            found += [fetched(other, shared.name, 2)]
            other.execute("ROLLBACK")
            found += [shared.fetch(3)]
        assert sorted(number for part in found for number in part["id"].to_pylist()) == list(range(1, 5001))
        other.execute("DROP TABLE moving")


@pytest.mark.parametrize("order", ["", " ORDER BY id"])
def test_a_transaction_declares_and_may_end_before_the_parts_are_fetched(server: Server, order: str) -> None:
    with server.connect() as owner, server.connect() as other:
        other.execute("CREATE TABLE seen AS SELECT 1 AS id")
        owner.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        owner.execute("SELECT 1")
        other.execute("INSERT INTO seen VALUES (2)")
        shared = declare(owner, server.uri, f"SELECT id, now() AS at FROM seen{order}", 1)
        (begun,) = owner.execute("SELECT now()").fetchone() or (None,)
        owner.execute("COMMIT")
        assert shared.fetch(1).to_pylist() == [{"id": 1, "at": begun}]
        other.execute("DROP TABLE seen")


def test_a_snapshot_outlives_a_fetch_that_has_begun(server: Server) -> None:
    with server.connect() as other:
        pad = "repeat('x', 500) AS pad"
        other.execute(f"CREATE TABLE vacuumed AS SELECT n AS id, {pad} FROM generate_series(1, 30000) n")
        with declared(server, "SELECT * FROM vacuumed", 1) as shared:

            def vacuum() -> None:
                other.execute("DELETE FROM vacuumed")
                other.execute("VACUUM vacuumed")

            assert shared.fetch(1, vacuum).num_rows == 30_000
        other.execute("DROP TABLE vacuumed")


SETTINGS = "SELECT id, at::text AS t, now() AS moment, current_date AS day, lower(name) AS name"


@pytest.mark.parametrize(
    ("sql", "how"),
    [
        (f"{SETTINGS} FROM wide JOIN kinds USING (kind)", "plan"),
        (f"{SETTINGS} FROM wide JOIN kinds USING (kind) ORDER BY id", "result"),
        (f"{SETTINGS}, current_setting('TimeZone') AS zone FROM wide JOIN kinds USING (kind)", "result"),
    ],
)
def test_settings_are_the_owners(server: Server, sql: str, how: str) -> None:
    with server.connect() as owner, server.connect() as other:
        for statement in ("SET TimeZone = 'Asia/Tokyo'", "SET DateStyle = 'German'"):
            owner.execute(statement)
        expected = table(owner, sql)
        shared = declare(owner, server.uri, sql, 2)
        assert shared.how == how
        other.execute("SET TimeZone = 'America/Lima'")
        found = pa.concat_tables([fetched(other, shared.name, part) for part in (1, 2)])
        # Only for that time.
        assert other.execute("SHOW TimeZone").fetchone() == ("America/Lima",)
        assert len(set(found["moment"].to_pylist())) == 1
        assert rows([found.drop(["moment"])]) == rows([expected.drop(["moment"])])


def test_the_holder_may_use_parallel_workers(server: Server) -> None:
    with server.connect() as owner:
        owner.execute("CREATE TABLE parallel AS SELECT n, repeat('p', 200) AS pad FROM generate_series(1, 100000) n")
        owner.execute("VACUUM ANALYZE parallel")
        owner.execute("SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0")
        sql = "SELECT n % 10 AS k, count(*) AS c FROM parallel GROUP BY 1"
        assert "Gather" in str(owner.execute(f"EXPLAIN {sql}").fetchall())
        shared = declare(owner, server.uri, sql, 2)
        found = pa.concat_tables(shared.fetch_all())
        assert sorted(found.to_pylist(), key=lambda row: row["k"]) == [{"k": k, "c": 10_000} for k in range(10)]
        owner.execute("DROP TABLE parallel")


@pytest.mark.parametrize("order", ["", ' ORDER BY "größe"'])
def test_a_latin1_database(server: Server, order: str) -> None:
    server.execute("CREATE DATABASE shared1 ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    uri = server.database("shared1")
    with psycopg.connect(uri, autocommit=True, client_encoding="utf-8") as connection:
        connection.execute("CREATE EXTENSION bowshot")
        connection.execute(
            "CREATE TYPE g AS ENUM ('groß', 'klein'); CREATE TABLE w (\"größe\" g, wort text, worte text[]);"
            "INSERT INTO w VALUES ('groß', 'Äpfel', ARRAY['Öl', NULL]), ('klein', NULL, NULL)"
        )
    with connect(uri) as owner, connect(uri, client_encoding="latin1") as other:
        expected = table(owner, f"SELECT * FROM w{order}")
        shared = declare(owner, uri, f"SELECT * FROM w{order}", 1)
        assert fetched(other, shared.name, 1).equals(expected, check_metadata=True)
    server.execute("DROP DATABASE shared1 WITH (FORCE)")


def test_pages_are_read_once(server: Server) -> None:
    counters = "SELECT heap_blks_read + heap_blks_hit, idx_scan FROM pg_statio_user_tables JOIN pg_stat_user_tables"
    counters += " USING (relid) WHERE relid = 'counted'::regclass"
    with server.connect() as owner:
        owner.execute("CREATE TABLE counted AS SELECT n, repeat('c', 500) AS pad FROM generate_series(1, 16000) n")
        owner.execute("VACUUM ANALYZE counted")
        (pages,) = owner.execute("SELECT pg_relation_size('counted') / 8192").fetchone() or (0,)
    for parts in (1, 4, 16):
        server.execute("SELECT pg_stat_reset_single_table_counters('counted'::regclass)")
        with declared(server, "SELECT * FROM counted", parts) as shared:
            assert shared.how == "plan"
            assert sum(part.num_rows for part in shared.fetch_all()) == 16_000
        with psycopg.connect(server.uri, autocommit=True) as fresh:
            read, _ = fresh.execute(counters).fetchone() or (0, 0)
        # What the planner looks at comes on top.
        assert pages <= read <= pages * 1.02
