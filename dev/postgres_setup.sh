#!/usr/bin/env bash
# Makes sure that a PostgreSQL server's programs are on this machine; the tests start private servers from them.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

installed() {
    command -v initdb > /dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' > /dev/null
}

installed && exit 0
way="install PostgreSQL 12 or later, with initdb and postgres on the PATH, then try again"
command -v apt-get > /dev/null || fail "The tests need PostgreSQL's server programs, and this is not Debian." "$way"
say "installing PostgreSQL from Debian: the tests need its server programs"
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql > /dev/null
installed || fail "Debian's postgresql package brought no initdb." "$way"
