package io.bowshot.spark;

import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;

/** What a task reads: mostly one ticket. */
final class Tickets implements InputPartition {
    private static final long serialVersionUID = 1L;

    private final byte[][] tickets;

    Tickets(List<byte[]> tickets) {
        this.tickets = tickets.toArray(byte[][]::new);
    }

    int count() {
        return tickets.length;
    }

    byte[] get(int place) {
        return tickets[place];
    }
}
