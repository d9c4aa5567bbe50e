package io.bowshot.spark.vectors;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** Columns whose rows point at values that stand elsewhere: dictionaries and runs. */
abstract class Indirect extends ColumnVector {
    private final ColumnVector values;

    Indirect(ColumnVector values) {
        this(values, values.dataType());
    }

    Indirect(ColumnVector values, DataType type) {
        super(type);
        this.values = values;
    }

    /** Where a row's value stands. */
    abstract int place(int row);

    @Override
    public void close() {
        // The batch is released by its reader.
    }

    @Override
    public boolean hasNull() {
        return values.hasNull();
    }

    @Override
    public int numNulls() {
        return values.hasNull() ? 1 : 0;
    }

    @Override
    public boolean isNullAt(int row) {
        return values.hasNull() && values.isNullAt(place(row));
    }

    static final class Dictionary extends Indirect {
        private final Keys keys;

        Dictionary(Source source) {
            super(Vectors.of(source.dictionary()));
            keys = new Keys(source);
        }

        @Override
        public boolean hasNull() {
            return keys.hasNull() || super.hasNull();
        }

        @Override
        public int numNulls() {
            return Math.max(keys.numNulls(), super.numNulls());
        }

        @Override
        public boolean isNullAt(int row) {
            return keys.isNullAt(row) || super.isNullAt(row);
        }

        @Override
        int place(int row) {
            return keys.place(row);
        }
    }

    /** The rows from one on. */
    static final class Rest extends Indirect {
        private final int first;

        Rest(ColumnVector values, int first) {
            super(values);
            this.first = first;
        }

        @Override
        int place(int row) {
            return first + row;
        }
    }

    /** The numbers of values in a dictionary. */
    private static final class Keys extends ArrowVector {
        private final long keys;
        private final char width;

        Keys(Source source) {
            super(source);
            keys = source.buffer(1);
            width = source.column().format().charAt(0);
        }

        int place(int row) {
            long at = offset + row;
            return switch (width) {
                case 'c' -> Platform.getByte(null, keys + at);
                case 'C' -> Platform.getByte(null, keys + at) & 0xff;
                case 's' -> Platform.getShort(null, keys + at * 2);
                case 'S' -> Platform.getShort(null, keys + at * 2) & 0xffff;
                case 'i', 'I' -> Platform.getInt(null, keys + at * 4);
                default -> Math.toIntExact(Platform.getLong(null, keys + at * 8));
            };
        }
    }

    /** Run-end encoded: each value holds up to a row. */
    static final class Runs extends Indirect {
        private final long first;
        private final long ends;
        private final char width;
        private final int count;
        /** The run of the last row that was asked for: rows come in their order. */
        private int last;

        Runs(Source source) {
            super(Vectors.of(source.child(1, 0)));
            first = source.shift() + Platform.getLong(null, source.array() + 16);
            Source runs = source.child(0, 0);
            width = runs.column().format().charAt(0);
            count = Math.toIntExact(runs.length());
            int bytes = width == 's' ? 2 : width == 'i' ? 4 : 8;
            ends = runs.buffer(1) + Platform.getLong(null, runs.array() + 16) * bytes;
        }

        @Override
        int place(int row) {
            long at = first + row;
            int run = last;
            if (run > 0 && at < end(run - 1)) {
                run = 0;
            }
            while (run < count - 1 && at >= end(run)) {
                run++;
            }
            last = run;
            return run;
        }

        private long end(int run) {
            return switch (width) {
                case 's' -> Platform.getShort(null, ends + run * 2L);
                case 'i' -> Platform.getInt(null, ends + run * 4L);
                default -> Platform.getLong(null, ends + run * 8L);
            };
        }
    }

    /** A field of structs that rows point at. */
    private static final class Field extends Indirect {
        private final Indirect rows;

        Field(ColumnVector field, Indirect rows) {
            super(field);
            this.rows = rows;
        }

        @Override
        int place(int row) {
            return rows.place(row);
        }
    }

    @Override
    public boolean getBoolean(int row) {
        return values.getBoolean(place(row));
    }

    @Override
    public byte getByte(int row) {
        return values.getByte(place(row));
    }

    @Override
    public short getShort(int row) {
        return values.getShort(place(row));
    }

    @Override
    public int getInt(int row) {
        return values.getInt(place(row));
    }

    @Override
    public long getLong(int row) {
        return values.getLong(place(row));
    }

    @Override
    public float getFloat(int row) {
        return values.getFloat(place(row));
    }

    @Override
    public double getDouble(int row) {
        return values.getDouble(place(row));
    }

    @Override
    public ColumnarArray getArray(int row) {
        return isNullAt(row) ? null : values.getArray(place(row));
    }

    @Override
    public ColumnarMap getMap(int row) {
        return isNullAt(row) ? null : values.getMap(place(row));
    }

    @Override
    public Decimal getDecimal(int row, int precision, int scale) {
        return isNullAt(row) ? null : values.getDecimal(place(row), precision, scale);
    }

    @Override
    public UTF8String getUTF8String(int row) {
        return isNullAt(row) ? null : values.getUTF8String(place(row));
    }

    @Override
    public byte[] getBinary(int row) {
        return isNullAt(row) ? null : values.getBinary(place(row));
    }

    @Override
    public ColumnVector getChild(int ordinal) {
        // A struct is read by its children, row by row.
        return new Field(values.getChild(ordinal), this);
    }
}
