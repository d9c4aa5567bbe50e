package io.bowshot.border;

import io.bowshot.BowshotException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a native function answered: a number and texts. */
public final class Answer {
    /** The bytes that a native function writes its answer to: whether it failed, a number, an address and a length. */
    private static final int BYTES = 32;

    private final long value;
    private final List<byte[]> texts;

    private Answer(long value, List<byte[]> texts) {
        this.value = value;
        this.texts = texts;
    }

    /** A native function: it writes its answer to an address. */
    @FunctionalInterface
    public interface Function {
        /** Calls it. */
        void call(long answer);
    }

    /** A native function that is asked with texts, by the address and the length of their bytes. */
    @FunctionalInterface
    public interface Request {
        /** Calls it. */
        void call(long answer, long request, long length);
    }

    /** The native function by which a library takes back the bytes of its answers. */
    @FunctionalInterface
    public interface Free {
        /** Calls it. */
        void call(long bytes, long length);
    }

    /**
     * What a function answers.
     *
     * @throws BowshotException what it failed with
     */
    public static Answer of(Free free, Function function) {
        long at = Memory.allocate(BYTES);
        try {
            function.call(at);
            long bytes = Memory.getLong(at + 16);
            long length = Memory.getLong(at + 24);
            List<byte[]> texts = List.of();
            if (length > 0) {
                texts = Texts.read(Memory.getBytes(bytes, Math.toIntExact(length)));
                free.call(bytes, length);
            }
            Answer answer = new Answer(Memory.getLong(at + 8), texts);
            if (Memory.getLong(at) != 0) {
                throw answer.error();
            }
            return answer;
        } finally {
            Memory.free(at);
        }
    }

    /**
     * What a function answers that is asked with texts.
     *
     * @throws BowshotException what it failed with
     */
    public static Answer of(Free free, Texts request, Request function) {
        byte[] bytes = request.toBytes();
        long at = Memory.allocate(bytes.length);
        try {
            Memory.putBytes(at, bytes);
            return of(free, answer -> function.call(answer, at, bytes.length));
        } finally {
            Memory.free(at);
        }
    }

    /** The number. */
    public long value() {
        return value;
    }

    /** How many texts there are. */
    public int size() {
        return texts.size();
    }

    /** The text at a place. */
    public String text(int place) {
        return new String(texts.get(place), StandardCharsets.UTF_8);
    }

    /** The bytes at a place. */
    public byte[] bytes(int place) {
        return texts.get(place);
    }

    /** The number that a text at a place is of. */
    public long number(int place) {
        return Long.parseLong(text(place));
    }

    private BowshotException error() {
        String message = text(2).isEmpty() ? text(1) : text(1) + "\n  " + text(2);
        return new BowshotException(BowshotException.Kind.valueOf(text(0)), message, text(3), text(4));
    }
}
