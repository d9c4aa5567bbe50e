package io.bowshot.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.PollInfo;
import org.apache.arrow.flight.RenewFlightEndpointRequest;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.flight.sql.util.TableRef;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@link FlightSqlClient}: every call that reads, by hand. */
class FlightSqlClientTest {
    private BufferAllocator allocator;
    private FlightClient transport;
    private FlightSqlClient client;

    @BeforeEach
    void connect() {
        allocator = new RootAllocator();
        transport = FlightClient.builder(
                        allocator,
                        Location.forGrpcInsecure("127.0.0.1", Served.get().port()))
                .build();
        client = new FlightSqlClient(transport);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        allocator.close();
    }

    private static HeaderCallOption header(String name, String value) {
        CallHeaders headers = new FlightCallHeaders();
        headers.insert(name, value);
        return new HeaderCallOption(headers);
    }

    /** The values of one column of all endpoints; their columns are the announced ones. */
    private List<String> column(FlightInfo info, String name) throws Exception {
        List<String> found = new ArrayList<>();
        for (FlightEndpoint endpoint : info.getEndpoints()) {
            try (FlightStream stream = client.getStream(endpoint.getTicket())) {
                Schema announced = info.getSchemaOptional().orElseThrow();
                assertEquals(announced.getFields(), stream.getSchema().getFields());
                while (stream.next()) {
                    FieldVector vector = stream.getRoot().getVector(name);
                    for (int row = 0; row < vector.getValueCount(); row++) {
                        Object value = vector.getObject(row);
                        found.add(value == null ? null : value.toString());
                    }
                }
            }
        }
        return found;
    }

    @Test
    void aQueryIsReadFromAllEndpoints() throws Exception {
        FlightInfo info = client.execute("SELECT id FROM orders", header("bowshot-endpoints", "4"));
        assertEquals(4, info.getEndpoints().size());
        List<String> ids = column(info, "id");
        assertEquals(Served.ORDERS, ids.size());
        assertEquals(Served.ORDERS, new TreeSet<>(ids).size());
        assertEquals(
                info.getSchemaOptional().orElseThrow(),
                client.getExecuteSchema("SELECT id FROM orders").getSchema());
    }

    @Test
    void everyListingHasItsAnnouncedColumns() throws Exception {
        assertEquals(List.of("bowshot", "shop"), column(client.getCatalogs(), "catalog_name"));
        assertEquals(List.of("store"), column(client.getSchemas(null, "store"), "db_schema_name"));
        FlightInfo tables = client.getTables(null, "store", null, null, true);
        assertEquals(List.of("cheap", "customers", "orders"), column(tables, "table_name"));
        assertEquals(
                List.of("cheap"), column(client.getTables(null, "store", null, List.of("VIEW"), false), "table_name"));
        assertTrue(column(client.getTableTypes(), "table_type").contains("TABLE"));
        TableRef orders = TableRef.of(null, "store", "orders");
        TableRef customers = TableRef.of(null, "store", "customers");
        assertEquals(List.of("id"), column(client.getPrimaryKeys(orders), "column_name"));
        assertEquals(List.of("customer"), column(client.getImportedKeys(orders), "fk_column_name"));
        assertEquals(List.of("orders"), column(client.getExportedKeys(customers), "fk_table_name"));
        assertEquals(List.of("customers"), column(client.getCrossReference(customers, orders), "pk_table_name"));
        assertTrue(column(client.getXdbcTypeInfo(), "type_name").size() > 5);
        assertEquals(1, column(client.getXdbcTypeInfo(12), "type_name").size(), "VARCHAR");
        assertTrue(column(client.getSqlInfo(), "info_name").size() > 50);
        assertEquals(List.of("0"), column(client.getSqlInfo(FlightSql.SqlInfo.FLIGHT_SQL_SERVER_NAME), "info_name"));
    }

    @Test
    void theSchemasOfListingsAreTold() {
        for (Schema schema : List.of(
                client.getCatalogsSchema().getSchema(),
                client.getSchemasSchema().getSchema(),
                client.getTablesSchema(true).getSchema(),
                client.getTableTypesSchema().getSchema(),
                client.getPrimaryKeysSchema().getSchema(),
                client.getImportedKeysSchema().getSchema(),
                client.getExportedKeysSchema().getSchema(),
                client.getCrossReferenceSchema().getSchema(),
                client.getXdbcTypeInfoSchema().getSchema(),
                client.getSqlInfoSchema().getSchema())) {
            assertFalse(schema.getFields().isEmpty());
        }
    }

