#!/usr/bin/env bash
# Runs every test of every language and counts. A skipped test is an error in CI: nobody would see it there.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

for setup in postgres_setup mariadb_setup odbc_setup adbc_setup flight_setup cousins_setup clickhouse_setup; do "dev/$setup.sh"; done
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

failed=()
for suite in rust_test python_test versions_test bench_test docs_test; do
    say "== $suite"
    "dev/$suite.sh" 2>&1 | tee "$logs/$suite" || failed+=("$suite")
done

# The closing lines of cargo test ("test result: ok. 12 passed; 0 failed; 1 ignored; …") and of pytest ("12 passed, 1
# skipped in 2.00s").
endings() { grep -hE '^test result:|[0-9]+ (passed|failed|skipped|errors?)\b.* in [0-9.]+s' "$logs"/* || true; }
count() { endings | { grep -oE "[0-9]+ ($1)\b" || true; } | awk '{ n += $1 } END { print n + 0 }'; }
passed=$(count passed)
skipped=$(count 'ignored|skipped|xfailed|deselected')
echo "$passed passed, $(count 'failed|errors?') failed, $skipped skipped"

((${#failed[@]} == 0)) || fail "failed: ${failed[*]}" "run one alone: dev/${failed[0]}.sh"
((passed > 0)) || fail "no test ran" "look for what the suites printed above"
if ((skipped > 0)) && [[ -n ${CI:-} ]]; then
    fail "$skipped tests were skipped, which CI does not allow" "install what they ask for in dev/, or delete them"
fi
