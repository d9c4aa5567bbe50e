"""How Java writes Parquet files: Bowshot's ArrowParquetWriter beside pyarrow, in CPU seconds."""
