# shellcheck shell=bash
# Sourced after environment.sh: the programs that tests in other languages start, which are `bowshot`, the testkit and the
# console's demo. The command is that of `make build`, else it is built for tests.
if [[ -n ${CI:-} ]]; then
    # The build of cli_build.sh has these, too: another choice of packages would have other features, and compile the engine again.
    export BOWSHOT_TESTKIT=${BOWSHOT_TESTKIT:-$CARGO_TARGET_DIR/debug/bowshot-testkit}
    export BOWSHOT_CONSOLE_DEMO=${BOWSHOT_CONSOLE_DEMO:-$CARGO_TARGET_DIR/debug/examples/demo}
fi
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
