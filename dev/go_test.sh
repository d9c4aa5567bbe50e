#!/usr/bin/env bash
# Go's stock clients of Arrow Flight SQL against `bowshot serve` in front of a private PostgreSQL.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

export PATH=$PATH:/usr/local/go/bin
command -v go > /dev/null || fail "Go is missing." "install it with: apt-get install golang-go   (1.25 or later)"
source dev/gateway_programs.sh
# -count=1: a server is no input that Go's cache knows of. The last line counts, as those of other suites do.
(cd python/tests/gateway/go && go test -count=1 -v ./... "$@" 2>&1) | awk '
    { print; fflush() }
    /^ *--- PASS/ { passed++ } /^ *--- FAIL/ { failed++ } /^ *--- SKIP/ { skipped++ }
    END { printf "go test: %d passed, %d failed, %d skipped\n", passed, failed, skipped }'
