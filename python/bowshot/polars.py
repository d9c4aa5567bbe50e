"""Frames of Polars from a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _bowshot
from ._require import require

if TYPE_CHECKING:
    import polars as pl


def read_polars(plan: _bowshot.Plan, progress: Any = None) -> pl.DataFrame:
    """The whole result on the memory that it was read into.

    Decimals of more than 38 digits become text, as do UUIDs and intervals with months, at every depth: Polars has no
    such types. What it cannot hold in any form is an error that names the column.
    """
    require("polars", "polars")
    import polars as pl

    # Read to the end before Polars looks: errors keep their class and Ctrl-C its meaning.
    return pl.DataFrame(plan.read(progress, "polars").read_all().for_polars())
