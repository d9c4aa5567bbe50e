#!/usr/bin/env bash
# The tests in python/tensors/: results in PyTorch, against the build in .venv.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust

folder=$(dev/torch_setup.sh)
root=$folder/root
libraries=$root/usr/lib/x86_64-linux-gnu
LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$libraries/hdf:$root/usr/lib:$root/lib/x86_64-linux-gnu \
    PYTHONPATH=$PWD/python:$root/usr/lib/python3/dist-packages \
    "$folder/venv/bin/python" -m pytest python/tensors -ra "$@"
