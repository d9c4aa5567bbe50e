#!/usr/bin/env bash
# The examples, the code in README.md and the guides, and the commands that README.md names: all of them run.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

"$VENV/bin/python" -m doctest dev/docs_check.py dev/types_table.py
"$VENV/bin/python" -m pytest examples -ra "$@"
