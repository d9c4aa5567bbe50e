#!/usr/bin/env bash
# Makes sure that mysqlclient, a peer of the benchmark that PyPI has as source alone, can be compiled.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

installed() { command -v mariadb_config > /dev/null && command -v pkg-config > /dev/null; }

installed && exit 0
way="install MariaDB's client library with its headers, and pkg-config, then try again"
command -v apt-get > /dev/null || fail "The benchmark needs mariadb_config, and this is not Debian." "$way"
say "installing MariaDB's client library from Debian: a peer of the benchmark is compiled with it"
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libmariadb-dev pkg-config > /dev/null
installed || fail "Debian's libmariadb-dev brought no mariadb_config." "$way"
