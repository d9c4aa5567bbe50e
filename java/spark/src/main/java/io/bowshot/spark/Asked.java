package io.bowshot.spark;

import io.bowshot.BowshotException;
import io.bowshot.border.Texts;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What the options of a read say: an address, what to read there, and how. Nothing of it is shown: an address may hold a password.
 */
final class Asked {
    private static final Pattern SCHEME = Pattern.compile("^[a-zA-Z][a-zA-Z0-9+.-]*:.*", Pattern.DOTALL);
    private static final Pattern KEYWORDS = Pattern.compile("^[a-z_]+ *= *.*", Pattern.DOTALL);

    /** Options by Spark's names, those of its JDBC source among them, and by Bowshot's. */
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("connections", "bowshot.connections"),
            Map.entry("numpartitions", "bowshot.partition_num"),
            Map.entry("partition_num", "bowshot.partition_num"),
            Map.entry("partitioncolumn", "bowshot.partition_on"),
            Map.entry("partition_on", "bowshot.partition_on"),
            Map.entry("partition_range", "bowshot.partition_range"),
            Map.entry("partition_bytes", "bowshot.partition_bytes"),
            Map.entry("partitionbytes", "bowshot.partition_bytes"),
            Map.entry("batch_bytes", "bowshot.batch_bytes"),
            Map.entry("batchbytes", "bowshot.batch_bytes"),
            Map.entry("one_snapshot", "bowshot.one_snapshot"),
            Map.entry("protocol", "bowshot.protocol"),
            Map.entry("infinity", "bowshot.infinity"),
            Map.entry("zero_dates", "bowshot.zero_dates"),
            Map.entry("calls", "bowshot.calls"),
            Map.entry("lease", "bowshot.lease"),
            Map.entry("types", "bowshot.types"),
            Map.entry("sessioninitstatement", "bowshot.before"),
            Map.entry("pre_execution_query", "bowshot.before"));

    /** Options of files, which are part of their address, by Spark's names and by Bowshot's. */
    private static final Map<String, String> OF_FILES = Map.ofEntries(
            Map.entry("fileformat", "format"),
            Map.entry("header", "header"),
            Map.entry("delimiter", "delimiter"),
            Map.entry("sep", "delimiter"),
            Map.entry("quote", "quote"),
            Map.entry("escape", "escape"),
            Map.entry("nullvalue", "null"),
            Map.entry("null", "null"),
            Map.entry("hive", "hive"),
            Map.entry("infer", "infer"),
            Map.entry("mmap", "mmap"),
            Map.entry("trusted", "trusted"));

    /**
     * What says where or what to read, and options of Spark's JDBC source that have no meaning here: its bounds only say how rows are dealt out, and
     * Bowshot asks the database for better ones.
     */
    private static final Set<String> OTHERS = Set.of(
            "path",
            "paths",
            "url",
            "query",
            "dbtable",
            "table",
            "user",
            "username",
            "password",
            "driver",
            "fetchsize",
            "lowerbound",
            "upperbound",
            "pushdownpredicate",
            "pushdownaggregate",
            "pushdownlimit",
            "pushdownoffset",
            "pushdowntablesample",
            "querytimeout",
            "customschema",
            "refreshkrb5config",
            "keytab",
            "principal");

    private final String address;
    private final String text;
    private final List<String> table;
    private final Map<String, String> options;
    private final String user;
    private final String password;

    private Asked(
            String address,
            String text,
            List<String> table,
            Map<String, String> options,
            String user,
            String password) {
        this.address = address;
        this.text = text;
        this.table = table;
        this.options = options;
        this.user = user;
        this.password = password;
    }

    /**
     * What the options say.
     *
     * @throws BowshotException of kind CONFIG for options that make no sense, by name
     */
    static Asked of(Map<String, String> given) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(given);
        Map<String, String> read = new LinkedHashMap<>();
        List<String> files = new ArrayList<>();
        for (Map.Entry<String, String> option : all.entrySet()) {
            String name = option.getKey().toLowerCase(Locale.ROOT);
            if (NAMES.containsKey(name)) {
                read.put(NAMES.get(name), option.getValue());
            } else if (OF_FILES.containsKey(name)) {
                files.add(OF_FILES.get(name) + "=" + encoded(option.getValue()));
            } else if (name.startsWith("types.")) {
                read.put("bowshot." + option.getKey(), option.getValue());
            } else if (!OTHERS.contains(name)) {
                throw new BowshotException(
                        BowshotException.Kind.CONFIG,
                        "Bowshot has no option \"" + option.getKey() + "\"\n  docs/guide/spark.md lists all");
            }
        }
        String address = withOptions(address(all), files);
        return new Asked(
                address,
                text(all),
                List.of(),
                read,
                all.getOrDefault("user", all.getOrDefault("username", "")),
                all.getOrDefault("password", ""));
    }

    /** The same with types of columns that the user gives. */
    Asked withTypes(Map<String, String> types) {
        Map<String, String> more = new LinkedHashMap<>(options);
        types.forEach((column, type) -> more.put("bowshot.types." + column, type));
        return new Asked(address, text, table, more, user, password);
    }

    /** The same for the table whose name has these parts. */
    Asked ofTable(List<String> parts) {
        return new Asked(address, "", parts, options, user, password);
    }

    /** As the native library is asked. */
    Texts request() {
        Texts request =
                new Texts().add(address).add(text).add(user).add(password).add(table.size());
        table.forEach(request::add);
        options.forEach((name, value) -> request.add(name).add(value));
        return request;
    }

    private static String address(Map<String, String> options) {
        String given = options.getOrDefault("url", options.get("path"));
        if (given == null) {
            String what = options.containsKey("paths")
                    ? "several paths are given; name their folder, or a pattern: load(\"lake/orders/2026-*.parquet\"),"
                            + " or put several DataFrames together by unionByName"
                    : "no address is given; write .load(\"postgresql://host/database\"), or the path of files";
            throw new BowshotException(BowshotException.Kind.CONFIG, what);
        }
        String address = given.startsWith("jdbc:") ? given.substring("jdbc:".length()) : given;
        boolean isPath = !SCHEME.matcher(address).matches()
                && (!KEYWORDS.matcher(address).matches() || Files.exists(Path.of(address)));
        // Tasks run in other folders.
        return isPath ? absolute(address) : address;
    }

    private static String absolute(String path) {
        String absolute = Path.of("").toAbsolutePath().resolve(path).toString();
        return path.endsWith("/") && !absolute.endsWith("/") ? absolute + "/" : absolute;
    }

    private static String text(Map<String, String> options) {
        String query = options.get("query");
        String table = options.getOrDefault("dbtable", options.get("table"));
        if (query != null && table != null) {
            throw new BowshotException(
                    BowshotException.Kind.CONFIG, "the options query and dbtable are both given; leave one out");
        }
        if (query != null) {
            return query;
        }
        // As in Spark's JDBC source, a table may be a query in parentheses, with its name.
        return table == null ? "" : table.stripLeading().startsWith("(") ? "SELECT * FROM " + table : table;
    }

    private static String withOptions(String address, List<String> files) {
        if (files.isEmpty()) {
            return address;
        }
        String options = String.join("&", files);
        if (!SCHEME.matcher(address).matches()) {
            return "file:" + encoded(address) + "?" + options;
        }
        char first = address.startsWith("http") ? '#' : '?';
        return address + (address.indexOf(first) < 0 ? first : '&') + options;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("%2F", "/");
    }
}
