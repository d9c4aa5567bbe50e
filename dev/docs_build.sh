#!/usr/bin/env bash
# Guides and the Python API as a site, the Rust API under site/rust. Nothing is fetched when the pages are read.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust
dev/python_setup.sh dev/requirements_docs.txt

# A notice about MkDocs 2, on every run.
export NO_MKDOCS_2_WARNING=1
"$VENV/bin/mkdocs" build --strict
cargo doc --workspace --no-deps --quiet "${CARGO_FLAGS[@]}"
cp -r "$CARGO_TARGET_DIR/doc" site/rust
say "read it with: python3 -m http.server --directory site"
