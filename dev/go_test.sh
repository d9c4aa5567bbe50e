#!/usr/bin/env bash
# Go's stock clients of Arrow Flight SQL against `bowshot serve` in front of a private PostgreSQL.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

export PATH=$PATH:/usr/local/go/bin
command -v go > /dev/null || fail "Go is missing." "install it with: apt-get install golang-go   (1.25 or later)"
source dev/gateway_programs.sh
# Arrow's own address checks are for its builds; -count=1: a server is no input that Go's cache knows of.
(cd python/tests/gateway/go && go test -count=1 -v ./... "$@" | tee /dev/stderr | awk '
    /^(    )*--- PASS/ { passed++ } /^(    )*--- FAIL/ { failed++ } /^(    )*--- SKIP/ { skipped++ }
    END { printf "%d passed, %d failed, %d skipped in 0s\n", passed, failed, skipped }')
