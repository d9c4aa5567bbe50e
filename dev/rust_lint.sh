#!/usr/bin/env bash
# Clippy over every crate and every target; a warning is an error.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust

cargo clippy --workspace --all-targets --keep-going --quiet "${CARGO_FLAGS[@]}" -- -D warnings
