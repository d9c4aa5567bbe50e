#!/usr/bin/env bash
# Builds the command bowshot and puts it into .venv/bin. In CI as the tests build it, so that its engine is compiled once; else
# in the profile "serve" (Cargo.toml): as fast as the wheel, but for the engine's own code, which compiles in half the time.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust

if [[ -n ${CI:-} ]]; then
    # The very build of rust_test.sh: another choice of packages would have other features, and compile the engine again.
    folder=debug
    cargo test --quiet --workspace --exclude bowshot-python --no-run "${CARGO_FLAGS[@]}"
else
    folder=serve
    cargo build --quiet --package bowshot-cli --bin bowshot --profile serve "${CARGO_FLAGS[@]}"
fi

# Moved, not written over: a gateway that runs from there goes on with the old one.
mkdir -p "$VENV/bin"
cp "$CARGO_TARGET_DIR/$folder/bowshot" "$VENV/bin/.bowshot.new"
mv -f "$VENV/bin/.bowshot.new" "$VENV/bin/bowshot"
say "$("$VENV/bin/bowshot" --version) is in .venv/bin"
