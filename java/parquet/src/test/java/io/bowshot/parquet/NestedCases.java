package io.bowshot.parquet;

import static io.bowshot.parquet.VectorTypesTest.bytes;
import static io.bowshot.parquet.VectorTypesTest.integer;
import static io.bowshot.parquet.VectorTypesTest.stamp;

import io.bowshot.parquet.VectorTypesTest.Case;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.arrow.vector.*;
import org.apache.arrow.vector.complex.*;
import org.apache.arrow.vector.complex.impl.UnionListWriter;
import org.apache.arrow.vector.complex.impl.UnionMapWriter;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/** Lists of every kind, structs, maps and runs, with NULLs at each depth. */
final class NestedCases {
    private NestedCases() {}

    /** The cases. */
    static Stream<Case> all() {
        Field item = Field.nullable("item", integer(32, true));
        List<String> lists = Arrays.asList("[1, NULL]", null, "[]", "[2]");
        Field entry = new Field(
                "entries",
                FieldType.notNullable(new ArrowType.Struct()),
                List.of(Field.notNullable("key", new ArrowType.Utf8()), Field.nullable("value", integer(32, true))));
        Field runs = new Field(
                "c",
                FieldType.notNullable(new ArrowType.RunEndEncoded()),
                List.of(
                        Field.notNullable("run_ends", integer(32, true)),
                        Field.nullable("values", new ArrowType.Utf8())));
        return Stream.of(
                new Case(
                        around(new ArrowType.List(), item),
                        (v, rows) -> fill(((ListVector) v).getWriter()),
                        "INTEGER[]",
                        "c::VARCHAR",
                        lists),
                new Case(
                        around(new ArrowType.LargeList(), item),
                        (v, rows) -> fill((LargeListVector) v),
                        "INTEGER[]",
                        "c::VARCHAR",
                        lists),
                new Case(
                        around(new ArrowType.ListView(), item),
                        (v, rows) -> fill((ListViewVector) v),
                        "INTEGER[]",
                        "c::VARCHAR",
                        lists),
                new Case(
                        around(new ArrowType.LargeListView(), item),
                        (v, rows) -> fill((LargeListViewVector) v),
                        "INTEGER[]",
                        "c::VARCHAR",
                        lists),
                new Case(
                        around(new ArrowType.FixedSizeList(2), item),
                        (v, rows) -> fill((FixedSizeListVector) v),
                        "INTEGER[]",
                        "c::VARCHAR",
                        Arrays.asList("[1, NULL]", null, "[3, 4]")),
                new Case(
                        around(new ArrowType.Struct(), item, Field.nullable("t", stamp(TimeUnit.SECOND, null))),
                        (v, rows) -> fill((StructVector) v),
                        "STRUCT(item INTEGER, t TIMESTAMP)",
                        "c::VARCHAR",
                        Arrays.asList("{'item': 1, 't': NULL}", null, "{'item': NULL, 't': '1970-01-01 00:00:01'}")),
                new Case(
                        around(new ArrowType.Map(false), entry),
                        (v, rows) -> fill(((MapVector) v).getWriter()),
                        "MAP(VARCHAR, INTEGER)",
                        "c::VARCHAR",
                        Arrays.asList("{a=1, b=NULL}", null, "{}")),
                new Case(
                        runs,
                        (v, rows) -> fill((RunEndEncodedVector) v),
                        "VARCHAR",
                        "c::VARCHAR",
                        Arrays.asList("x", "x", null)));
    }

    private static void fill(UnionListWriter writer) {
        writer.setPosition(0);
        writer.startList();
        writer.writeInt(1);
        writer.writeNull();
        writer.endList();
        writer.setPosition(1);
        writer.writeNull();
        writer.setPosition(2);
        writer.startList();
        writer.endList();
        writer.setPosition(3);
        writer.startList();
        writer.writeInt(2);
        writer.endList();
    }

    private static void items(FieldVector items) {
        IntVector numbers = (IntVector) items;
        numbers.setSafe(0, 1);
        numbers.setNull(1);
        numbers.setSafe(2, 2);
        numbers.setValueCount(3);
    }

    private static void fill(LargeListVector list) {
        for (int row = 0; row < 4; row++) {
            int items = row == 0 ? 2 : row == 3 ? 1 : 0;
            if (row == 1) {
                list.setNull(row);
                continue;
            }
            list.startNewValue(row);
            list.endValue(row, items);
        }
        items(list.getDataVector());
    }

    private static void fill(ListViewVector list) {
        for (int row = 0; row < 4; row++) {
            if (row == 1) {
                list.setNull(row);
                continue;
            }
            list.startNewValue(row);
            list.endValue(row, row == 0 ? 2 : row == 3 ? 1 : 0);
        }
        items(list.getDataVector());
    }

    private static void fill(LargeListViewVector list) {
        for (int row = 0; row < 4; row++) {
            if (row == 1) {
                list.setNull(row);
                continue;
            }
            list.startNewValue(row);
            list.endValue(row, row == 0 ? 2 : row == 3 ? 1 : 0);
        }
        items(list.getDataVector());
    }

    private static void fill(FixedSizeListVector list) {
        list.startNewValue(0);
        list.setNull(1);
        list.startNewValue(2);
        IntVector numbers = (IntVector) list.getDataVector();
        numbers.setSafe(0, 1);
        numbers.setNull(1);
        // Below a NULL.
        numbers.setSafe(2, 7);
        numbers.setSafe(3, 7);
        numbers.setSafe(4, 3);
        numbers.setSafe(5, 4);
        numbers.setValueCount(6);
    }

    private static void fill(StructVector rows) {
        IntVector items = (IntVector) rows.getChild("item");
        TimeStampSecVector times = (TimeStampSecVector) rows.getChild("t");
        rows.setIndexDefined(0);
        items.setSafe(0, 1);
        rows.setNull(1);
        // No timestamp of Parquet's, but below a NULL.
        times.setSafe(1, Long.MAX_VALUE);
        rows.setIndexDefined(2);
        times.setSafe(2, 1);
        items.setValueCount(3);
        times.setValueCount(3);
    }

    private static void fill(UnionMapWriter writer) {
        writer.setPosition(0);
        writer.startMap();
        writer.startEntry();
        writer.key().varChar().writeVarChar("a");
        writer.value().integer().writeInt(1);
        writer.endEntry();
        writer.startEntry();
        writer.key().varChar().writeVarChar("b");
        writer.endEntry();
        writer.endMap();
        writer.setPosition(1);
        writer.writeNull();
        writer.setPosition(2);
        writer.startMap();
        writer.endMap();
    }

    private static void fill(RunEndEncodedVector runs) {
        IntVector ends = (IntVector) runs.getRunEndsVector();
        VarCharVector values = (VarCharVector) runs.getValuesVector();
        ends.setSafe(0, 2);
        ends.setSafe(1, 3);
        ends.setValueCount(2);
        values.setSafe(0, bytes("x"));
        values.setNull(1);
        values.setValueCount(2);
    }

    private static Field around(ArrowType type, Field... children) {
        return new Field("c", FieldType.nullable(type), List.of(children));
    }
}
