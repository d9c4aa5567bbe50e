#!/usr/bin/env bash
# The extension's regression queries on a server under valgrind: says every error that its code takes part in. What
# PostgreSQL does by itself is left out: its own build for valgrind would be needed to judge that.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

command -v valgrind > /dev/null || fail "valgrind is not there." "install it (apt-get install valgrind on Debian), then try again"
mapfile -t folders < <(dev/postgres_extension_setup.sh)
export BOWSHOT_TESTKIT=${BOWSHOT_TESTKIT:-$CARGO_TARGET_DIR/debug/bowshot-testkit}
[[ -x $BOWSHOT_TESTKIT ]] || cargo build "${CARGO_FLAGS[@]}" --quiet --package bowshot-testkit
regress=$(dirname "$(pg_config --pgxs)")/../test/regress/pg_regress

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -m 777 "$work/logs" "$work/bin"
chmod 755 "$work"
# Programs that find their files by where the real ones lie; only the server itself runs under valgrind, and not while the
# cluster is made.
for program in "${folders[0]}"/*; do
    ln -s "$program" "$work/bin/"
done
rm "$work/bin/postgres"
cat > "$work/bin/postgres" << END
#!/bin/sh
case " \$* " in
*" -D "*) ;;
*) exec "${folders[0]}/postgres" "\$@" ;;
esac
case " \$* " in
*" --single "* | *" --boot "* | *" --check "*) exec "${folders[0]}/postgres" "\$@" ;;
esac
exec valgrind --quiet --leak-check=no --num-callers=30 --log-file="$work/logs/%p" "${folders[0]}/postgres" "\$@"
END
chmod 755 "$work/bin/postgres"

coproc SERVER { POSTGRES_BIN=$work/bin exec "$BOWSHOT_TESTKIT" postgres; }
pid=$SERVER_PID input=${SERVER[1]}
IFS= read -r description <&"${SERVER[0]}" || fail "The server did not start." "read what it says above"
port=$("$PYTHON" -c 'import json, sys, urllib.parse; print(urllib.parse.urlsplit(json.loads(sys.argv[1])["uri"]).port)' "$description")
tests=(postgres-extension/test/sql/*.sql)
tests=("${tests[@]##*/}")
outcome=0
PGPASSWORD=bowshot "$regress" --inputdir=postgres-extension/test --outputdir="$work" --bindir="$(pg_config --bindir)" \
    --load-extension=bowshot --host=127.0.0.1 --port="$port" --user=postgres "${tests[@]%.sql}" || outcome=1
exec {input}>&-
wait "$pid" || true
[[ -n $(ls -A "$work/logs") ]] || fail "Nothing ran under valgrind." "read what it says above"

# A record of valgrind's ends with an empty line; ours are those with a function of the extension.
errors=$(cat "$work"/logs/* | sed -E 's/^==[0-9]+== ?//' |
    awk 'BEGIN { RS = ""; ORS = "\n\n" } /bowshot[_:]|postgres-extension|bowshot\.so/')
if [[ -n $errors ]]; then
    echo "$errors"
    outcome=1
fi
((outcome == 0)) && say "valgrind found nothing in the extension's code ($(find "$work/logs" -type f | wc -l) processes)"
exit "$outcome"
