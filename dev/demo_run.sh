#!/usr/bin/env bash
# The demo; SCALE is TPC-H's scale factor (0.1: 600,572 rows).
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

"$VENV/bin/python" -m examples.demo --scale "${SCALE:-0.1}"
