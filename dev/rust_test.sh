#!/usr/bin/env bash
# Unit tests, integration tests and doc examples of every crate but Python's own: an extension module has no main to
# link against; python_test.sh covers it.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust

# Debian's server with the extension beside it, which is another one's only where a test creates it.
POSTGRES_BIN=$(dev/postgres_extension_setup.sh | sed -n 1p)
export POSTGRES_BIN

cargo test --workspace --exclude bowshot-python --no-fail-fast "${CARGO_FLAGS[@]}" "$@"
