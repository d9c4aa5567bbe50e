#!/usr/bin/env bash
# The conformance cases of PostgreSQL and MariaDB on a second version of each, from Rust and from Python.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

mapfile -t folders < <(dev/versions_setup.sh)
((${#folders[@]} == 3)) || fail "PostgreSQL 18 or MariaDB 11.4 is not there." "run dev/versions_setup.sh and read what it says"
export POSTGRES_BIN=${folders[0]} MARIADB_BIN=${folders[1]}
say "$("$POSTGRES_BIN/postgres" --version); $("$MARIADB_BIN/mariadbd" --no-defaults --version)"
dev/rust_test.sh --test conformance -- --exact postgres mysql
BOWSHOT_DATABASES="postgres mysql" "$VENV/bin/python" -m pytest python/tests/test_conformance.py -ra
