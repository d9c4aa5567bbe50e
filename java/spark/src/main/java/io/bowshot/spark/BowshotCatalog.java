package io.bowshot.spark;

import io.bowshot.BowshotException;
import io.bowshot.border.Answer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A database as a catalog of Spark's, or files by their paths.
 *
 * <pre>
 * spark.sql.catalog.shop      io.bowshot.spark.BowshotCatalog
 * spark.sql.catalog.shop.url  postgresql://reader@db/shop
 *
 * SELECT * FROM shop.public.orders
 * </pre>
 *
 * <p>Without an address its tables are paths: {@code SELECT * FROM bowshot.`lake/orders.parquet`}. It only reads.
 */
public final class BowshotCatalog implements TableCatalog, SupportsNamespaces {
    private String name;
    private Map<String, String> options;
    private boolean ofPaths;

    @Override
    public void initialize(String name, CaseInsensitiveStringMap options) {
        this.name = name;
        this.options = new LinkedHashMap<>(options.asCaseSensitiveMap());
        ofPaths = !options.containsKey("url") && !options.containsKey("path");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Table loadTable(Identifier identifier) throws NoSuchTableException {
        Asked asked = asked(identifier);
        try {
            Look look = Look.at(asked);
            return new BowshotTable(look, look.schema());
        } catch (BowshotException error) {
            boolean refused = error.kind() == BowshotException.Kind.SQL || error.kind() == BowshotException.Kind.CONFIG;
            if (!ofPaths && refused && !isListed(identifier)) {
                throw new NoSuchTableException(identifier);
            }
            throw new Refused(error);
        }
    }

    private Asked asked(Identifier identifier) {
        if (ofPaths) {
            Map<String, String> all = new LinkedHashMap<>(options);
            all.put("path", identifier.name());
            return Asked.of(all);
        }
        List<String> parts = new ArrayList<>(Arrays.asList(identifier.namespace()));
        parts.add(identifier.name());
        return Asked.of(options).ofTable(parts);
    }

    @Override
    public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
        List<Identifier> tables = tables().stream()
                .filter(table -> Arrays.equals(table.namespace(), namespace))
                .toList();
        if (tables.isEmpty() && !namespaceExists(namespace)) {
            throw new NoSuchNamespaceException(namespace);
        }
        return tables.toArray(Identifier[]::new);
    }

    private boolean isListed(Identifier identifier) {
        return tables().stream()
                .anyMatch(table -> table.name().equals(identifier.name())
                        && (identifier.namespace().length == 0
                                || Arrays.equals(table.namespace(), identifier.namespace())));
    }

    private List<Identifier> tables() {
        if (ofPaths) {
            return List.of();
        }
        Answer answer = Refused.unless(() -> Native.answer(Asked.of(options).request(), Native::list));
        List<Identifier> tables = new ArrayList<>();
        for (int i = 0; i + 1 < answer.size(); i += 2) {
            String schema = answer.text(i);
            tables.add(Identifier.of(schema.isEmpty() ? new String[0] : new String[] {schema}, answer.text(i + 1)));
        }
        return tables;
    }

    @Override
    public String[][] listNamespaces() {
        TreeSet<String> schemas = new TreeSet<>();
        for (Identifier table : tables()) {
            schemas.addAll(Arrays.asList(table.namespace()));
        }
        return schemas.stream().map(schema -> new String[] {schema}).toArray(String[][]::new);
    }

    @Override
    public String[][] listNamespaces(String[] namespace) throws NoSuchNamespaceException {
        if (namespace.length == 0) {
            return listNamespaces();
        }
        if (!namespaceExists(namespace)) {
            throw new NoSuchNamespaceException(namespace);
        }
        return new String[0][];
    }

    @Override
    public boolean namespaceExists(String[] namespace) {
        return namespace.length == 0
                || Arrays.stream(listNamespaces()).anyMatch(known -> Arrays.equals(known, namespace));
    }

    @Override
    public Map<String, String> loadNamespaceMetadata(String[] namespace) throws NoSuchNamespaceException {
        if (!namespaceExists(namespace)) {
            throw new NoSuchNamespaceException(namespace);
        }
        return Map.of();
    }

    @Override
    public Table createTable(
            Identifier identifier, StructType schema, Transform[] partitions, Map<String, String> properties) {
        throw onlyReads();
    }

    @Override
    public Table alterTable(Identifier identifier, TableChange... changes) {
        throw onlyReads();
    }

    @Override
    public boolean dropTable(Identifier identifier) {
        throw onlyReads();
    }

    @Override
    public void renameTable(Identifier from, Identifier to) {
        throw onlyReads();
    }

    @Override
    public void createNamespace(String[] namespace, Map<String, String> metadata) {
        throw onlyReads();
    }

    @Override
    public void alterNamespace(String[] namespace, NamespaceChange... changes) {
        throw onlyReads();
    }

    @Override
    public boolean dropNamespace(String[] namespace, boolean cascade) {
        throw onlyReads();
    }

    private UnsupportedOperationException onlyReads() {
        return new UnsupportedOperationException(
                "the catalog " + name + " only reads; change the database with its own client");
    }
}
