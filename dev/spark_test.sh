#!/usr/bin/env bash
# The tests in python/spark/: results in Apache Spark, against the build in .venv, all of them on the newest version; then, on the
# oldest one, whether queries are read at all. `make spark` runs all of them on each version. BOWSHOT_SPARK_JAR names another jar
# than that of dev/spark_build.sh.
# Usage: dev/spark_test.sh [PYTEST ARGUMENT...], then on the newest version alone; SPARK_VERSION=4.1.3 names another one.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust

# on VERSION PYTEST_ARGUMENT...
on() {
    local folder
    folder=$(dev/spark_setup.sh "$1")
    say "== Spark $1"
    PYTHONPATH=$PWD/python "$folder/bin/python" -m pytest --timeout=300 -ra "${@:2}"
}

on "${SPARK_VERSION:-4.3.0}" python/spark "$@"
if (($# == 0)) && [[ -z ${SPARK_VERSION:-} ]]; then
    # Each version is half a gigabyte to fetch.
    on 3.5.9 python/spark/test_smoke.py
fi
