package io.bowshot.spark.vectors;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** Texts and bytes. A text points into the batch; bytes are copied, since they are an array to Spark. */
final class Bytes {
    private Bytes() {}

    abstract static class Values extends ArrowVector {
        Values(Source source) {
            super(source);
        }

        abstract long start(int row);

        abstract int length(int row);

        @Override
        public UTF8String getUTF8String(int row) {
            return isNullAt(row) ? null : UTF8String.fromAddress(null, start(row), length(row));
        }

        @Override
        public byte[] getBinary(int row) {
            if (isNullAt(row)) {
                return null;
            }
            byte[] bytes = new byte[length(row)];
            Platform.copyMemory(null, start(row), bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length);
            return bytes;
        }
    }

    /** With offsets of 4 bytes. */
    static final class Small extends Values {
        private final long offsets;
        private final long bytes;

        Small(Source source) {
            super(source);
            offsets = source.buffer(1) + offset * 4;
            bytes = source.buffer(2);
        }

        @Override
        long start(int row) {
            return bytes + Platform.getInt(null, offsets + row * 4L);
        }

        @Override
        int length(int row) {
            return Platform.getInt(null, offsets + row * 4L + 4) - Platform.getInt(null, offsets + row * 4L);
        }
    }

    /** With offsets of 8 bytes. */
    static final class Large extends Values {
        private final long offsets;
        private final long bytes;

        Large(Source source) {
            super(source);
            offsets = source.buffer(1) + offset * 8;
            bytes = source.buffer(2);
        }

        @Override
        long start(int row) {
            return bytes + Platform.getLong(null, offsets + row * 8L);
        }

        @Override
        int length(int row) {
            long length = Platform.getLong(null, offsets + row * 8L + 8) - Platform.getLong(null, offsets + row * 8L);
            return Math.toIntExact(length);
        }
    }

    /** With 16 bytes a value, which hold it where it has at most 12, and else say where it is. */
    static final class Views extends Values {
        private static final int INLINE = 12;
        private final Source source;
        private final long views;

        Views(Source source) {
            super(source);
            this.source = source;
            views = source.buffer(1) + offset * 16;
        }

        @Override
        int length(int row) {
            return Platform.getInt(null, views + row * 16L);
        }

        @Override
        long start(int row) {
            long view = views + row * 16L;
            if (length(row) <= INLINE) {
                return view + 4;
            }
            return source.buffer(2 + Platform.getInt(null, view + 8)) + Platform.getInt(null, view + 12);
        }
    }

    /** All of one length. */
    static final class Fixed extends Values {
        private final int width;
        private final long bytes;

        Fixed(Source source) {
            super(source);
            width = Integer.parseInt(source.column().format().substring(2));
            bytes = source.buffer(1) + offset * width;
        }

        @Override
        int length(int row) {
            return width;
        }

        @Override
        long start(int row) {
            return bytes + (long) row * width;
        }
    }
}
