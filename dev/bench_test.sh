#!/usr/bin/env bash
# The tests and examples in the benchmark's own code; the peers live in another environment, so their modules are not imported.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

"$VENV/bin/python" -m pytest bench --doctest-modules --ignore=bench/peers -ra "$@"
