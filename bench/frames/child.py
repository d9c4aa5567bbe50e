"""Runs one way in a process of its own and prints what it cost, as one line of JSON.

python -m bench.frames.child dask:bowshot_partitions postgresql://…
"""

import json
import sys
from importlib import import_module

from bench.frames.way import run


def main() -> None:
    """Runs the command line."""
    module, _, function = sys.argv[1].partition(":")
    way = getattr(import_module(f"bench.frames.ways.{module}"), function)
    sys.stdout.write(json.dumps(run(way(sys.argv[2]))) + "\n")


if __name__ == "__main__":
    main()
