#!/usr/bin/env bash
# Formats the C code, or with --check says what is not formatted.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

arguments=(-i)
[[ ${1:-} == --check ]] && arguments=(--dry-run -Werror)
"$VENV/bin/clang-format" "${arguments[@]}" postgres-extension/src/*.[ch]
