"""Says which relative links in the given Markdown files lead nowhere, and ends with 1 if any does."""

import re
import sys
from pathlib import Path

# Inline links, also of images; then reference definitions.
LINK = re.compile(r"\[[^\]]*\]\(<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+\s+(.+?)\s*#*$", re.MULTILINE)


def anchors(text: str) -> set[str]:
    """The anchors of a file's headings, as GitHub and MkDocs make them.

    >>> sorted(anchors("# Add a type\\n## Two `parts`, one table"))
    ['add-a-type', 'two-parts-one-table']
    """
    fences = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in HEADING.findall(fences)}


def targets(text: str) -> list[str]:
    """What a file's links point at, without those inside code.

    >>> targets("[a](b.md#c) `[not](this)` ![p](q.png)")
    ['b.md#c', 'q.png']
    """
    return [next(part for part in groups if part) for groups in LINK.findall(CODE.sub("", text))]


def broken(path: Path) -> list[str]:
    """The links of one file that lead nowhere."""
    found = []
    for target in targets(path.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = path.parent / name if name else path
        if not file.exists():
            found.append(f"{path}: {target} does not exist")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
            found.append(f"{path}: {target} has no such heading")
    return found


if __name__ == "__main__":
    problems = [problem for name in sys.argv[1:] if Path(name).exists() for problem in broken(Path(name))]
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    sys.exit(bool(problems))
