# shellcheck shell=bash
# Sourced after environment.sh: where `bowshot` and the testkit are, for tests of the gateway in other languages. The
# command is that of `make build`, else it is built for tests.
if [[ -z ${BOWSHOT_COMMAND:-} ]]; then
    BOWSHOT_COMMAND=$VENV/bin/bowshot
    if [[ ! -x $BOWSHOT_COMMAND ]]; then
        cargo build --quiet "${CARGO_FLAGS[@]}" -p bowshot-cli
        BOWSHOT_COMMAND=$CARGO_TARGET_DIR/debug/bowshot
    fi
fi
if [[ -z ${BOWSHOT_TESTKIT:-} ]]; then
    cargo build --quiet "${CARGO_FLAGS[@]}" -p bowshot-testkit
    BOWSHOT_TESTKIT=$CARGO_TARGET_DIR/debug/bowshot-testkit
fi
export BOWSHOT_COMMAND BOWSHOT_TESTKIT
