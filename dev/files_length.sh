#!/usr/bin/env bash
# No source file over 500 lines, but those that dev/long_files.txt lists with a reason (path, two spaces, why).
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

limit=500
bad=0
while read -r path; do
    [[ -f $path ]] || continue
    lines=$(wc -l < "$path")
    listed=$(grep -cE "^$path  +[^ ]" dev/long_files.txt || true)
    if ((lines > limit && listed == 0)); then
        say "$path has $lines lines, over $limit: split it by concept, or list it in dev/long_files.txt with a reason"
        bad=1
    elif ((lines <= limit && listed > 0)); then
        say "$path has only $lines lines: take it off dev/long_files.txt"
        bad=1
    fi
done < <(git ls-files --cached --others --exclude-standard '*.rs' '*.py' '*.pyi' '*.sh' '*.java' '*.c' '*.h' '*.sql')

while read -r path _; do
    [[ -f $path ]] || { say "dev/long_files.txt lists $path, which does not exist"; bad=1; }
done < <(grep -vE '^(#|$)' dev/long_files.txt)
exit "$bad"
