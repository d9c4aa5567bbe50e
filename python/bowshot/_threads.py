"""Threads that no exit of the interpreter waits for without an end."""

from __future__ import annotations

import _thread
import atexit
import time
from collections.abc import Callable

# How long an exit waits for threads to end their queries; a read that was stopped takes half of it.
_FAREWELL = 1.0

# Locks that threads hold while they run.
_running: set[_thread.LockType] = set()


def run_in_thread(work: Callable[[], object]) -> None:
    """Runs `work`, which raises nothing, in a thread of its own.

    A `threading.Thread` would not do: finalizers start threads here, also where the garbage collector runs them while
    `threading` holds its own lock.
    """
    running = _thread.allocate_lock()
    running.acquire()
    _running.add(running)

    def run() -> None:
        try:
            work()
        finally:
            _running.discard(running)
            running.release()

    try:
        _thread.start_new_thread(run, ())
    except RuntimeError:
        _running.discard(running)
        raise


@atexit.register
def _wait() -> None:
    """Gives the threads the time to end their queries. One that still waits for a database ends with the process."""
    until = time.monotonic() + _FAREWELL
    for running in list(_running):
        running.acquire(timeout=max(0.0, until - time.monotonic()))
