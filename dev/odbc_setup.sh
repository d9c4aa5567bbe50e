#!/usr/bin/env bash
# Makes sure that unixODBC and the drivers that the tests use are on this machine. Building needs none of it.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

PACKAGES=(unixodbc odbc-postgresql odbc-mariadb tdsodbc)

installed() {
    command -v odbcinst > /dev/null || return 1
    local drivers
    drivers=$(odbcinst -q -d 2> /dev/null || true)
    local name
    for name in 'PostgreSQL Unicode' 'PostgreSQL ANSI' 'MariaDB Unicode' 'FreeTDS'; do
        grep -qF "[$name]" <<< "$drivers" || return 1
    done
}

installed && exit 0
way="install unixODBC and the ODBC drivers of PostgreSQL, MariaDB and FreeTDS, then try again"
command -v apt-get > /dev/null || fail "The tests need unixODBC and its drivers, and this is not Debian." "$way"
say "installing unixODBC and three drivers from Debian: the tests of the ODBC source need them"
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${PACKAGES[@]}" odbcinst > /dev/null
installed || fail "Debian's packages registered no drivers." "$way"
