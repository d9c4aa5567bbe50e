#!/usr/bin/env bash
# The tests in python/spark/ on every version of Apache Spark that Bowshot works with, all of them on each.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

failed=()
for version in 3.5.9 4.0.5 4.1.3 4.2.1 4.3.0; do
    SPARK_VERSION=$version dev/spark_test.sh "$@" || failed+=("$version")
done
((${#failed[@]} == 0)) || fail "failed on Spark ${failed[*]}" "run one alone: SPARK_VERSION=${failed[0]} dev/spark_test.sh"
