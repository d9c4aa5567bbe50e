"""Every conformance case through COPY … (FORMAT arrow): schema and cells are those of Bowshot over COPY BINARY."""

from __future__ import annotations

import re
from typing import Any

import bowshot
import psycopg
import pyarrow as pa
import pytest
from tests.conformance_cases import Case, cases_of
from tests.conformance_display import display
from tests.postgres_extension.server import connect, table

# Casts are the client's, in its own SQL; parameters and lists of queries never reach COPY.
CLIENTS = {"types", "params", "list", "at"}
READS = re.compile(r"\s*(SELECT|VALUES|WITH|TABLE)\b", re.IGNORECASE)


def is_copied(case: Case) -> bool:
    """Whether the case is a query that COPY takes, and its outcome one that the server decides."""
    if CLIENTS & case.keys() or not READS.match(case["sql"]) or ";" in case["sql"]:
        return False
    # What only a proven scale is too narrow for, the server sends.
    return "error" not in case or (case["error"]["kind"] == "Value" and "proven" not in case)


CASES = [
    pytest.param(suite, case, id=f"{suite}: {case['name']}") for suite, case in cases_of("postgres") if is_copied(case)
]


@pytest.mark.parametrize(("suite", "case"), CASES)
def test_case(conformance: dict[str, Any], suite: str, case: Case) -> None:
    if conformance["version"] < case.get("since", 0):
        return  # the run of a newer version shows it
    uri = conformance["suites"][suite]
    options = {"infinity": case["infinity"]} if "infinity" in case else {}
    query = bowshot.query(case["sql"], uri, protocol="copy", pre_execution_query=case.get("before"), **options)
    with connect(uri) as connection:
        # Rows in the order of their table, which is not that of workers: test_team.py has those.
        connection.execute("SET max_parallel_workers_per_gather = 0")
        for statement in case.get("before", []):
            connection.execute(statement)
        copied = "".join(f", {name} '{value}'" for name, value in options.items())
        if "error" in case:
            with pytest.raises(bowshot.Error) as expected:
                query.to_arrow()
            with pytest.raises(psycopg.Error) as caught:
                table(connection, case["sql"], copied)
            assert caught.value.sqlstate == "22003"
            assert caught.value.diag.column_name == expected.value.column
            assert str(expected.value) == f"{caught.value.diag.message_primary}; {caught.value.diag.message_hint}"
            return
        found = table(connection, case["sql"], copied)
    expected_table = query.to_arrow()
    # The client does not parse TABLE, and says nothing of NOT NULL.
    if "proven" in case or READS.match(case["sql"])[1].upper() == "TABLE":  # type: ignore[index]
        found = found.cast(expected_table.schema)
    assert found.schema.equals(expected_table.schema, check_metadata=True)
    # As text, in which NaN is NaN.
    if case.get("any_order"):
        assert sorted(cells(found)) == sorted(cells(expected_table))
    else:
        assert cells(found) == cells(expected_table)


def cells(found: pa.Table) -> list[tuple[str, ...]]:
    """The rows as the cases write their values."""
    columns = [[display(cell) for cell in column] for column in found.columns]
    return list(zip(*columns, strict=True)) if columns else [()] * found.num_rows


def test_the_cases_are_many() -> None:
    assert len(CASES) > 130
