#!/usr/bin/env bash
# The extension inside PostgreSQL, on Debian's version, on 16 and on 18: PostgreSQL's own regression tests, then the Python
# tests that compare its results with what the client makes of COPY BINARY. The regression tests run once more under
# valgrind.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

mapfile -t folders < <(dev/postgres_extension_setup.sh)
((${#folders[@]} == 3)) || fail "A server with the extension is not there." "run dev/postgres_extension_setup.sh and read what it says"

failed=0
for folder in "${folders[@]}"; do
    say "$("$folder/postgres" --version)"
    dev/postgres_extension_regress.sh "$folder" || failed=1
    POSTGRES_EXTENSION_BIN=$folder "$VENV/bin/python" -m pytest python/tests/postgres_extension -ra "$@" || failed=1
done
say "under valgrind"
dev/postgres_extension_valgrind.sh || failed=1
exit "$failed"
