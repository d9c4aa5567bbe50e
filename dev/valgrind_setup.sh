#!/usr/bin/env bash
# Makes sure that valgrind is on this machine: the extension's regression queries run under it.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

command -v valgrind > /dev/null && exit 0
way="install valgrind so that the command is on the PATH, then try again"
command -v apt-get > /dev/null || fail "The extension is tested under valgrind, and this is not Debian." "$way"
say "installing valgrind from Debian: the extension is tested under it"
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends valgrind libc6-dbg > /dev/null
command -v valgrind > /dev/null || fail "Debian's valgrind package brought no command valgrind." "$way"
