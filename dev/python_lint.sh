#!/usr/bin/env bash
# Ruff's rules over all Python.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

"$VENV/bin/ruff" check --quiet .
