#!/usr/bin/env bash
# Makes .venv and installs the pinned requirements; done in an instant when nothing changed since the last time.
# Usage: dev/python_setup.sh [REQUIREMENTS [FOLDER]] — dev/requirements.txt into .venv unless told.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_python

requirements=${1:-dev/requirements.txt}
folder=${2:-$VENV}
version() { "$1" -c 'import sys; print(sys.version, sys.base_prefix)' 2> /dev/null; }

# Another Python needs another environment; one without pip was cut short while it was made.
if [[ -d $folder && ($(version "$folder/bin/python") != "$(version "$PYTHON")" || ! -x $folder/bin/pip) ]]; then
    say "making $folder anew: $PYTHON did not make it, or not to the end"
    rm -rf "$folder"
fi
[[ -d $folder ]] || "$PYTHON" -m venv "$folder"

stamp=$folder/.$(basename "$requirements").sha256
hash=$(sha256sum "$requirements")
if [[ $(cat "$stamp" 2> /dev/null) != "$hash" ]]; then
    say "installing $requirements into $folder"
    "$folder/bin/python" -m pip install --quiet --requirement "$requirements"
    echo "$hash" > "$stamp"
fi
