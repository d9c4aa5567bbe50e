"""The gateway's benchmark as a command: prepares data and servers, measures, prints and writes the results."""

import argparse
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from bench import loopback
from bench.conditions import steady
from bench.gateway.figures import Figure, disagreements
from bench.gateway.other_servers import VERSIONS as OTHER_VERSIONS
from bench.gateway.parts import PARTS
from bench.gateway.prepare import prepare
from bench.gateway.process import version
from bench.gateway.report import report
from bench.gateway.settings import VARIABLE, Settings, default_binary
from bench.paths import cache_folder
from bench.record import RESULTS, record, write


def main() -> int:
    """Runs the command line; returns 1 where results disagreed."""
    arguments = _arguments()
    # What the parts have built, links and servers, is taken down when somebody ends the run.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    settings = Settings(arguments.binary.absolute(), arguments.quick)
    if arguments.prepare:
        prepare(settings)
        return 0
    figures = []
    with steady(not arguments.quick) as conditions:
        for name in arguments.parts:
            for figure in _run(name, settings, arguments.repeat):
                _say(_line(figure))
                figures.append(figure)
    size = "tiny data: does it work?" if settings.quick else f"TPC-H at scale {settings.scale:g}"
    found = [figure.as_json() for figure in figures]
    result = record("bench.gateway", arguments.repeat, **conditions, size=size, figures=found)
    # Results over lossy links mean nothing without it.
    result["congestion control"] = loopback.congestion_control()
    result["versions"] |= {"gateway": version(settings.binary), **OTHER_VERSIONS}
    page = report(result)
    sys.stdout.write(page)
    _say(f"written: {write(result, page, 'gateway', arguments.output)}")
    return 1 if disagreements(figures) else 0


def _run(name: str, settings: Settings, repeat: int) -> Iterator[Figure]:
    """Measures a part; what keeps it from beginning is a figure, too, and the others go on."""
    try:
        yield from PARTS[name].run(settings, repeat)
    except (RuntimeError, OSError) as error:
        yield Figure(name, "all", error=str(error))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.gateway", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"which parts (default: all): {', '.join(PARTS)}")
    parser.add_argument("--repeat", type=int, default=1, help="rounds (default 1)")
    parser.add_argument("--quick", action="store_true", help="tiny data: does it work, not how fast is it")
    parser.add_argument("--prepare", action="store_true", help="only make the data, for a run to find them there")
    parser.add_argument(
        "--binary",
        type=Path,
        default=default_binary(),
        help=f"the gateway (default: ${VARIABLE}, else .venv/bin/bowshot)",
    )
    parser.add_argument(
        "--output", type=Path, help="folder of the results (default: bench/results for a whole run, else the cache)"
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; the parts are {', '.join(PARTS)}")
    if arguments.output is None:
        arguments.output = cache_folder("results") if arguments.parts or arguments.quick else RESULTS
    arguments.parts = arguments.parts or list(PARTS)
    return arguments


def _line(figure: Figure) -> str:
    name = f"{figure.part}/{figure.row}"
    if figure.error is not None:
        return f"{name:60} failed: {figure.error}"
    shown = (f"{value:.2f} {unit}" for unit, value in figure.values.items() if unit not in ("rows", "sum"))
    return f"{name:60} {'   '.join(shown)}"


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
