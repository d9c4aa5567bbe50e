package io.bowshot.spark.vectors;

import io.bowshot.spark.Column;
import org.apache.spark.unsafe.Platform;

/**
 * Where a vector reads: an ArrowArray of the C Data Interface.
 *
 * @param column what it holds
 * @param array its address
 * @param shift how many values of the arrays around it come before its own first one
 * @param owner what the memory lives as long as
 */
record Source(Column column, long array, long shift, Object owner) {
    /** The address of a buffer. */
    long buffer(int place) {
        return Platform.getLong(null, Platform.getLong(null, array + 40) + 8L * place);
    }

    /** How many values there are. */
    long length() {
        return Platform.getLong(null, array);
    }

    /** A column inside. */
    Source child(int place, long shift) {
        long child = Platform.getLong(null, Platform.getLong(null, array + 48) + 8L * place);
        return new Source(column.children().get(place), child, shift, owner);
    }

    /** The values of which the column's are numbers. */
    Source dictionary() {
        return new Source(column.dictionary(), Platform.getLong(null, array + 56), 0, owner);
    }
}
