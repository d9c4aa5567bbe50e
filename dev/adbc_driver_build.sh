#!/usr/bin/env bash
# Builds the ADBC driver and puts it into .venv, with the manifest by which driver managers find it as "bowshot". In CI as the tests
# build it, so that nothing is compiled twice.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust

library=libadbc_driver_bowshot.so
if [[ -n ${CI:-} ]]; then
    # cli_build.sh has compiled all tests, and with them this library.
    built=$CARGO_TARGET_DIR/debug/deps/$library
else
    cargo build --quiet --package bowshot-adbc-driver --release "${CARGO_FLAGS[@]}"
    built=$CARGO_TARGET_DIR/release/$library
fi

folder=$VENV/lib/bowshot
mkdir -p "$folder" "$VENV/etc/adbc/drivers"
# Moved, not written over: a program that has loaded the old one goes on with it.
cp "$built" "$folder/.$library.new"
mv -f "$folder/.$library.new" "$folder/$library"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
cat > "$VENV/etc/adbc/drivers/bowshot.toml" << MANIFEST
manifest_version = 1
name = "Bowshot"
version = "$version"
publisher = "Bowshot"
license = "Apache-2.0"

[ADBC]
version = "1.1.0"

[Driver]
shared = "$folder/$library"
MANIFEST
say "the ADBC driver $version is in .venv, for driver managers as \"bowshot\""
