#!/usr/bin/env bash
# Every script in dev/ is called from somewhere: the Makefile, CI or another script.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

bad=0
for script in dev/*; do
    name=$(basename "$script")
    [[ -f $script ]] || continue
    # A suite may be called without its ending, as the lists in lints_run.sh and tests_run.sh do.
    if ! grep -rqE "\b${name%.sh}\b" Makefile .ci/run dev --exclude="$name"; then
        say "nothing calls $script: call it or delete it"
        bad=1
    fi
    if [[ $name == *.sh && $name != environment.sh && ! -x $script ]]; then
        say "$script cannot be run: chmod +x $script"
        bad=1
    fi
done
exit "$bad"
