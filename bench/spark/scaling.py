"""The cases of scaling: files of 0.25 to 4 GB on clusters of one and two workers."""

from bench.spark.case import ALL, BOWSHOT, SPARK, Case, Group, Way

WORKERS = (1, 2)
QUARTER = 0.25
GIGABYTES = (QUARTER, 0.5, 1, 2, 4)
ROUNDS = 3
GROUPS = {workers: Group(f"{workers} worker{'s' if workers > 1 else ''}", workers, ROUNDS) for workers in WORKERS}


def folder(gigabytes: float) -> str:
    """Returns the name of the folder with files of this size in all."""
    return f"numbers-{gigabytes:g}-gigabytes"


def name(workers: int, gigabytes: float) -> str:
    """Returns the name of a case.

    >>> name(2, 0.5)
    'scaling/2 workers/0.5 GB'
    """
    return f"scaling/{GROUPS[workers].name}/{gigabytes:g} GB"


SCALING = [
    Case(
        name(workers, gigabytes),
        folder(gigabytes),
        ALL,
        (Way(SPARK, SPARK, "parquet"), Way(BOWSHOT, BOWSHOT, "bowshot")),
        group=group,
    )
    for workers, group in GROUPS.items()
    for gigabytes in GIGABYTES
]
