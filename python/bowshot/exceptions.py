"""What can go wrong, one class a kind.

```text
Error
├── ConfigError              also a ValueError: the URI, an option or a parameter makes no sense
├── UnsupportedError         also a NotImplementedError: Bowshot or the database cannot do it
├── ConnectError             also a ConnectionError: the database could not be reached
│   ├── AuthenticationError  the database did not accept who we are
│   ├── TlsError             the encrypted channel could not be had as the URI asks for it
│   ├── ConnectionLimitError the database has no connection left
│   └── ConnectionLostError  the connection broke in the middle of the work
├── SqlError                 the database refused or failed to run the query
├── DataError                also a ValueError: a value does not fit the type of its column
├── ProtocolError            the other side sent bytes that the protocol does not allow
├── SnapshotGoneError        the state of the database that a plan saw can no longer be read
├── CancelledError           the read was asked to stop
├── TimeoutError             also the built-in TimeoutError: a time limit passed
├── IoError                  also an OSError: a file or the operating system failed
└── InternalError            a mistake in Bowshot itself; please report it
```
"""

from __future__ import annotations

import builtins


class Error(Exception):
    """Every error of Bowshot.

    >>> import bowshot
    >>> try:
    ...     bowshot.read_sql("SELECT 1", "mongodb://localhost/shop")
    ... except bowshot.Error as error:
    ...     print(error.kind, error.is_temporary)
    unsupported False
    """

    kind: str
    """The kind in small letters: `config`, `sql`, `connection_lost`, …"""
    column: str | None
    """The result column that it is about."""
    sqlstate: str | None
    """The database's own five-character code."""
    position: int | None
    """The character of the SQL where the database saw the mistake, counted from 1."""
    hint: str | None
    """What can be done about it; it stands at the end of the message too."""
    is_temporary: bool
    """Whether the same read may succeed when it is tried again, unchanged."""

    _kind = "internal"

    def __init__(
        self,
        message: str = "",
        *,
        column: str | None = None,
        sqlstate: str | None = None,
        position: int | None = None,
        hint: str | None = None,
        is_temporary: bool = False,
    ) -> None:
        """All but the message is optional."""
        super().__init__(message)
        self.kind = self._kind
        self.column = column
        self.sqlstate = sqlstate
        self.position = position
        self.hint = hint
        self.is_temporary = is_temporary


class ConfigError(Error, ValueError):
    """The URI, an option or a parameter makes no sense: nothing was sent to a database."""

    _kind = "config"


class UnsupportedError(Error, NotImplementedError):
    """Something that Bowshot or the database cannot do."""

    _kind = "unsupported"


class ConnectError(Error, ConnectionError):
    """The database could not be reached."""

    _kind = "connect"


class AuthenticationError(ConnectError):
    """The database did not accept who we are."""

    _kind = "authentication"


class TlsError(ConnectError):
    """The encrypted channel could not be had as the URI asks for it."""

    _kind = "tls"


class ConnectionLimitError(ConnectError):
    """The database has no connection left for us."""

    _kind = "connection_limit"


class ConnectionLostError(ConnectError):
    """The connection broke in the middle of the work."""

    _kind = "connection_lost"


class SqlError(Error):
    """The database refused or failed to run the query; see `sqlstate` and `position`."""

    _kind = "sql"


class DataError(Error, ValueError):
    """A value of the result does not fit the type of its column; see `column`."""

    _kind = "value"


class ProtocolError(Error):
    """The other side sent bytes that the protocol does not allow."""

    _kind = "protocol"


class SnapshotGoneError(Error):
    """The state of the database that a plan saw can no longer be read, or is another one: plan the query again."""

    _kind = "snapshot_gone"


class CancelledError(Error):
    """The read was asked to stop."""

    _kind = "cancelled"


class TimeoutError(Error, builtins.TimeoutError):  # noqa: A001 - also the built-in one, as the base says
    """A time limit passed."""

    _kind = "timeout"


class IoError(Error, OSError):
    """A file or the operating system failed."""

    _kind = "io"


class InternalError(Error):
    """A mistake in Bowshot itself; please report it."""

    _kind = "internal"


_CLASSES: dict[str, type[Error]] = {
    "Config": ConfigError,
    "Connect": ConnectError,
    "Authentication": AuthenticationError,
    "Tls": TlsError,
    "ConnectionLimit": ConnectionLimitError,
    "ConnectionLost": ConnectionLostError,
    "Sql": SqlError,
    "Value": DataError,
    "Unsupported": UnsupportedError,
    "Protocol": ProtocolError,
    "SnapshotGone": SnapshotGoneError,
    "Cancelled": CancelledError,
    "Timeout": TimeoutError,
    "Io": IoError,
    "Internal": InternalError,
}


def _exception(
    kind: str,
    message: str,
    column: str | None,
    sqlstate: str | None,
    position: int | None,
    hint: str | None,
    is_temporary: bool,
) -> Error:
    """The exception of an error of the compiled half, which calls this."""
    error = _CLASSES.get(kind, Error)
    return error(message, column=column, sqlstate=sqlstate, position=position, hint=hint, is_temporary=is_temporary)
