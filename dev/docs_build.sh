#!/usr/bin/env bash
# Guides and the Python API as a site, the Rust API under site/rust. Nothing is fetched when the pages are read.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust
dev/python_setup.sh dev/requirements_docs.txt

"$VENV/bin/mkdocs" build --quiet --strict
cargo doc --workspace --no-deps --quiet "${CARGO_FLAGS[@]}"
rm -rf site/rust
cp -r "$CARGO_TARGET_DIR/doc" site/rust
say "open site/index.html"
