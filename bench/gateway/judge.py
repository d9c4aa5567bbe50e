"""Bars over figures: ratios of seconds, and limits of what is counted."""

from bench.bars import Bar


def at_most(what: str, limit: float, of: str, ours: float | None, theirs: float | None) -> Bar:
    """Judges whether `ours` is at most `limit` times `theirs`; a bar without both was not run.

    >>> at_most("reading", 1.25, "straight", 6.0, 4.0)
    Bar(what='reading', limit='≤ 1.25 × straight', measured='1.50 × (6.00 s against 4.00 s)', passed=False)
    """
    words = f"≤ {limit:g} × {of}"
    if ours is None or not theirs:
        return Bar(what, words, "not run", None)
    return Bar(what, words, f"{ours / theirs:.2f} × ({ours:.2f} s against {theirs:.2f} s)", ours <= limit * theirs)


def at_least(what: str, limit: float, ours: float | None, theirs: float | None) -> Bar:
    """Judges whether `theirs` takes at least `limit` times as long as `ours`.

    >>> at_least("reading", 19, 0.5, 10.0).measured
    '20.0 × (0.50 s against 10.00 s)'
    """
    words = f"≥ {limit:g} × as fast" if limit > 1 else "faster"
    if not ours or theirs is None:
        return Bar(what, words, "not run", None)
    times = theirs / ours
    return Bar(what, words, f"{times:.1f} × ({ours:.2f} s against {theirs:.2f} s)", times >= limit and times > 1)


def below(what: str, limit: float, unit: str, measured: float | None) -> Bar:
    """Judges whether a figure stays below a limit.

    >>> below("memory", 1000, "MB", 700.2)
    Bar(what='memory', limit='< 1000 MB', measured='700 MB', passed=True)
    """
    words = f"< {limit:g} {unit}"
    if measured is None:
        return Bar(what, words, "not run", None)
    return Bar(what, words, f"{measured:.0f} {unit}", measured < limit)
