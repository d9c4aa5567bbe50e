"""Which Spark the tests run on."""

import pyspark

VERSION = tuple(map(int, pyspark.__version__.split(".")[:2]))
"""Its first two numbers: `(4, 3)`."""
