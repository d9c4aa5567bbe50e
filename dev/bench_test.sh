#!/usr/bin/env bash
# The tests and examples in the benchmark's own code; peers live in other environments, so that modules that need them are not imported.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

dev/spark_setup.sh > /dev/null
"$VENV/bin/python" -m pytest bench --doctest-modules --ignore=bench/peers --ignore=bench/frames/ways --ignore=bench/spark/worker.py -ra "$@"
