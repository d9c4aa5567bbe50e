#!/usr/bin/env bash
# Makes sure that a MariaDB server's programs are on this machine; the tests start private servers from them.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

installed() {
    [[ -n ${MARIADB_BIN:-} ]] || { [[ -x /usr/sbin/mariadbd || -n $(command -v mariadbd) ]] && command -v mariadb > /dev/null; }
}

installed && exit 0
way="install MariaDB 10.11 or later, with mariadbd and mariadb on the PATH, then try again"
command -v apt-get > /dev/null || fail "The tests need MariaDB's server programs, and this is not Debian." "$way"
say "installing MariaDB from Debian: the tests need its server programs"
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends mariadb-server-core mariadb-client-core > /dev/null
installed || fail "Debian's mariadb-server-core package brought no mariadbd." "$way"
