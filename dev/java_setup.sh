#!/usr/bin/env bash
# Makes sure that a JDK of 17 or later and Maven are here, and what the Java tests need is in Maven's own folder (~/.m2).
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

version() { javac -version 2>&1 | grep -oE '[0-9]+' | head -n 1; }
if ! command -v mvn > /dev/null || ! command -v javac > /dev/null || (($(version) < 17)); then
    command -v apt-get > /dev/null || fail "The Java tests need a JDK of 17 or later and Maven." "install them and put them on the PATH"
    say "installing a JDK and Maven"
    as_root apt-get update -qq
    as_root apt-get install -y -qq openjdk-17-jdk-headless maven > /dev/null
fi
# What the tests print must not be mixed with downloads.
say "fetching what the Java tests need"
(cd java && mvn --batch-mode --quiet -DskipTests verify)
