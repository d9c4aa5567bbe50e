#!/usr/bin/env bash
# Makes sure that the ADBC drivers that the tests of crates/adbc load are on this machine: Python packages from PyPI, and
# DuckDB's library from npm, since only Python can load the one in DuckDB's Python package. They lie in a folder of the
# build cache; BOWSHOT_ADBC_DRIVERS names another one for the tests.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

need_python
folder=${XDG_CACHE_HOME:-$HOME/.cache}/bowshot/adbc
packages=(adbc-driver-sqlite==1.13.0 adbc-driver-postgresql==1.13.0 adbc-driver-flightsql==1.13.0)
case $(uname -sm) in
    "Linux x86_64") platform=linux-x64 ;;
    "Linux aarch64") platform=linux-arm64 ;;
    "Darwin arm64") platform=darwin-arm64 ;;
    *) platform=darwin-x64 ;;
esac
duckdb=@duckdb/node-bindings-$platform@1.5.5-r.5
wanted="${packages[*]} $duckdb"

[[ -f $folder/versions && $(< "$folder/versions") == "$wanted" ]] && exit 0
command -v npm > /dev/null || fail "DuckDB's library comes from npm, which is missing." "install it with: apt-get install npm"
say "installing the ADBC drivers that the tests load, into $folder"
rm -rf "$folder"
mkdir -p "$folder/packages"
"$PYTHON" -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --target "$folder/packages" "${packages[@]}"
(cd "$folder" && tar xzf "$(npm pack --silent "$duckdb" 2> /dev/null)" && mv package/libduckdb.* packages/)
rm -rf "$folder/python" "$folder/package" "$folder"/*.tgz
printf '%s\n' "$wanted" > "$folder/versions"
