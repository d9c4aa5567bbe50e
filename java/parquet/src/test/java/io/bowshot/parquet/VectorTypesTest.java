package io.bowshot.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.*;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every vector of Arrow for Java, written and read by DuckDB: each cell's text, the type, and Arrow's memory afterwards. */
class VectorTypesTest {
    @TempDir
    Path folder;

    /** A vector's field, what fills it, and what DuckDB says of it: the type and the cells, as its own texts. */
    record Case(Field field, BiConsumer<FieldVector, Integer> fill, String type, String shown, List<String> cells) {
        @Override
        public String toString() {
            return field.toString();
        }
    }

    static Stream<Case> cases() {
        return Stream.concat(Stream.concat(numbers(), times()), Stream.concat(texts(), NestedCases.all()));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void arrivesCellByCell(Case one) {
        Path file = folder.resolve("a.parquet");
        try (BufferAllocator allocator = new RootAllocator();
                FieldVector vector = one.field().createVector(allocator)) {
            int rows = one.cells().size();
            vector.allocateNew();
            one.fill().accept(vector, rows);
            vector.setValueCount(rows);
            try (VectorSchemaRoot root = VectorSchemaRoot.of(vector)) {
                ParquetSummary summary = ArrowParquetWriter.write(root, file, ParquetWriterOptions.defaults());
                assertEquals(rows, summary.rows());
            }
        }
        assertEquals(one.cells(), Duck.column(file, "SELECT " + one.shown() + " FROM FILE"));
        assertEquals(one.type(), Duck.cell(file, "SELECT typeof(c) FROM FILE"));
    }

    private static Stream<Case> numbers() {
        return Stream.of(
                of(new ArrowType.Bool(), "BOOLEAN", List.of("true", "false"), (v, i) -> ((BitVector) v).set(i, 1 - i)),
                of(
                        integer(8, true),
                        "TINYINT",
                        List.of("-128", "127"),
                        (v, i) -> ((TinyIntVector) v).set(i, i == 0 ? -128 : 127)),
                of(
                        integer(16, true),
                        "SMALLINT",
                        List.of("-32768", "32767"),
                        (v, i) -> ((SmallIntVector) v).set(i, i == 0 ? -32768 : 32767)),
                of(
                        integer(32, true),
                        "INTEGER",
                        List.of("-2147483648", "2147483647"),
                        (v, i) -> ((IntVector) v).set(i, i == 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE)),
                of(
                        integer(64, true),
                        "BIGINT",
                        List.of("-9223372036854775808", "9223372036854775807"),
                        (v, i) -> ((BigIntVector) v).set(i, i == 0 ? Long.MIN_VALUE : Long.MAX_VALUE)),
                of(integer(8, false), "UTINYINT", List.of("0", "255"), (v, i) -> ((UInt1Vector) v).set(i, i * 255)),
                of(
                        integer(16, false),
                        "USMALLINT",
                        List.of("0", "65535"),
                        (v, i) -> ((UInt2Vector) v).set(i, i * 65535)),
                of(integer(32, false), "UINTEGER", List.of("0", "4294967295"), (v, i) -> ((UInt4Vector) v).set(i, -i)),
                of(
                        integer(64, false),
                        "UBIGINT",
                        List.of("0", "18446744073709551615"),
                        (v, i) -> ((UInt8Vector) v).set(i, -i)),
                of(
                        real(FloatingPointPrecision.HALF),
                        "FLOAT",
                        List.of("0.5", "-65504.0"),
                        (v, i) -> ((Float2Vector) v).setWithPossibleTruncate(i, i == 0 ? 0.5f : -65504f)),
                of(
                        real(FloatingPointPrecision.SINGLE),
                        "FLOAT",
                        List.of("1e-45", "nan"),
                        (v, i) -> ((Float4Vector) v).set(i, i == 0 ? Float.MIN_VALUE : Float.NaN)),
                of(
                        real(FloatingPointPrecision.DOUBLE),
                        "DOUBLE",
                        List.of("1.7976931348623157e+308", "-inf"),
                        (v, i) -> ((Float8Vector) v).set(i, i == 0 ? Double.MAX_VALUE : Double.NEGATIVE_INFINITY)),
                decimal(9, 2, 128, "1234567.89"),
                decimal(18, 0, 128, "-999999999999999999"),
                decimal(38, 38, 128, ".99999999999999999999999999999999999999"),
                decimal(38, 10, 256, "-9999999999999999999999999999.9999999999"));
    }

    private static Stream<Case> times() {
        return Stream.of(
                of(
                        new ArrowType.Date(DateUnit.DAY),
                        "DATE",
                        List.of("1969-12-31", "2024-02-29"),
                        (v, i) -> ((DateDayVector) v).set(i, i == 0 ? -1 : 19782)),
                of(
                        new ArrowType.Date(DateUnit.MILLISECOND),
                        "DATE",
                        List.of("1969-12-31", "2024-02-29"),
                        (v, i) -> ((DateMilliVector) v).set(i, (i == 0 ? -1 : 19782) * 86_400_000L)),
                of(
                        time(TimeUnit.SECOND, 32),
                        "TIME",
                        List.of("00:00:00", "23:59:59"),
                        (v, i) -> ((TimeSecVector) v).set(i, i * 86_399)),
                of(
                        time(TimeUnit.MILLISECOND, 32),
                        "TIME",
                        List.of("00:00:00", "23:59:59.999"),
                        (v, i) -> ((TimeMilliVector) v).set(i, i * 86_399_999)),
                of(
                        time(TimeUnit.MICROSECOND, 64),
                        "TIME",
                        List.of("00:00:00", "23:59:59.999999"),
                        (v, i) -> ((TimeMicroVector) v).set(i, i * 86_399_999_999L)),
                of(
                        time(TimeUnit.NANOSECOND, 64),
                        "TIME",
                        List.of("00:00:00", "23:59:59.999999"),
                        (v, i) -> ((TimeNanoVector) v).set(i, i * 86_399_999_999_000L)),
                of(
                        stamp(TimeUnit.SECOND, null),
                        "TIMESTAMP",
                        List.of("1969-12-31 23:59:59", "9999-12-31 23:59:59"),
                        (v, i) -> ((TimeStampSecVector) v).set(i, i == 0 ? -1 : 253_402_300_799L)),
                of(
                        stamp(TimeUnit.MILLISECOND, null),
                        "TIMESTAMP",
                        List.of("1969-12-31 23:59:59.999", "9999-12-31 23:59:59.999"),
                        (v, i) -> ((TimeStampMilliVector) v).set(i, i == 0 ? -1 : 253_402_300_799_999L)),
                of(
                        stamp(TimeUnit.MICROSECOND, null),
                        "TIMESTAMP",
                        List.of("1969-12-31 23:59:59.999999", "9999-12-31 23:59:59.999999"),
                        (v, i) -> ((TimeStampMicroVector) v).set(i, i == 0 ? -1 : 253_402_300_799_999_999L)),
                of(
                        stamp(TimeUnit.NANOSECOND, null),
                        "TIMESTAMP_NS",
                        List.of("1969-12-31 23:59:59.999999999", "2262-04-11 23:47:16.854775806"),
                        (v, i) -> ((TimeStampNanoVector) v).set(i, i == 0 ? -1 : Long.MAX_VALUE - 1)),
                zoned(
                        TimeUnit.SECOND,
                        List.of("-1000000", "1000000"),
                        (v, i) -> ((TimeStampSecTZVector) v).set(i, 2 * i - 1)),
                zoned(
                        TimeUnit.MILLISECOND,
                        List.of("-1000", "1000"),
                        (v, i) -> ((TimeStampMilliTZVector) v).set(i, 2 * i - 1)),
                zoned(
                        TimeUnit.MICROSECOND,
                        List.of("-1", "1"),
                        (v, i) -> ((TimeStampMicroTZVector) v).set(i, 2 * i - 1)),
                zoned(
                        TimeUnit.NANOSECOND,
                        List.of("-1", "1"),
                        (v, i) -> ((TimeStampNanoTZVector) v).set(i, (2 * i - 1) * 1000)),
                duration(TimeUnit.SECOND),
                duration(TimeUnit.MILLISECOND),
                duration(TimeUnit.MICROSECOND),
                duration(TimeUnit.NANOSECOND),
                of(
                        new ArrowType.Interval(IntervalUnit.YEAR_MONTH),
                        "INTERVAL",
                        List.of("1 year 2 months", "00:00:00"),
                        (v, i) -> ((IntervalYearVector) v).set(i, 14 - 14 * i)),
                of(
                        new ArrowType.Interval(IntervalUnit.DAY_TIME),
                        "INTERVAL",
                        List.of("3 days 00:00:04.005", "00:00:00"),
                        (v, i) -> ((IntervalDayVector) v).set(i, 3 - 3 * i, 4005 - 4005 * i)),
                of(
                        new ArrowType.Interval(IntervalUnit.MONTH_DAY_NANO),
                        "INTERVAL",
                        List.of("1 month 2 days 00:00:03", "1 month 2 days 00:00:00.001"),
                        (v, i) -> ((IntervalMonthDayNanoVector) v).set(i, 1, 2, i == 0 ? 3_000_000_000L : 1_000_000L)));
    }

    private static Stream<Case> texts() {
        List<String> texts = List.of("", "ünï 🏹, and longer than twelve bytes");
        List<String> shown = List.of("", "\\x00\\xFF and longer than twelve bytes");
        return Stream.of(
                of(
                        new ArrowType.Utf8(),
                        "VARCHAR",
                        texts,
                        (v, i) -> ((VarCharVector) v).setSafe(i, bytes(texts.get(i)))),
                of(
                        new ArrowType.LargeUtf8(),
                        "VARCHAR",
                        texts,
                        (v, i) -> ((LargeVarCharVector) v).setSafe(i, bytes(texts.get(i)))),
                of(
                        new ArrowType.Utf8View(),
                        "VARCHAR",
                        texts,
                        (v, i) -> ((ViewVarCharVector) v).setSafe(i, bytes(texts.get(i)))),
                of(new ArrowType.Binary(), "BLOB", shown, (v, i) -> ((VarBinaryVector) v).setSafe(i, blob(i))),
                of(
                        new ArrowType.LargeBinary(),
                        "BLOB",
                        shown,
                        (v, i) -> ((LargeVarBinaryVector) v).setSafe(i, blob(i))),
                of(new ArrowType.BinaryView(), "BLOB", shown, (v, i) -> ((ViewVarBinaryVector) v).setSafe(i, blob(i))),
                of(
                        new ArrowType.FixedSizeBinary(2),
                        "BLOB",
                        List.of("\\x00\\xFF", "ab"),
                        (v, i) -> ((FixedSizeBinaryVector) v).set(i, i == 0 ? new byte[] {0, -1} : bytes("ab"))),
                new Case(
                        new Field(
                                "c",
                                new FieldType(
                                        true,
                                        new ArrowType.FixedSizeBinary(16),
                                        null,
                                        Map.of("ARROW:extension:name", "arrow.uuid", "ARROW:extension:metadata", "")),
                                null),
                        (v, rows) -> ((FixedSizeBinaryVector) v)
                                .set(0, new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}),
                        "UUID",
                        "c::VARCHAR",
                        Arrays.asList("00010203-0405-0607-0809-0a0b0c0d0e0f", null)),
                new Case(
                        Field.nullable("c", new ArrowType.Null()),
                        (v, rows) -> {},
                        "\"NULL\"",
                        "c::VARCHAR",
                        Arrays.asList(null, null)));
    }

