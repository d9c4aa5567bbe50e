"""Collections whose partitions are read in workers: of Dask, Modin, Ray and PyTorch."""
