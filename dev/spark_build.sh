#!/usr/bin/env bash
# Builds the jar for Apache Spark with the native library inside, java/spark/target/bowshot-spark.jar, and prints its path. In CI with
# the library as the tests build it, so that nothing is compiled twice.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust
if ! command -v mvn > /dev/null; then dev/java_setup.sh; fi

name=libbowshot_spark.so
if [[ -n ${CI:-} ]]; then
    # cli_build.sh has compiled all tests, and with them this library.
    built=$CARGO_TARGET_DIR/debug/deps/$name
else
    cargo build --quiet --package bowshot-spark --release "${CARGO_FLAGS[@]}"
    built=$CARGO_TARGET_DIR/release/$name
fi

library=java/spark/target/library/native/linux-$(uname -m)
mkdir -p "$library"
strip --strip-unneeded -o "$library/$name" "$built"
(cd java && mvn --batch-mode --quiet --projects border,spark -DskipTests -Dspotless.check.skip package) >&2
# Where `bowshot spark-jar` looks, beside the command in .venv/bin. Moved, not written over: a JVM that runs has the old one open.
mkdir -p "$VENV/lib/bowshot"
cp java/spark/target/bowshot-spark.jar "$VENV/lib/bowshot/.bowshot-spark.jar.new"
mv -f "$VENV/lib/bowshot/.bowshot-spark.jar.new" "$VENV/lib/bowshot/bowshot-spark.jar"
echo "$PWD/java/spark/target/bowshot-spark.jar"
