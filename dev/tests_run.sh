#!/usr/bin/env bash
# Runs every test of every language and counts. A skipped test is an error in CI: nobody would see it there.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

for setup in postgres_setup mariadb_setup odbc_setup adbc_setup flight_setup cousins_setup clickhouse_setup \
    chromium_setup java_setup valgrind_setup; do "dev/$setup.sh"; done
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

failed=()
for suite in rust_test python_test frames_test torch_test spark_test java_test go_test versions_test postgres_extension_test bench_test docs_test; do
    say "== $suite"
    "dev/$suite.sh" 2>&1 | tee "$logs/$suite" || failed+=("$suite")
done

# The closing lines of cargo test ("test result: ok. 12 passed; 0 failed; 1 ignored; …"), of pytest ("12 passed, 1 skipped
# in 2.00s"), of dev/go_test.sh ("go test: 12 passed, 0 failed, 1 skipped") and of Maven, which tells of a run's tests, those
# that failed among them ("[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 1", without a class behind it).
maven() {
    { grep -hE '^\[[A-Z]+\] Tests run: [0-9, A-Za-z:]+$' "$logs"/* || true; } |
        awk -F '[^0-9]+' '{ print $2 - $3 - $4 - $5 " passed, " $3 + $4 " failed, " $5 " skipped" }'
}
endings() {
    grep -hE '^(test result|go test):|[0-9]+ (passed|failed|skipped|errors?)\b.* in [0-9.]+s' "$logs"/* || true
    maven
}
count() { endings | { grep -oE "[0-9]+ ($1)\b" || true; } | awk '{ n += $1 } END { print n + 0 }'; }
passed=$(count passed)
skipped=$(count 'ignored|skipped|xfailed|deselected')
echo "$passed passed, $(count 'failed|errors?') failed, $skipped skipped"

((${#failed[@]} == 0)) || fail "failed: ${failed[*]}" "run one alone: dev/${failed[0]}.sh"
((passed > 0)) || fail "no test ran" "look for what the suites printed above"
if ((skipped > 0)) && [[ -n ${CI:-} ]]; then
    fail "$skipped tests were skipped, which CI does not allow" "install what they ask for in dev/, or delete them"
fi
