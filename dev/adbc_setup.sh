#!/usr/bin/env bash
# Makes sure that the ADBC drivers that the tests of crates/adbc load are on this machine: Python packages from PyPI, in
# a folder of the build cache. BOWSHOT_ADBC_DRIVERS names another folder of packages for the tests.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

need_python
folder=${XDG_CACHE_HOME:-$HOME/.cache}/bowshot/adbc
packages=(duckdb==2.0.0 adbc-driver-sqlite==1.13.0 adbc-driver-postgresql==1.13.0 adbc-driver-flightsql==1.13.0)

[[ -f $folder/versions && $(< "$folder/versions") == "${packages[*]}" ]] && exit 0
say "installing the ADBC drivers that the tests load, into $folder"
rm -rf "$folder"
"$PYTHON" -m venv "$folder"
"$folder/bin/pip" install --quiet "${packages[@]}"
printf '%s\n' "${packages[*]}" > "$folder/versions"
