#!/usr/bin/env bash
# Makes sure that a ClickHouse server's program is on this machine; the tests start private servers from it.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

installed() {
    [[ -n ${CLICKHOUSE_BIN:-} ]] || [[ -x /usr/sbin/clickhouse-server || -x /usr/bin/clickhouse-server || -x /usr/bin/clickhouse ]]
}

installed && exit 0
way="install ClickHouse, or set CLICKHOUSE_BIN to the folder of its program, then try again"
command -v apt-get > /dev/null || fail "The tests need ClickHouse's server program, and this is not Debian." "$way"
say "installing ClickHouse from Debian: the tests need its server program"
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends clickhouse-server > /dev/null
installed || fail "Debian's clickhouse-server package brought no clickhouse-server." "$way"
