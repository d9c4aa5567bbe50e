#!/usr/bin/env bash
# Runs every rule, one script a rule, and names all that fail.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

dev/python_setup.sh
failed=()
rule() {
    local start=$SECONDS
    if "dev/$1.sh" "${@:2}"; then
        say "ok      $1 ($((SECONDS - start)) s)"
    else
        say "FAILED  $1"
        failed+=("$1")
    fi
}

rule files_called
rule files_length
rule docs_check
rule shell_lint
rule python_format --check
rule python_lint
rule python_types
rule rust_format --check
rule c_format --check
rule rust_lint

((${#failed[@]} == 0)) || fail "these rules failed: ${failed[*]}" "make fmt mends formatting; dev/${failed[0]}.sh runs one rule alone"
