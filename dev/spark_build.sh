#!/usr/bin/env bash
# Builds the jar for Apache Spark with the native library inside, java/spark/target/bowshot-spark.jar, and prints its path.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
need_rust
if ! command -v mvn > /dev/null; then dev/java_setup.sh; fi

cargo build --release --quiet --package bowshot-spark "${CARGO_FLAGS[@]}"
library=java/spark/target/library/native/linux-$(uname -m)
mkdir -p "$library"
cp --update "$CARGO_TARGET_DIR/release/libbowshot_spark.so" "$library/"
strip --strip-unneeded "$library/libbowshot_spark.so"
(cd java && mvn --batch-mode --quiet --projects border,spark -DskipTests -Dspotless.check.skip package) >&2
echo "$PWD/java/spark/target/bowshot-spark.jar"
