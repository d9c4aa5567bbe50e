"""Text that a stranger may have written, as pictures and terminals take it."""

from __future__ import annotations

import unicodedata

# Categories that draw nothing by themselves but change what is around: controls, formats such as the turns of
# direction, surrogates, private use, characters that do not exist.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Joins letters, or keeps them apart, in scripts that need it.
_JOINERS = "\u200c\u200d"


def plain(text: str) -> str:
    """One line, without characters that do something.

    >>> plain("a\\tb\\n c\\x00\\x1b[31m\\u202e")
    'a b c��[31m�'
    """
    line = " ".join(text.split())
    return "".join("\N{REPLACEMENT CHARACTER}" if _unseen(mark) else mark for mark in line)


def _unseen(mark: str) -> bool:
    return unicodedata.category(mark) in _UNSEEN and mark not in _JOINERS


def clipped(text: str, most: int) -> str:
    """At most this many characters.

    >>> clipped("pages 0 to 100", 8), clipped("short", 8)
    ('pages 0…', 'short')
    """
    return text if len(text) <= most else text[: max(most - 1, 0)].rstrip() + "…"


def width(text: str, em: float) -> float:
    """About how wide it is in a font of `em` pixels: rather more than less."""
    return sum(em if unicodedata.east_asian_width(mark) in "WF" else em * _wide(mark) for mark in text)


def _wide(mark: str) -> float:
    if mark in "iljtfrI.,:;'|!()[] ":
        return 0.36
    if ord(mark) > 0x2FF and mark not in "…—":
        return 1.1
    if mark in "mwMW%@—…&<>+=":
        return 0.95
    return 0.68 if mark.isupper() else 0.59


def fitted(text: str, em: float, room: float) -> str:
    """As much of it as fits into this many pixels; nothing where that would say nothing."""
    if width(text, em) <= room:
        return text
    fits = 0
    while fits < len(text) and width(text[: fits + 1] + "…", em) <= room:
        fits += 1
    return text[:fits].rstrip() + "…" if fits >= 5 else ""
