package io.bowshot.spark.write.columns;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;

/** Structs, arrays and maps. */
final class Nested {
    private Nested() {}

    static final class Struct extends ColumnBuilder {
        Struct(List<ColumnBuilder> children) {
            super(children);
        }

        @Override
        void put(SpecializedGetters row, int ordinal) {
            putFields(row.getStruct(ordinal, childCount()));
        }

        /** Appends the values of a row, which becomes a struct. */
        void putFields(InternalRow fields) {
            for (int i = 0; i < childCount(); i++) {
                child(i).append(fields, i);
            }
        }

        @Override
        void putEmpty() {
            for (int i = 0; i < childCount(); i++) {
                child(i).appendNull();
            }
        }

        @Override
        long[] buffers() {
            return new long[0];
        }

        @Override
        long valueBytes() {
            return 0;
        }

        @Override
        void resetValues() {
            // Its children have all of them.
        }

        @Override
        void freeValues() {
            // Its children have all of them.
        }
    }

    /** Arrays, and maps, whose child is the struct of their keys and values. */
    static final class Lists extends ColumnBuilder {
        private final Offsets offsets;
        private final boolean isMap;

        Lists(String column, ColumnBuilder child, boolean isMap) {
            super(List.of(child));
            offsets = new Offsets(column);
            this.isMap = isMap;
        }

        @Override
        void put(SpecializedGetters row, int ordinal) {
            if (isMap) {
                putMap(row.getMap(ordinal));
                return;
            }
            ArrayData array = row.getArray(ordinal);
            offsets.add(length(), array.numElements());
            for (int i = 0; i < array.numElements(); i++) {
                child(0).append(array, i);
            }
        }

        private void putMap(MapData map) {
            offsets.add(length(), map.numElements());
            ArrayData keys = map.keyArray();
            ArrayData values = map.valueArray();
            ColumnBuilder entries = child(0);
            for (int i = 0; i < map.numElements(); i++) {
                entries.child(0).append(keys, i);
                entries.child(1).append(values, i);
                entries.appended();
            }
        }

        @Override
        void putEmpty() {
            offsets.add(length(), 0);
        }

        @Override
        long[] buffers() {
            return new long[] {offsets.address()};
        }

        @Override
        long valueBytes() {
            return 4L * length();
        }

        @Override
        void resetValues() {
            offsets.reset(length());
        }

        @Override
        void freeValues() {
            offsets.free();
        }
    }
}
