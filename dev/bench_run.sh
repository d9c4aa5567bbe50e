#!/usr/bin/env bash
# Measures Bowshot beside its peers and the floors, in an environment of its own; a whole run also fills README's table.
# BENCH holds the benchmark's arguments: make bench BENCH="--quick --only postgres/arrow"
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust

environment=${XDG_CACHE_HOME:-$HOME/.cache}/bowshot/bench-venv
dev/postgres_setup.sh
dev/mariadb_setup.sh
dev/odbc_setup.sh
dev/mysqlclient_setup.sh
dev/python_setup.sh bench/requirements.txt "$environment"

# The wheel that a user would get, not the linked build of .venv.
wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT
"$VENV/bin/maturin" build --release --quiet "${CARGO_FLAGS[@]}" --manifest-path python/Cargo.toml --out "$wheels"
"$environment/bin/python" -m pip install --quiet --no-deps --force-reinstall "$wheels"/*.whl

read -ra arguments <<< "${BENCH:-}"
"$environment/bin/python" -m bench "${arguments[@]}"
if ((${#arguments[@]} == 0)); then
    newest=$(find bench/results -name '*.json' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2)
    "$environment/bin/python" -m bench.readme "$newest"
fi
