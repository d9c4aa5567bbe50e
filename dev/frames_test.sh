#!/usr/bin/env bash
# The tests in python/frames/: results in Ray, Modin and other libraries, against the build in .venv.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust

folder=$(dev/frames_setup.sh)
"$folder/bin/python" -m pytest python/frames -ra "$@"
