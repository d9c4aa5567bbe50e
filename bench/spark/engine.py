"""The parent's end of a worker: a process that answers questions, started when it is first asked, or before."""

import contextlib
import json
import select
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from bench.paths import cache_folder

ROOT = Path(__file__).parents[2]
# No read takes this long; what does, hangs.
SECONDS = 600
SECONDS_TO_END = 30


class Engine:
    """A worker of a command. One that has died, as of too little memory, is started again by the next question."""

    def __init__(self, name: str, command: Sequence[str], seconds: float = SECONDS) -> None:
        """Keeps the command; what it says on standard error goes into a log in the cache."""
        self.log = cache_folder("bench") / f"{name}.log"
        self._command = command
        self._seconds = seconds
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Starts the worker, and waits for nothing: several start at the same time."""
        self._running()

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the answer; raises `RuntimeError` with the worker's error, or its last words."""
        process = self._running()
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("a worker was started without its pipes")
        # Of a worker that has died, there is no line to read.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
        if not select.select([process.stdout], [], [], self._seconds)[0]:
            self._kill()
            raise RuntimeError(f"gave no answer within {self._seconds:g} s")
        line = process.stdout.readline()
        if not line:
            self._kill()
            words = self.log.read_text(errors="replace").strip().splitlines() or ["without a word"]
            raise RuntimeError(f"the worker died: {words[-1]}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def __enter__(self) -> "Engine":
        """Starts nothing yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the worker's input, and with it the worker."""
        if self._process is None:
            return
        with contextlib.suppress(subprocess.TimeoutExpired, BrokenPipeError):
            self._process.communicate(timeout=SECONDS_TO_END)
        self._kill()

    def _running(self) -> "subprocess.Popen[str]":
        if self._process is None:
            with self.log.open("wb") as said:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    text=True,
                    cwd=ROOT,
                )
        return self._process

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()
            self._process = None
