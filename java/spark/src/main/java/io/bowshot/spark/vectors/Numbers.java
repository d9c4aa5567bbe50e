package io.bowshot.spark.vectors;

import org.apache.spark.unsafe.Platform;

/** Numbers of a fixed width; unsigned ones are in the next wider type. */
final class Numbers {
    private Numbers() {}

    static final class Bits extends ArrowVector {
        private final long values;

        Bits(Source source) {
            super(source);
            values = source.buffer(1);
        }

        @Override
        public boolean getBoolean(int row) {
            long bit = offset + row;
            return (Platform.getByte(null, values + (bit >> 3)) >> (bit & 7) & 1) != 0;
        }
    }

    /** Values of 1, 2, 4 or 8 bytes. */
    abstract static class Wide extends ArrowVector {
        /** The address of the first value. */
        final long values;

        Wide(Source source, int width) {
            super(source);
            values = source.buffer(1) + offset * width;
        }
    }

    static final class Int8 extends Wide {
        Int8(Source source) {
            super(source, 1);
        }

        @Override
        public byte getByte(int row) {
            return Platform.getByte(null, values + row);
        }
    }

    static final class UInt8 extends Wide {
        UInt8(Source source) {
            super(source, 1);
        }

        @Override
        public short getShort(int row) {
            return (short) (Platform.getByte(null, values + row) & 0xff);
        }
    }

    static final class Int16 extends Wide {
        Int16(Source source) {
            super(source, 2);
        }

        @Override
        public short getShort(int row) {
            return Platform.getShort(null, values + row * 2L);
        }
    }

    static final class UInt16 extends Wide {
        UInt16(Source source) {
            super(source, 2);
        }

        @Override
        public int getInt(int row) {
            return Platform.getShort(null, values + row * 2L) & 0xffff;
        }
    }

    /** Also days since 1970, and months. */
    static final class Int32 extends Wide {
        Int32(Source source) {
            super(source, 4);
        }

        @Override
        public int getInt(int row) {
            return Platform.getInt(null, values + row * 4L);
        }
    }

    static final class UInt32 extends Wide {
        UInt32(Source source) {
            super(source, 4);
        }

        @Override
        public long getLong(int row) {
            return Platform.getInt(null, values + row * 4L) & 0xffff_ffffL;
        }
    }

    /** Also microseconds. */
    static final class Int64 extends Wide {
        Int64(Source source) {
            super(source, 8);
        }

        @Override
        public long getLong(int row) {
            return Platform.getLong(null, values + row * 8L);
        }
    }

    static final class Float16 extends Wide {
        Float16(Source source) {
            super(source, 2);
        }

        @Override
        public float getFloat(int row) {
            return widened(Platform.getShort(null, values + row * 2L));
        }

        /** IEEE 754's binary16 as binary32, which holds all of its values. */
        private static float widened(short half) {
            int sign = (half & 0x8000) << 16;
            int exponent = half >> 10 & 0x1f;
            int fraction = half & 0x3ff;
            if (exponent == 0x1f) {
                return Float.intBitsToFloat(sign | 0x7f80_0000 | fraction << 13);
            }
            if (exponent == 0) {
                float small = fraction * 0x1p-24f;
                return sign == 0 ? small : -small;
            }
            return Float.intBitsToFloat(sign | exponent + 112 << 23 | fraction << 13);
        }
    }

    static final class Float32 extends Wide {
        Float32(Source source) {
            super(source, 4);
        }

        @Override
        public float getFloat(int row) {
            return Platform.getFloat(null, values + row * 4L);
        }
    }

    static final class Float64 extends Wide {
        Float64(Source source) {
            super(source, 8);
        }

        @Override
        public double getDouble(int row) {
            return Platform.getDouble(null, values + row * 8L);
        }
    }
}
