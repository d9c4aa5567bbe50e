package io.bowshot.spark.write;

import io.bowshot.BowshotException;
import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Where Parquet files are written to, and how.
 *
 * @param folder an absolute path
 * @param options those of the native writer
 */
record Target(String folder, TreeMap<String, String> options) implements Serializable {
    private static final Pattern SCHEME = Pattern.compile("^[a-zA-Z][a-zA-Z0-9+.-]+:.*", Pattern.DOTALL);
    private static final String METADATA = "metadata.";

    /** The native writer's; {@code overwrite} is the mode's to say. */
    private static final Set<String> NAMES = Set.of(
            "compression",
            "compression_level",
            "row_group_rows",
            "row_group_bytes",
            "page_bytes",
            "page_rows",
            "page_version",
            "dictionary",
            "dictionary_bytes",
            "statistics",
            "bloom_filters",
            "bloom_filter_fpp",
            "bloom_filter_values",
            "arrow_schema");

    /**
     * What the options of a write say.
     *
     * @throws BowshotException of kind CONFIG for an option that there is not, of kind UNSUPPORTED for a path that is not local
     */
    static Target of(Map<String, String> all) {
        TreeMap<String, String> options = new TreeMap<>();
        for (Map.Entry<String, String> option : all.entrySet()) {
            String name = option.getKey().toLowerCase(Locale.ROOT);
            if (NAMES.contains(name)) {
                options.put(name, option.getValue());
            } else if (name.startsWith(METADATA)) {
                options.put(METADATA + option.getKey().substring(METADATA.length()), option.getValue());
            } else if (!name.equals("path")) {
                throw config("Bowshot writes Parquet without an option \"" + option.getKey()
                        + "\"\n  write path, metadata.KEY, or one of "
                        + String.join(", ", NAMES.stream().sorted().toList()));
            }
        }
        String path = all.entrySet().stream()
                .filter(option -> option.getKey().equalsIgnoreCase("path"))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> config("no path is given; write .save(\"lake/orders\")"));
        return new Target(local(path), options);
    }

    private static String local(String path) {
        if (path.startsWith("file:")) {
            URI uri = URI.create(path.replace(" ", "%20"));
            if (uri.getPath() == null) {
                throw config("the path " + path + " is not absolute\n  write file:///lake/orders");
            }
            return Path.of(uri.getPath()).normalize().toString();
        }
        if (SCHEME.matcher(path).matches()) {
            String scheme = path.substring(0, path.indexOf(':'));
            throw new BowshotException(
                    BowshotException.Kind.UNSUPPORTED,
                    "Bowshot's Spark writer writes to local paths, and " + scheme + ":// is none"
                            + "\n  write to a folder that all executors share, or with format(\"parquet\")");
        }
        return Path.of(path).toAbsolutePath().normalize().toString();
    }

    private static BowshotException config(String message) {
        return new BowshotException(BowshotException.Kind.CONFIG, message);
    }

    Path path() {
        return Path.of(folder);
    }

    /** Whether something is there: a file, or a folder that holds anything but what runs or died. */
    boolean exists() {
        if (!Files.isDirectory(path())) {
            return Files.exists(path());
        }
        try (Stream<Path> entries = Files.list(path())) {
            return entries.anyMatch(entry -> !Staging.isStaging(entry));
        } catch (IOException error) {
            throw Staging.failed(path(), error);
        }
    }
}
