#!/usr/bin/env bash
# Formats Rust; with --check only looks.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust

cargo fmt --all "$@"
