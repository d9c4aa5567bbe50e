"""What databases say beside a result: PostgreSQL's `RAISE NOTICE`, MySQL's warnings, SQL Server's `PRINT`."""

from __future__ import annotations


class DatabaseNotice(UserWarning):
    """A message of a database that is neither a row nor an error.

    Those of the severities `NOTICE` and `WARNING` are warned of when the read is over, from the thread that reads; the
    others (`INFO`, `LOG`, `DEBUG`) wait in `notices` of the query and its plan. Python's filters decide about warnings:

    >>> import bowshot, warnings
    >>> warnings.filterwarnings("ignore", category=bowshot.DatabaseNotice)

    Of one read, at most 100 messages that are warned of and 100 others are kept, 256 KiB of text of each, and 8 KiB of
    each text; what is said again is counted in `times`, and a last warning says how many were left out.
    """

    severity: str
    """`DEBUG`, `LOG`, `INFO`, `NOTICE` or `WARNING`."""
    message: str
    """What the database says, without what stands in the other attributes."""
    code: str | None
    """The database's own code: an SQLSTATE or a number."""
    detail: str | None
    """What more it says."""
    hint: str | None
    """What can be done about it."""
    times: int
    """How often it came."""

    def __init__(
        self,
        text: str,
        severity: str = "NOTICE",
        message: str | None = None,
        code: str | None = None,
        detail: str | None = None,
        hint: str | None = None,
        times: int = 1,
    ) -> None:
        """`text` is all of it, as people read it."""
        super().__init__(text, severity, message, code, detail, hint, times)
        self.severity = severity
        self.message = text if message is None else message
        self.code = code
        self.detail = detail
        self.hint = hint
        self.times = times

    def __str__(self) -> str:
        """All of it, as people read it."""
        return str(self.args[0])
