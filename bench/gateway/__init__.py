"""The gateway's benchmark: six parts, each with the bars that it must reach.

`python -m bench.gateway --help` shows the options; `bench/gateway/README.md` says how things are measured.
"""
