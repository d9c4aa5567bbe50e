#!/usr/bin/env bash
# Builds the jar of the Parquet writer for Java with the native library inside, java/parquet/target/bowshot-parquet.jar, and prints its
# path. `dev/parquet_build.sh library` builds the library alone, for Maven to test with; in CI as the tests build it.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust
if ! command -v mvn > /dev/null; then dev/java_setup.sh; fi

name=libbowshot_parquet.so
if [[ -n ${CI:-} ]]; then
    # cli_build.sh has compiled all tests, and with them this library.
    built=$CARGO_TARGET_DIR/debug/deps/$name
else
    cargo build --release --quiet --package bowshot-parquet-border "${CARGO_FLAGS[@]}"
    built=$CARGO_TARGET_DIR/release/$name
fi

library=java/parquet/target/library/native/linux-$(uname -m)
mkdir -p "$library"
# Moved, not written over: a JVM that has loaded the old one goes on with it.
cp "$built" "$library/.$name.new"
strip --strip-unneeded "$library/.$name.new"
mv -f "$library/.$name.new" "$library/$name"
if [[ ${1:-} == library ]]; then exit; fi

(cd java && mvn --batch-mode --quiet --projects border,parquet -DskipTests -Dspotless.check.skip package) >&2
echo "$PWD/java/parquet/target/bowshot-parquet.jar"
