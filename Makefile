# The one door. Every recipe is a line or two that calls dev/; `make` alone prints this list.
.DEFAULT_GOAL := help
.PHONY: help demo package build test frames spark lint fmt bench valgrind docs clean

help: ## Print the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: package ## Read a TPC-H table from SQLite into pandas, Arrow and Polars (SCALE=0.1)
	@dev/demo_run.sh

package: ## Leave .venv/ with a release build of the Python package in it
	@dev/python_setup.sh
	@dev/python_build.sh

build: package ## The same, the command bowshot, whose engine takes a while to compile, the ADBC driver and Spark's jar
	@dev/cli_build.sh
	@dev/adbc_driver_build.sh
	@dev/spark_build.sh

test: build ## Run every test of every language, on private servers
	@dev/tests_run.sh

frames: package ## Run the tests of Ray, Modin and other libraries on every case
	@BOWSHOT_EVERY_CASE=1 dev/frames_test.sh

spark: package ## Run the tests of Apache Spark on each of its versions
	@dev/spark_versions_test.sh

lint: ## Check formatting, lints, types, links and file lengths
	@dev/lints_run.sh

fmt: ## Format Rust, Python and C
	@dev/rust_format.sh
	@dev/python_format.sh
	@dev/c_format.sh

bench: build ## Measure beside the floor and the peers (BENCH="--quick"); results in bench/results/
	@dev/bench_run.sh

valgrind: ## Run the regression tests of the extension inside PostgreSQL under valgrind
	@dev/postgres_extension_valgrind.sh

docs: package ## Build the site and the Rust API pages into site/
	@dev/docs_build.sh

clean: ## Remove .venv/, site/ and the build cache
	@dev/clean.sh
