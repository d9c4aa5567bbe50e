package io.bowshot.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What DBeaver, Tableau and others ask of the stock JDBC driver before they show anything. */
class JdbcMetadataTest {
    private Connection connection;
    private DatabaseMetaData metadata;

    @BeforeEach
    void connect() throws SQLException {
        connection = Served.get().gateway("");
        metadata = connection.getMetaData();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    /** The values of one column of an answer. */
    private static List<String> column(ResultSet answer, String name) throws SQLException {
        try (answer) {
            List<String> found = new ArrayList<>();
            while (answer.next()) {
                found.add(answer.getString(name));
            }
            return found;
        }
    }

    @Test
    void catalogsSchemasAndKindsAreListed() throws SQLException {
        assertEquals(List.of("bowshot", "shop"), column(metadata.getCatalogs(), "TABLE_CAT"));
        assertTrue(column(metadata.getSchemas(), "TABLE_SCHEM").containsAll(List.of("bowshot", "empty", "store")));
        assertEquals(List.of("store"), column(metadata.getSchemas("shop", "sto%"), "TABLE_SCHEM"));
        assertTrue(column(metadata.getTableTypes(), "TABLE_TYPE").containsAll(List.of("TABLE", "VIEW")));
    }

    @Test
    void tablesAreListedByPatternAndKind() throws SQLException {
        assertEquals(
                List.of("cheap", "customers", "orders"),
                column(metadata.getTables(null, "store", "%", null), "TABLE_NAME"));
        assertEquals(
                List.of("cheap"),
                column(metadata.getTables("shop", "store", null, new String[] {"VIEW"}), "TABLE_NAME"));
        assertEquals(List.of(), column(metadata.getTables(null, "store", "nobody", null), "TABLE_NAME"));
        assertEquals(List.of("queries"), column(metadata.getTables(null, "bowshot", null, null), "TABLE_NAME"));
        assertEquals(List.of(), column(metadata.getTables(null, "empty", null, null), "TABLE_NAME"));
    }

    @Test
    void columnsHaveTheirTypes() throws SQLException {
        try (ResultSet columns = metadata.getColumns(null, "store", "orders", "%")) {
            List<String> found = new ArrayList<>();
            while (columns.next()) {
                found.add(columns.getString("COLUMN_NAME") + " " + columns.getString("TYPE_NAME") + " "
                        + columns.getString("IS_NULLABLE"));
            }
            assertEquals(11, found.size());
            assertTrue(found.contains("id bigint NO"), found.toString());
            assertTrue(found.contains("price numeric YES"), found.toString());
            assertTrue(found.contains("note text YES"), found.toString());
        }
        assertEquals(List.of("photo"), column(metadata.getColumns(null, "store", "orders", "ph%"), "COLUMN_NAME"));
    }

    @Test
    void theColumnsOfAResultSayWhereTheyComeFrom() throws SQLException {
        String sql =
                "SELECT o.id, o.price, c.name, o.price * 2 AS twice FROM orders o JOIN customers c ON c.id = o.customer";
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            for (ResultSetMetaData columns : List.of(statement.getMetaData(), rows.getMetaData())) {
                List<String> found = new ArrayList<>();
                for (int column = 1; column <= columns.getColumnCount(); column++) {
                    found.add(String.join(
                            ".",
                            columns.getCatalogName(column),
                            columns.getSchemaName(column),
                            columns.getTableName(column),
                            columns.getColumnName(column)));
                    assertTrue(columns.isReadOnly(column) && !columns.isWritable(column));
                }
                assertEquals(
                        List.of(
                                "shop.store.orders.id",
                                "shop.store.orders.price",
                                "shop.store.customers.name",
                                "null.null.null.twice"),
                        found);
                assertEquals(19, columns.getPrecision(1));
                assertEquals(12, columns.getPrecision(2));
                assertEquals(2, columns.getScale(2));
            }
        }
    }

    @Test
    void keysAreTold() throws SQLException {
        assertEquals(List.of("id"), column(metadata.getPrimaryKeys(null, "store", "orders"), "COLUMN_NAME"));
        assertEquals(List.of("customers"), column(metadata.getImportedKeys(null, "store", "orders"), "PKTABLE_NAME"));
        assertEquals(
                List.of("customer"), column(metadata.getExportedKeys(null, "store", "customers"), "FKCOLUMN_NAME"));
        assertEquals(
                List.of("orders"),
                column(
                        metadata.getCrossReference(null, "store", "customers", null, "store", "orders"),
                        "FKTABLE_NAME"));
    }

    @Test
    void theServerSaysWhoItIs() throws SQLException {
        assertEquals("Bowshot", metadata.getDatabaseProductName());
        assertNotNull(metadata.getDatabaseProductVersion());
        assertEquals("\"", metadata.getIdentifierQuoteString());
        assertTrue(metadata.isReadOnly());
        assertTrue(connection.isReadOnly());
        assertFalse(metadata.supportsTransactions());
    }

    /** Tableau and DBeaver ask for nearly all of these; a missing code used to be a NullPointerException. */
    @Test
    void everyQuestionWithoutArgumentsHasAnAnswer() throws IllegalAccessException {
        List<String> failed = new ArrayList<>();
        int asked = 0;
        for (Method method : DatabaseMetaData.class.getMethods()) {
            if (method.getParameterCount() > 0 || method.getDeclaringClass() != DatabaseMetaData.class) {
                continue;
            }
            asked++;
            try {
                Object answer = method.invoke(metadata);
                if (answer instanceof ResultSet rows) {
                    rows.close();
                }
            } catch (InvocationTargetException error) {
                failed.add(method.getName() + ": " + error.getCause());
            } catch (SQLException error) {
                failed.add(method.getName() + ": " + error);
            }
        }
        assertTrue(asked > 100, "asked " + asked);
        assertEquals(List.of(), failed);
    }
}
