#!/usr/bin/env bash
# Makes sure that the servers that speak PostgreSQL's protocol and that the tests read from are on this machine: H2 and
# QuestDB, from Maven Central. They lie in a folder of the build cache; COUSINS_FOLDER names another one for the tests.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

folder=${COUSINS_FOLDER:-${XDG_CACHE_HOME:-$HOME/.cache}/bowshot/cousins}
jars=(
    com/h2database/h2/2.5.252/h2-2.5.252.jar 90b11dc413da82070ef15fc943282c1408e6ffd34fa68998335fea8603b5ff20
    org/questdb/questdb/9.3.4/questdb-9.3.4.jar 939bc53ab22f93dbaa6545143a6e7c536d4904c07b7f2d381e8eef10436be062
)

"${JAVA_HOME:+$JAVA_HOME/bin/}java" -version 2> /dev/null ||
    fail "H2 and QuestDB need Java 17 or later, which is missing." \
        "install it with: apt-get install openjdk-17-jre-headless   (or set JAVA_HOME)"
mkdir -p "$folder"
for ((i = 0; i < ${#jars[@]}; i += 2)); do
    file=$folder/$(basename "${jars[i]}")
    echo "${jars[i + 1]}  $file" | sha256sum --check --status 2> /dev/null && continue
    say "fetching ${jars[i]} from Maven Central"
    curl --silent --show-error --fail --location --output "$file.part" "https://repo1.maven.org/maven2/${jars[i]}"
    echo "${jars[i + 1]}  $file.part" | sha256sum --check --status ||
        fail "$file.part is not what Maven Central had: its checksum is another one." "remove it and try again"
    mv "$file.part" "$file"
done
