package io.bowshot.border;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Texts as they cross the border: each with its length in 4 bytes, little-endian, before it. Those with the same texts are equal. */
public final class Texts {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** Adds a text. */
    public Texts add(String text) {
        return add(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Adds bytes. */
    public Texts add(byte[] text) {
        byte[] length = ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(text.length)
                .array();
        bytes.writeBytes(length);
        bytes.writeBytes(text);
        return this;
    }

    /** Adds a number, as text. */
    public Texts add(long number) {
        return add(Long.toString(number));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Texts texts && Arrays.equals(toBytes(), texts.toBytes());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(toBytes());
    }

    /** Adds all texts of {@link #toBytes}. */
    public Texts addAll(byte[] texts) {
        bytes.writeBytes(texts);
        return this;
    }

    /** All texts as they cross the border. */
    public byte[] toBytes() {
        return bytes.toByteArray();
    }

    static List<byte[]> read(byte[] bytes) {
        ByteBuffer rest = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        List<byte[]> texts = new ArrayList<>();
        while (rest.hasRemaining()) {
            byte[] text = new byte[rest.getInt()];
            rest.get(text);
            texts.add(text);
        }
        return texts;
    }
}
