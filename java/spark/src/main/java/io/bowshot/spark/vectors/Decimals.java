package io.bowshot.spark.vectors;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.unsafe.Platform;

/** Decimal numbers; those of at most 18 digits are a long to Spark, and no object is made of their digits. */
final class Decimals {
    private Decimals() {}

    abstract static class Digits extends Numbers.Wide {
        private final int scale;
        private final DecimalType decimal;

        Digits(Source source, int width, int scale) {
            super(source, width);
            this.scale = scale;
            decimal = (DecimalType) type;
        }

        /** The value without its point, where it fits. */
        abstract long small(int row);

        /** The value without its point. */
        BigInteger large(int row) {
            return BigInteger.valueOf(small(row));
        }

        @Override
        public Decimal getDecimal(int row, int precision, int scale) {
            if (isNullAt(row)) {
                return null;
            }
            if (precision <= Decimal.MAX_LONG_DIGITS() && this.scale == scale) {
                return Decimal.createUnsafe(small(row), precision, scale);
            }
            BigDecimal value = new BigDecimal(large(row), this.scale);
            BigDecimal exact = fitted(value);
            return Decimal.apply(exact, precision, scale);
        }

        private BigDecimal fitted(BigDecimal value) {
            BigDecimal plain = value.scale() == decimal.scale() ? value : rescaled(value);
            if (plain.precision() > decimal.precision()) {
                throw misfit(value, "has more digits than Spark's " + decimal.simpleString());
            }
            return plain;
        }

        private BigDecimal rescaled(BigDecimal value) {
            try {
                return value.setScale(decimal.scale());
            } catch (ArithmeticException error) {
                throw misfit(
                        value.stripTrailingZeros().toPlainString(),
                        "Spark's " + decimal.simpleString() + " would round");
            }
        }
    }

    static final class Int32 extends Digits {
        Int32(Source source, int scale) {
            super(source, 4, scale);
        }

        @Override
        long small(int row) {
            return Platform.getInt(null, values + row * 4L);
        }
    }

    static final class Int64 extends Digits {
        Int64(Source source, int scale) {
            super(source, 8, scale);
        }

        @Override
        long small(int row) {
            return Platform.getLong(null, values + row * 8L);
        }
    }

    static final class Int128 extends Digits {
        Int128(Source source, int scale) {
            super(source, 16, scale);
        }

        @Override
        long small(int row) {
            return Platform.getLong(null, values + row * 16L);
        }

        @Override
        BigInteger large(int row) {
            long low = small(row);
            long high = Platform.getLong(null, values + row * 16L + 8);
            return high == low >> 63 ? BigInteger.valueOf(low) : bytes(values + row * 16L, 16);
        }
    }

    static final class Int256 extends Digits {
        Int256(Source source, int scale) {
            super(source, 32, scale);
        }

        @Override
        long small(int row) {
            return Platform.getLong(null, values + row * 32L);
        }

        @Override
        BigInteger large(int row) {
            return bytes(values + row * 32L, 32);
        }
    }

    /** Unsigned numbers of 64 bits. */
    static final class UInt64 extends Numbers.Wide {
        UInt64(Source source) {
            super(source, 8);
        }

        @Override
        public Decimal getDecimal(int row, int precision, int scale) {
            if (isNullAt(row)) {
                return null;
            }
            long value = Platform.getLong(null, values + row * 8L);
            BigDecimal number = value >= 0 ? BigDecimal.valueOf(value) : new BigDecimal(Long.toUnsignedString(value));
            return Decimal.apply(number, precision, scale);
        }
    }

    /** A number of many bytes, the lowest first. */
    private static BigInteger bytes(long at, int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = Platform.getByte(null, at + count - 1 - i);
        }
        return new BigInteger(bytes);
    }
}
