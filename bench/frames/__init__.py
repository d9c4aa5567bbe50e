"""The benchmark of what reads partitions by itself: Dask, Modin, Ray, other processes, the ADBC driver, LazyFrames."""
