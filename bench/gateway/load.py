"""Runs one load in a process of its own and prints what it cost, as one line of JSON.

python -m bench.gateway.load '{"function": "peers.gateway:bowshot", "source": …, "sql": …, "column": …, "options": {}}'
"""

import json
import sys
import warnings
from dataclasses import asdict

from bench.cases import Case
from bench.load import run


def main() -> None:
    """Runs the command line."""
    asked = json.loads(sys.argv[1])
    # pandas says that it knows SQLAlchemy better than the drivers that it is given.
    warnings.filterwarnings("ignore", category=UserWarning)
    case = Case("gateway", asked["function"], asked["options"])
    sys.stdout.write(json.dumps(asdict(run(case, asked["source"], asked["sql"], asked["column"]))) + "\n")


if __name__ == "__main__":
    main()
