#!/usr/bin/env bash
# Makes the environment of python/frames/: libraries that hold frames, of which each is large and wants other versions of
# pandas and pyarrow than .venv has. Prints its folder; FRAMES_VENV names another one.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

folder=${FRAMES_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/bowshot/frames-venv}
dev/python_setup.sh dev/requirements_frames.txt "$folder"
# The Python package as it lies here, with the compiled half that `make build` put into it.
echo "$PWD/python" > "$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/bowshot.pth"
echo "$folder"
