#!/usr/bin/env bash
# Go's stock clients against private servers: those of Arrow Flight SQL with `bowshot serve` in front of a PostgreSQL, and the
# driver manager of ADBC with Bowshot's driver.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

export PATH=$PATH:/usr/local/go/bin
command -v go > /dev/null || fail "Go is missing." "install it with: apt-get install golang-go   (1.25 or later)"
command -v c++ > /dev/null || fail "A C++ compiler is missing; Go's driver manager needs one." "install it with: apt-get install g++"
source dev/gateway_programs.sh
# By its manifest, and by its path.
export ADBC_DRIVER_PATH=$VENV/etc/adbc/drivers BOWSHOT_ADBC_DRIVER=$VENV/lib/bowshot/libadbc_driver_bowshot.so
[[ -e $ADBC_DRIVER_PATH/bowshot.toml ]] || dev/adbc_driver_build.sh
# -count=1: a server is no input that Go's cache knows of. The last line counts, as those of other suites do.
run() {
    local status=0
    for folder in python/tests/gateway/go python/tests/adbc_driver/go; do
        (cd "$folder" && go test -count=1 -v ./... "$@" 2>&1) || status=1
    done
    return "$status"
}
run "$@" | awk '
    { print; fflush() }
    /^ *--- PASS/ { passed++ } /^ *--- FAIL/ { failed++ } /^ *--- SKIP/ { skipped++ }
    END { printf "go test: %d passed, %d failed, %d skipped\n", passed, failed, skipped }'
