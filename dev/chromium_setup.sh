#!/usr/bin/env bash
# Makes sure that Chromium is on this machine: the test of the gateway's console clicks through the page in it. Playwright,
# which drives it, is in dev/requirements.txt and brings no browser of its own.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

command -v chromium > /dev/null && exit 0
way="install Chromium so that the command chromium is on the PATH, then try again"
command -v apt-get > /dev/null || fail "The test of the console needs Chromium, and this is not Debian." "$way"
say "installing Chromium from Debian: the test of the console needs it"
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium > /dev/null
command -v chromium > /dev/null || fail "Debian's chromium package brought no command chromium." "$way"
