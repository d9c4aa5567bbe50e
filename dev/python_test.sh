#!/usr/bin/env bash
# The Python package's tests and the examples in its docstrings, against the build in .venv.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust
source dev/gateway_programs.sh

"$VENV/bin/python" -m pytest python/tests python/bowshot --doctest-modules -ra "$@"
