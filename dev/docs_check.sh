#!/usr/bin/env bash
# Every relative link in a Markdown file leads to a file, and every #heading to a heading.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

git ls-files -z --cached --others --exclude-standard '*.md' | xargs -0 "$VENV/bin/python" dev/docs_check.py
