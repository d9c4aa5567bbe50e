package io.bowshot.border;

import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** Memory outside of the heap, by its address. */
public final class Memory {
    private static final Unsafe UNSAFE = unsafe();

    private Memory() {}

    /** An address with this many bytes of zeros behind it. */
    public static long allocate(long bytes) {
        long address = UNSAFE.allocateMemory(Math.max(bytes, 1));
        UNSAFE.setMemory(address, bytes, (byte) 0);
        return address;
    }

    /** Gives the memory of {@link #allocate} back. */
    public static void free(long address) {
        UNSAFE.freeMemory(address);
    }

    /** The number at an address, also where another thread wrote it. */
    public static long getLong(long address) {
        return UNSAFE.getLongVolatile(null, address);
    }

    /** Writes a number to an address. */
    public static void putLong(long address, long number) {
        UNSAFE.putLongVolatile(null, address, number);
    }

    /** The bytes at an address. */
    public static byte[] getBytes(long address, int length) {
        byte[] bytes = new byte[length];
        UNSAFE.copyMemory(null, address, bytes, Unsafe.ARRAY_BYTE_BASE_OFFSET, length);
        return bytes;
    }

    /** Writes bytes to an address. */
    public static void putBytes(long address, byte[] bytes) {
        UNSAFE.copyMemory(bytes, Unsafe.ARRAY_BYTE_BASE_OFFSET, null, address, bytes.length);
    }

    private static Unsafe unsafe() {
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException error) {
            throw new ExceptionInInitializerError(error);
        }
    }
}