    @Test
    void aPreparedStatementTakesParameters() throws Exception {
        try (FlightSqlClient.PreparedStatement statement = client.prepare("SELECT id FROM orders WHERE id = ?")) {
            assertEquals(
                    new ArrowType.Int(64, true),
                    statement.getParameterSchema().getFields().get(0).getType());
            assertEquals("id", statement.getResultSetSchema().getFields().get(0).getName());
            for (long id : List.of(5L, 6L)) {
                try (VectorSchemaRoot parameters = VectorSchemaRoot.create(statement.getParameterSchema(), allocator)) {
                    ((BigIntVector) parameters.getVector(0)).setSafe(0, id);
                    parameters.setRowCount(1);
                    statement.setParameters(parameters);
                    assertEquals(List.of(String.valueOf(id)), column(statement.execute(), "id"));
                }
            }
            // Another type is taken too: the database casts it.
            try (VarCharVector text = new VarCharVector("n", allocator);
                    VectorSchemaRoot parameters = VectorSchemaRoot.of(text)) {
                text.setSafe(0, "7".getBytes());
                parameters.setRowCount(1);
                statement.setParameters(parameters);
                assertEquals(List.of("7"), column(statement.execute(), "id"));
            }
        }
    }

    @Test
    void updatesAndTransactionsAreRefused() {
        for (org.junit.jupiter.api.function.Executable refused : List.<org.junit.jupiter.api.function.Executable>of(
                () -> client.executeUpdate("DELETE FROM orders"),
                () -> client.beginTransaction(),
                () -> client.executeSubstrait(new FlightSqlClient.SubstraitPlan(new byte[] {1}, "1")))) {
            FlightRuntimeException error = assertThrows(FlightRuntimeException.class, refused);
            assertEquals(FlightStatusCode.UNIMPLEMENTED, error.status().code(), error.getMessage());
        }
    }

    @Test
    void aResultIsCancelled() {
        FlightInfo info = client.execute("SELECT * FROM orders");
        assertEquals(
                CancelStatus.CANCELLED,
                client.cancelFlightInfo(new CancelFlightInfoRequest(info)).getStatus());
        FlightRuntimeException error = assertThrows(FlightRuntimeException.class, () -> {
            try (FlightStream stream =
                    client.getStream(info.getEndpoints().get(0).getTicket())) {
                stream.next();
            }
        });
        assertEquals(CallStatus.NOT_FOUND.code(), error.status().code());
    }

    @Test
    void anEndpointIsRenewed() throws Exception {
        FlightInfo info = client.execute("SELECT 1 AS one");
        FlightEndpoint endpoint = info.getEndpoints().get(0);
        FlightEndpoint renewed = client.renewFlightEndpoint(new RenewFlightEndpointRequest(endpoint));
        assertFalse(renewed.getExpirationTime()
                .orElseThrow()
                .isBefore(endpoint.getExpirationTime().orElseThrow()));
        try (FlightStream stream = client.getStream(renewed.getTicket())) {
            assertTrue(stream.next());
            assertEquals(1, stream.getRoot().getRowCount());
        }
    }

    @Test
    void aPollIsDoneAtOnce() throws Exception {
        FlightSql.CommandStatementQuery query = FlightSql.CommandStatementQuery.newBuilder()
                .setQuery("SELECT 1 AS one")
                .build();
        PollInfo poll =
                transport.pollInfo(FlightDescriptor.command(Any.pack(query).toByteArray()));
        assertTrue(poll.getFlightDescriptor().isEmpty(), "there is nothing more to wait for");
        assertEquals(1.0, poll.getProgress().orElseThrow());
        assertEquals(List.of("1"), column(poll.getFlightInfo(), "one"));
    }

    @Test
    void aResultSharedByNameIsFetchedInParts() throws Exception {
        assertEquals(
                List.of("java_shared"),
                column(client.execute("DECLARE java_shared CURSOR FOR SELECT id FROM orders INTO 3"), "cursor"));
        List<String> ids = new ArrayList<>();
        for (int part = 2; part >= 0; part--) {
            ids.addAll(column(client.execute("FETCH ALL FROM " + part + " OF java_shared"), "id"));
        }
        assertEquals(Served.ORDERS, ids.size());
        assertEquals(Served.ORDERS, new TreeSet<>(ids).size());
    }

    @Test
    void everyCodecIsTheSameRows() throws Exception {
        String sql = "SELECT id, note FROM orders";
        Map<String, List<String>> found = new java.util.HashMap<>();
        for (String codec : List.of("none", "lz4", "zstd")) {
            FlightInfo info = client.execute(sql, header("bowshot-endpoints", "1"));
            List<String> notes = new ArrayList<>();
            try (FlightStream stream =
                    client.getStream(info.getEndpoints().get(0).getTicket(), header("bowshot-compression", codec))) {
                while (stream.next()) {
                    VectorSchemaRoot root = stream.getRoot();
                    for (int row = 0; row < root.getRowCount(); row++) {
                        notes.add(root.getVector(0).getObject(row) + " "
                                + root.getVector(1).getObject(row));
                    }
                }
            }
            assertEquals(Served.ORDERS, notes.size());
            found.put(codec, notes.stream().sorted().toList());
        }
        assertEquals(found.get("none"), found.get("lz4"));
        assertEquals(found.get("none"), found.get("zstd"));
    }
}
