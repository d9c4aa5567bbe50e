"""What Spark's own readers and Bowshot's cost a JVM: CPU seconds and wall time of the same reads, side by side."""
