package io.bowshot.spark.write.columns;

import org.apache.spark.unsafe.Platform;

/** Memory outside of the heap that grows; what it holds is zero until it is written. */
final class Growing {
    private static final long LEAST = 1024;
    private static final long LARGE = 32 << 20;

    private long address = Platform.allocateMemory(LEAST);
    private long capacity = LEAST;

    Growing() {
        Platform.setMemory(address, (byte) 0, capacity);
    }

    /** Its address, at which there is room for this many bytes. */
    long reserve(long bytes) {
        if (bytes > capacity) {
            long grown = Math.max(bytes, capacity * 2);
            address = Platform.reallocateMemory(address, capacity, grown);
            Platform.setMemory(address + capacity, (byte) 0, grown - capacity);
            capacity = grown;
        }
        return address;
    }

    long address() {
        return address;
    }

    /** Makes the bytes that were used zero again; memory that one large batch took is given back. */
    void reset(long used) {
        if (capacity > LARGE) {
            free();
            address = Platform.allocateMemory(LEAST);
            capacity = LEAST;
            Platform.setMemory(address, (byte) 0, capacity);
        } else {
            Platform.setMemory(address, (byte) 0, Math.min(used, capacity));
        }
    }

    void free() {
        Platform.freeMemory(address);
    }
}
