#!/usr/bin/env bash
# The extension's regression queries, by PostgreSQL's own program, on a server of their own: the one of the folder of
# programs that is named. Ends as pytest does, so that dev/tests_run.sh counts them.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

(($# == 1)) || fail "A folder with a server's programs is missing." "name one that dev/postgres_extension_setup.sh prints"
export POSTGRES_BIN=$1 BOWSHOT_TESTKIT=${BOWSHOT_TESTKIT:-$CARGO_TARGET_DIR/debug/bowshot-testkit}
[[ -x $BOWSHOT_TESTKIT ]] || cargo build "${CARGO_FLAGS[@]}" --quiet --package bowshot-testkit
regress=$(dirname "$(pg_config --pgxs)")/../test/regress/pg_regress
tests=(postgres-extension/test/sql/*.sql)
tests=("${tests[@]##*/}")

# The server ends with this script's end of its input.
coproc SERVER { exec "$BOWSHOT_TESTKIT" postgres; }
pid=$SERVER_PID input=${SERVER[1]}
IFS= read -r description <&"${SERVER[0]}" || fail "The server did not start." "read what it says above"
port=$("$PYTHON" -c 'import json, sys, urllib.parse; print(urllib.parse.urlsplit(json.loads(sys.argv[1])["uri"]).port)' "$description")
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT
outcome=0
PGPASSWORD=bowshot "$regress" --inputdir=postgres-extension/test --outputdir="$output" --bindir="$(pg_config --bindir)" \
    --load-extension=bowshot --host=127.0.0.1 --port="$port" --user=postgres "${tests[@]%.sql}" >&2 || outcome=1
exec {input}>&-
wait "$pid" || true

if ((outcome == 0)); then
    echo "${#tests[@]} passed in 0.0s"
else
    cat "$output/regression.diffs"
    echo "1 failed in 0.0s"
fi
exit "$outcome"
