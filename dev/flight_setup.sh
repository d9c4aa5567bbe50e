#!/usr/bin/env bash
# Makes sure that the Flight SQL servers that the tests of crates/flight read from are on this machine: roapi and Sail,
# from PyPI. They lie in a folder of the build cache; FLIGHT_VENV names another one for the tests.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

need_python
folder=${FLIGHT_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/bowshot/flight-venv}
packages=(roapi==0.12.7 pysail==0.7.2)
wanted="${packages[*]}"

[[ -f $folder/versions && $(< "$folder/versions") == "$wanted" ]] && exit 0
say "installing the Flight SQL servers that the tests read from, into $folder"
rm -rf "$folder"
"$PYTHON" -m venv "$folder"
# Their programs are whole: pysail's Python dependencies are for clients of Spark.
"$folder/bin/pip" install --quiet --no-deps "${packages[@]}"
printf '%s\n' "$wanted" > "$folder/versions"
