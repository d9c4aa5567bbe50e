#!/usr/bin/env bash
# Removes what make made: the environment, the site, the caches of tools, the build cache. Generated data stays.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

rm -rf "$VENV" site .pytest_cache .mypy_cache .ruff_cache .hypothesis python/bowshot/*.so
find . -name __pycache__ -type d -prune -exec rm -rf {} +
# Not $CARGO_TARGET_DIR: one that the user set may serve other projects.
rm -rf "${XDG_CACHE_HOME:-$HOME/.cache}/bowshot/target"
