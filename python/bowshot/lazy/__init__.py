"""Collections that read a result when they are computed, a partition a task: Dask's dataframes."""
