#!/usr/bin/env bash
# Runs shellcheck over every shell script.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

"$VENV/bin/shellcheck" --external-sources --source-path=SCRIPTDIR dev/*.sh .ci/run
