#!/usr/bin/env bash
# The extension inside PostgreSQL, on Debian's version and on 18: PostgreSQL's own regression tests, then the Python tests
# that compare its results with what the client makes of COPY BINARY.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

mapfile -t folders < <(dev/postgres_extension_setup.sh)
((${#folders[@]} == 2)) || fail "A server with the extension is not there." "run dev/postgres_extension_setup.sh and read what it says"
export BOWSHOT_TESTKIT=${BOWSHOT_TESTKIT:-$CARGO_TARGET_DIR/debug/bowshot-testkit}
[[ -x $BOWSHOT_TESTKIT ]] || cargo build "${CARGO_FLAGS[@]}" --quiet --package bowshot-testkit
regress=$(dirname "$(pg_config --pgxs)")/../test/regress/pg_regress

# regression BIN: on a server of its own, which ends with this script's end of its input.
regression() {
    local output port
    output=$(mktemp -d)
    coproc SERVER { POSTGRES_BIN=$1 exec "$BOWSHOT_TESTKIT" postgres; }
    local pid=$SERVER_PID input=${SERVER[1]}
    IFS= read -r description <&"${SERVER[0]}" || fail "The server did not start." "read what it says above"
    port=$("$PYTHON" -c 'import json, sys, urllib.parse; print(urllib.parse.urlsplit(json.loads(sys.argv[1])["uri"]).port)' "$description")
    local tests=(postgres-extension/test/sql/*.sql)
    tests=("${tests[@]##*/}")
    local outcome=0
    PGPASSWORD=bowshot "$regress" --inputdir=postgres-extension/test --outputdir="$output" --bindir="$(pg_config --bindir)" \
        --load-extension=bowshot --host=127.0.0.1 --port="$port" --user=postgres "${tests[@]%.sql}" >&2 || outcome=1
    exec {input}>&-
    wait "$pid" || true
    # As pytest ends, so that dev/tests_run.sh counts them.
    if ((outcome == 0)); then
        echo "${#tests[@]} passed in 0.0s"
    else
        cat "$output/regression.diffs"
        echo "1 failed in 0.0s"
    fi
    rm -rf "$output"
    return "$outcome"
}

failed=0
for folder in "${folders[@]}"; do
    say "$("$folder/postgres" --version)"
    regression "$folder" || failed=1
    POSTGRES_EXTENSION_BIN=$folder "$VENV/bin/python" -m pytest python/tests/postgres_extension -ra "$@" || failed=1
done
exit "$failed"
