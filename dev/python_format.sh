#!/usr/bin/env bash
# Formats Python; with --check only looks.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
dev/python_setup.sh

"$VENV/bin/ruff" format --quiet "$@" .
