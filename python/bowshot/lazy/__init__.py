"""Collections whose partitions are read in workers: Dask's and Modin's dataframes, Ray's datasets."""
