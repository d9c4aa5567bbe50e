#!/usr/bin/env bash
# Java's stock clients of Arrow Flight SQL against `bowshot serve` in front of a private PostgreSQL, and what of Bowshot is
# Java. What is said about other tests' names goes to Maven: dev/java_test.sh -Dtest=JdbcReadingTest -Dadbc.skip=true
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

source dev/gateway_programs.sh
dev/parquet_build.sh library
# A test that is named is one module's.
cd java && mvn --batch-mode --no-transfer-progress -Dsurefire.failIfNoSpecifiedTests=false verify "$@"
