#!/usr/bin/env bash
# The extension's regression queries on a server under valgrind: says every error that its code takes part in. What
# PostgreSQL does by itself is left out: its own build for valgrind would be needed to judge that.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

dev/valgrind_setup.sh
mapfile -t folders < <(dev/postgres_extension_setup.sh)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -m 777 "$work/logs" "$work/bin"
chmod 755 "$work"
# Programs that find their files by where the real ones lie; only the server itself runs under valgrind, and not while the
# cluster is made.
for program in "${folders[0]}"/*; do
    ln -s "$program" "$work/bin/"
done
rm "$work/bin/postgres"
cat > "$work/bin/postgres" << SERVER
#!/bin/sh
case " \$* " in
*" -D "*) ;;
*) exec "${folders[0]}/postgres" "\$@" ;;
esac
case " \$* " in
*" --single "* | *" --boot "* | *" --check "*) exec "${folders[0]}/postgres" "\$@" ;;
esac
exec valgrind --quiet --leak-check=no --num-callers=30 --log-file="$work/logs/%p" "${folders[0]}/postgres" "\$@"
SERVER
chmod 755 "$work/bin/postgres"

outcome=0
dev/postgres_extension_regress.sh "$work/bin" || outcome=1
[[ -n $(ls -A "$work/logs") ]] || fail "Nothing ran under valgrind." "read what it says above"

# A record of valgrind's ends with an empty line; ours are those with a function of the extension.
errors=$(cat "$work"/logs/* | sed -E 's/^==[0-9]+== ?//' |
    awk 'BEGIN { RS = ""; ORS = "\n\n" } /bowshot[_:]|postgres-extension|bowshot\.so/')
if [[ -n $errors ]]; then
    echo "$errors"
    echo "1 failed in 0.0s"
    outcome=1
fi
((outcome == 0)) && say "valgrind found nothing in the extension's code ($(find "$work/logs" -type f | wc -l) processes)"
exit "$outcome"
