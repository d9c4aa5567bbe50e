#!/usr/bin/env bash
# Fetches Apache DataFusion Comet (99 MB), which `python -m bench.spark` measures beside Bowshot, and makes the environment of the
# newest Spark that it is built for: $CACHE/spark-jars/comet-spark-*.jar and the folder of dev/spark_setup.sh, which it prints.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

jars=${XDG_CACHE_HOME:-$HOME/.cache}/bowshot/spark-jars
comet="comet-spark-spark4.1_2.13"
version=1.2.0

folder=$(dev/spark_setup.sh 4.1.3)
if ! [[ -f $jars/$comet-$version.jar ]]; then
    say "fetching $comet-$version.jar"
    mvn --batch-mode --quiet org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
        -Dartifact="org.apache.datafusion:$comet:$version" -DoutputDirectory="$jars" >&2
fi
echo "$folder"
