"""Options of `spark.read.format("bowshot-python")`: texts, which become the arguments of `bowshot.query`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ..exceptions import ConfigError


def _whole(text: str) -> int:
    return int(text)


def _truth(text: str) -> bool:
    return {"true": True, "false": False}[text.strip().lower()]


def _range(text: str) -> tuple[int, int]:
    low, high = json.loads(text)
    return int(low), int(high)


_READ: dict[str, tuple[Callable[[str], Any], str]] = {
    "params": (json.loads, 'a JSON array or object: [1, "a"]'),
    "types": (json.loads, 'a JSON object: {"price": "float64"}'),
    "infinity": (str, "error or null"),
    "zero_dates": (str, "error or null"),
    "one_snapshot": (_truth, "true or false"),
    "protocol": (str, "the name of a protocol"),
    "partition_on": (str, "the name of a column"),
    "partition_range": (_range, "a JSON array of two whole numbers: [1, 1000]"),
    "partition_num": (_whole, "a whole number"),
    "partition_bytes": (_whole, "a whole number"),
    "pre_execution_query": (str, "a statement"),
    "connections": (_whole, "a whole number"),
}


def arguments(options: Mapping[str, str]) -> tuple[str, str, dict[str, Any]]:
    """The query, the address, and the keywords of `bowshot.query`.

    >>> arguments({"url": "shop.db", "query": "SELECT 1", "connections": "2"})
    ('SELECT 1', 'shop.db', {'connections': 2})
    """
    given = {name.lower(): text for name, text in options.items()}
    if "url" not in given:
        raise ConfigError('the option "url" is missing: the address of the database, as bowshot.read_sql takes it')
    url, sql = given.pop("url"), given.pop("query", None)
    if sql is None:
        raise ConfigError('the option "query" is missing: SQL, or the name of a table')
    unknown = sorted(given.keys() - _READ.keys())
    if unknown:
        raise ConfigError(f'there is no option "{unknown[0]}"; there are url, query, {", ".join(_READ)}')
    return sql, url, {name: _value(name, text) for name, text in given.items()}


def _value(name: str, text: str) -> Any:
    read, form = _READ[name]
    try:
        return read(text)
    except (ValueError, TypeError, KeyError):
        # Without the text: parameters may be secret.
        raise ConfigError(f'the option "{name}" must be {form}') from None
