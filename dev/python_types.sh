#!/usr/bin/env bash
# mypy --strict over all Python: the package, its tests, the benchmarks and the examples.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

"$VENV/bin/mypy"
