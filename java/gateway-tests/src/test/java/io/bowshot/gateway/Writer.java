package io.bowshot.gateway;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.arrow.adbc.core.AdbcConnection;
import org.apache.arrow.adbc.core.AdbcDatabase;
import org.apache.arrow.adbc.core.AdbcException;
import org.apache.arrow.adbc.core.AdbcStatement;
import org.apache.arrow.adbc.core.AdbcStatusCode;
import org.apache.arrow.adbc.core.BulkIngestMode;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * Lets ADBC's validation suite write: the gateway reads only, so what the suite ingests and updates goes straight to the
 * database, and everything else through the gateway.
 */
final class Writer {
    private Writer() {}

    /** The same database, with connections that write. */
    static AdbcDatabase writing(AdbcDatabase database) {
        return wrap(AdbcDatabase.class, database, "connect", arguments -> writing(database.connect()));
    }

    private static AdbcConnection writing(AdbcConnection connection) {
        AdbcConnection inner = wrap(AdbcConnection.class, connection, "createStatement", arguments -> {
            return updating(connection.createStatement());
        });
        return wrap(AdbcConnection.class, inner, "bulkIngest", arguments -> {
            return ingesting(connection.createStatement(), (String) arguments[0], (BulkIngestMode) arguments[1]);
        });
    }

    /** A statement whose updates go to the database. */
    private static AdbcStatement updating(AdbcStatement statement) {
        String[] sql = new String[1];
        AdbcStatement inner = wrap(AdbcStatement.class, statement, "setSqlQuery", arguments -> {
            sql[0] = (String) arguments[0];
            statement.setSqlQuery(sql[0]);
            return null;
        });
        return wrap(AdbcStatement.class, inner, "executeUpdate", arguments -> {
            execute(sql[0]);
            return new AdbcStatement.UpdateResult(-1);
        });
    }

    /** A statement that puts its bound rows into a table of the database. */
    private static AdbcStatement ingesting(AdbcStatement statement, String table, BulkIngestMode mode) {
        VectorSchemaRoot[] bound = new VectorSchemaRoot[1];
        AdbcStatement inner = wrap(AdbcStatement.class, statement, "bind", arguments -> {
            bound[0] = (VectorSchemaRoot) arguments[0];
            return null;
        });
        return wrap(AdbcStatement.class, inner, "executeUpdate", arguments -> {
            insert(table, mode, bound[0]);
            return new AdbcStatement.UpdateResult(bound[0].getRowCount());
        });
    }

    /** Runs a statement in the database. */
    static void execute(String sql) throws AdbcException {
        try (Connection connection = Served.get().database();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException error) {
            throw AdbcException.invalidArgument(error.getMessage()).withCause(error);
        }
    }

    private static void insert(String table, BulkIngestMode mode, VectorSchemaRoot rows) throws AdbcException {
        List<Field> fields = rows.getSchema().getFields();
        try (Connection connection = Served.get().database();
                Statement statement = connection.createStatement()) {
            if (mode == BulkIngestMode.CREATE) {
                statement.execute("CREATE TABLE " + table + " ("
                        + fields.stream().map(Writer::column).collect(Collectors.joining(", ")) + ")");
            }
            String places = fields.stream().map(field -> "?").collect(Collectors.joining(", "));
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO " + table + " VALUES (" + places + ")")) {
                for (int row = 0; row < rows.getRowCount(); row++) {
                    for (int column = 0; column < fields.size(); column++) {
                        Object value = rows.getVector(column).getObject(row);
                        insert.setObject(column + 1, value instanceof Number ? value : text(value));
                    }
                    insert.addBatch();
                }
                insert.executeBatch();
            }
        } catch (SQLException error) {
            AdbcStatusCode code = error.getSQLState().equals("42P07")
                    ? AdbcStatusCode.ALREADY_EXISTS
                    : error.getSQLState().equals("42P01") ? AdbcStatusCode.NOT_FOUND : AdbcStatusCode.INVALID_ARGUMENT;
            throw new AdbcException(error.getMessage(), error, code, error.getSQLState(), 0);
        }
    }

    private static String text(Object value) {
        return value == null ? null : value.toString();
    }

    private static String column(Field field) {
        ArrowType type = field.getType();
        if (type instanceof ArrowType.Int whole) {
            return field.getName() + (whole.getBitWidth() == 64 ? " bigint" : " int");
        }
        return field.getName() + " text";
    }

    /** What stands in for one method. */
    private interface Instead {
        Object call(Object[] arguments) throws Exception;
    }

    private static <T> T wrap(Class<T> type, T inner, String name, Instead instead) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (method.getName().equals(name)) {
                return instead.call(arguments);
            }
            try {
                return method.invoke(inner, arguments);
            } catch (InvocationTargetException error) {
                throw error.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
