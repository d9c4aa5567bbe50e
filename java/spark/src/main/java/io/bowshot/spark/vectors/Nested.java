package io.bowshot.spark.vectors;

import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.Platform;

/** Structs, lists and maps; and columns that are NULL throughout. */
final class Nested {
    private Nested() {}

    static final class Nulls extends ArrowVector {
        private final int length;

        Nulls(Source source) {
            super(source);
            length = Math.toIntExact(source.length());
        }

        @Override
        public boolean hasNull() {
            return length > 0;
        }

        @Override
        public int numNulls() {
            return length;
        }

        @Override
        public boolean isNullAt(int row) {
            return true;
        }
    }

    static final class Struct extends ArrowVector {
        private final ColumnVector[] children;

        Struct(Source source) {
            super(source);
            children = new ColumnVector[source.column().children().size()];
            for (int i = 0; i < children.length; i++) {
                children[i] = Vectors.of(source.child(i, offset));
            }
        }

        @Override
        public ColumnVector getChild(int ordinal) {
            return children[ordinal];
        }
    }

    /** A list's values lie side by side in its child. */
    abstract static class List extends ArrowVector {
        private final ColumnVector values;

        List(Source source) {
            super(source);
            values = Vectors.of(source.child(0, 0));
        }

        abstract long start(int row);

        abstract long length(int row);

        @Override
        public ColumnarArray getArray(int row) {
            if (isNullAt(row)) {
                return null;
            }
            return new ColumnarArray(values, Math.toIntExact(start(row)), Math.toIntExact(length(row)));
        }
    }

    static final class SmallList extends List {
        private final long offsets;

        SmallList(Source source) {
            super(source);
            offsets = source.buffer(1) + offset * 4;
        }

        @Override
        long start(int row) {
            return Platform.getInt(null, offsets + row * 4L);
        }

        @Override
        long length(int row) {
            return Platform.getInt(null, offsets + row * 4L + 4) - start(row);
        }
    }

    static final class LargeList extends List {
        private final long offsets;

        LargeList(Source source) {
            super(source);
            offsets = source.buffer(1) + offset * 8;
        }

        @Override
        long start(int row) {
            return Platform.getLong(null, offsets + row * 8L);
        }

        @Override
        long length(int row) {
            return Platform.getLong(null, offsets + row * 8L + 8) - start(row);
        }
    }

    static final class SmallListView extends List {
        private final long offsets;
        private final long sizes;

        SmallListView(Source source) {
            super(source);
            offsets = source.buffer(1) + offset * 4;
            sizes = source.buffer(2) + offset * 4;
        }

        @Override
        long start(int row) {
            return Platform.getInt(null, offsets + row * 4L);
        }

        @Override
        long length(int row) {
            return Platform.getInt(null, sizes + row * 4L);
        }
    }

    static final class LargeListView extends List {
        private final long offsets;
        private final long sizes;

        LargeListView(Source source) {
            super(source);
            offsets = source.buffer(1) + offset * 8;
            sizes = source.buffer(2) + offset * 8;
        }

        @Override
        long start(int row) {
            return Platform.getLong(null, offsets + row * 8L);
        }

        @Override
        long length(int row) {
            return Platform.getLong(null, sizes + row * 8L);
        }
    }

    static final class FixedList extends List {
        private final int size;

        FixedList(Source source, int size) {
            super(source);
            this.size = size;
        }

        @Override
        long start(int row) {
            return (offset + row) * size;
        }

        @Override
        long length(int row) {
            return size;
        }
    }

    /** A map: a list of structs of a key and a value. */
    static final class Entries extends ArrowVector {
        private final long offsets;
        private final ColumnVector keys;
        private final ColumnVector values;

        Entries(Source source) {
            super(source);
            offsets = source.buffer(1) + offset * 4;
            ColumnVector entries = Vectors.of(source.child(0, 0));
            keys = entries.getChild(0);
            values = entries.getChild(1);
        }

        @Override
        public ColumnarMap getMap(int row) {
            if (isNullAt(row)) {
                return null;
            }
            int start = Platform.getInt(null, offsets + row * 4L);
            return new ColumnarMap(keys, values, start, Platform.getInt(null, offsets + row * 4L + 4) - start);
        }
    }
}
