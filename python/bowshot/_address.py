"""The address of a database on its way to other processes."""

from __future__ import annotations

import os
from pathlib import Path

from ._bowshot import is_connection_string, shown_address


class Address:
    """An address whose password nobody sees: debuggers, tracebacks and logs show it without.

    A pickle has all of it, since another process needs it to connect. What stands in the environment is better left
    there: of `postgresql://ann:${PGPASSWORD}@db/shop` the reference travels, and each process looks it up.

    >>> Address("postgresql://ann:s3cret@db/shop")
    Address('postgresql://ann@db/shop')
    """

    def __init__(self, uri: str) -> None:
        """A path that is relative is one of this process's folder, wherever the others are."""
        is_file = not is_connection_string(uri) and "${" not in uri and Path(uri).exists()
        self._uri = os.path.abspath(uri) if is_file else uri  # noqa: PTH100 - the path as it is, symbolic links too

    def reveal(self) -> str:
        """The address itself."""
        return self._uri

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and self._uri == other._uri

    def __hash__(self) -> int:
        return hash(self._uri)

    def __repr__(self) -> str:
        return f"Address({shown_address(self._uri)!r})"
