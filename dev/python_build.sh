#!/usr/bin/env bash
# Builds bowshot in release mode and puts it into .venv. Python's files are linked, not copied: an edit needs no build.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust

VIRTUAL_ENV=$VENV "$VENV/bin/maturin" develop --release --quiet "${CARGO_FLAGS[@]}" --manifest-path python/Cargo.toml
"$VENV/bin/python" -c 'import bowshot; print("bowshot", bowshot.__version__, "is in .venv")'
