package io.bowshot.spark;

import java.io.ObjectStreamException;
import java.io.Serializable;
import org.apache.spark.sql.connector.read.InputPartition;

/** A partition on the driver; what is sent to an executor are its {@linkplain Tickets tickets}. */
final class PlannedPartition implements InputPartition {
    private static final long serialVersionUID = 1L;

    private final transient PlannedRead read;
    private final int index;

    PlannedPartition(PlannedRead read, int index) {
        this.read = read;
        this.index = index;
    }

    private Object writeReplace() throws ObjectStreamException {
        Serializable tickets = read.tickets(index);
        return tickets;
    }
}
