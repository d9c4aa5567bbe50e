#!/usr/bin/env bash
# Makes the environment of python/spark/ for one version of Apache Spark, 4.3.0 unless told, and prints its folder. Beside it
# lies a driver for Spark's own JDBC source: $CACHE/spark-jars/postgresql-*.jar, which python/spark/conftest.py hands to Spark.
# dev/comet_setup.sh puts Comet there, which the benchmark alone needs.
# Usage: dev/spark_setup.sh [VERSION] — one of those below; SPARK_VENV names another folder.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

version=${1:-4.3.0}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/bowshot
folder=${SPARK_VENV:-$cache/spark-$version}
driver=postgresql-42.7.14.jar

# Each version with the libraries of its time: it was tested with them, and knows nothing of later ones.
case $version in
    3.5.9) pins=(pandas==2.2.3 pyarrow==17.0.0 numpy==1.26.4) ;;
    4.0.5) pins=(pandas==2.2.3 pyarrow==18.1.0 numpy==2.2.6) ;;
    4.1.3) pins=(pandas==2.3.3 pyarrow==21.0.0 numpy==2.3.5) ;;
    4.2.1) pins=(pandas==2.3.3 pyarrow==23.0.1 numpy==2.4.6) ;;
    4.3.0) pins=() ;;
    *) fail "There are no pins for Spark $version." "name 3.5.9, 4.0.5, 4.1.3, 4.2.1 or 4.3.0, or add it to dev/spark_setup.sh" ;;
esac
if ! command -v java > /dev/null || ! command -v mvn > /dev/null; then dev/java_setup.sh; fi

mkdir -p "$cache/spark-jars"
requirements=$cache/requirements_spark_$version.txt
replaced() { for pin in "pyspark[connect]==$version" "${pins[@]}"; do echo "s/^${pin%%[^a-z]*}[^a-z].*/$pin/"; done; }
# Written only where it changed: several tests may set up at once.
sed -f <(replaced) dev/requirements_spark.txt > "$requirements.$$"
mv "$requirements.$$" "$requirements"
dev/python_setup.sh "$requirements" "$folder"
# The Python package as it lies here, with the compiled half that `make build` put into it.
echo "$PWD/python" > "$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/bowshot.pth"

if ! [[ -f $cache/spark-jars/$driver ]]; then
    say "fetching $driver"
    mvn --batch-mode --quiet org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
        -Dartifact=org.postgresql:postgresql:42.7.14 -DoutputDirectory="$cache/spark-jars" >&2
fi
echo "$folder"
