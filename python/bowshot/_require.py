"""Packages that are not always installed."""

from __future__ import annotations

import importlib.util


def require(module: str, extra: str) -> None:
    """Says which extra to install when `module` is missing."""
    if not installed(module):
        raise ModuleNotFoundError(f'this needs {module}: pip install "bowshot[{extra}]"', name=module)


def installed(module: str) -> bool:
    """Whether `module` can be imported.

    >>> installed("json")
    True
    """
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False