    /** Two values and a NULL. */
    private static Case of(ArrowType type, String duck, List<String> cells, BiConsumer<FieldVector, Integer> set) {
        return of(type, duck, "c::VARCHAR", cells, set);
    }

    private static Case of(
            ArrowType type, String duck, String shown, List<String> cells, BiConsumer<FieldVector, Integer> set) {
        BiConsumer<FieldVector, Integer> fill = (vector, rows) -> {
            set.accept(vector, 0);
            set.accept(vector, 1);
        };
        List<String> all = Arrays.asList(cells.get(0), cells.get(1), null);
        return new Case(Field.nullable("c", type), fill, duck, shown, all);
    }

    private static Case decimal(int precision, int scale, int width, String value) {
        // DuckDB leaves out a zero that is no digit of the type.
        String zero = new BigDecimal("0").setScale(scale).toPlainString().substring(scale == precision ? 1 : 0);
        ArrowType type = new ArrowType.Decimal(precision, scale, width);
        String duck = "DECIMAL(" + precision + "," + scale + ")";
        return of(type, duck, List.of(value, zero), (vector, i) -> {
            BigDecimal set = new BigDecimal(i == 0 ? value : zero);
            if (vector instanceof Decimal256Vector wide) {
                wide.setSafe(i, set);
            } else {
                ((DecimalVector) vector).setSafe(i, set);
            }
        });
    }

    private static Case zoned(TimeUnit unit, List<String> micros, BiConsumer<FieldVector, Integer> set) {
        return of(stamp(unit, "Europe/Berlin"), "TIMESTAMP WITH TIME ZONE", "epoch_us(c)::VARCHAR", micros, set);
    }

    /** Parquet has no durations: other readers see the number. */
    private static Case duration(TimeUnit unit) {
        return of(
                new ArrowType.Duration(unit),
                "BIGINT",
                List.of("-5", "7"),
                (v, i) -> ((DurationVector) v).set(i, i == 0 ? -5 : 7));
    }

    static ArrowType integer(int bits, boolean signed) {
        return new ArrowType.Int(bits, signed);
    }

    private static ArrowType real(FloatingPointPrecision precision) {
        return new ArrowType.FloatingPoint(precision);
    }

    private static ArrowType time(TimeUnit unit, int bits) {
        return new ArrowType.Time(unit, bits);
    }

    static ArrowType stamp(TimeUnit unit, String zone) {
        return new ArrowType.Timestamp(unit, zone);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] blob(int i) {
        byte[] blob = bytes("__ and longer than twelve bytes");
        blob[0] = 0;
        blob[1] = -1;
        return i == 0 ? new byte[0] : blob;
    }
}
