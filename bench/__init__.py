"""Bowshot beside its peers: one run, one machine, ratios against the floor of the same run.

`python -m bench --help` shows the options; `bench/README.md` says how things are measured.
"""
