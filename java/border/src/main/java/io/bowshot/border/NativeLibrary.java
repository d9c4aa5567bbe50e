package io.bowshot.border;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;

/**
 * Loads a native library out of the jar that it lies in, under {@code native/<system>-<machine>/}.
 *
 * <p>It is unpacked into a folder that nobody else can write to, and its file is removed as soon as it is loaded: a process that is killed
 * leaves nothing behind. The system property {@code bowshot.library.path} names a folder to load it from instead.
 */
public final class NativeLibrary {
    private NativeLibrary() {}

    /**
     * Loads a library.
     *
     * @param name without what the system puts before and behind it: {@code bowshot_spark}
     * @param owner a class of the jar, for whose class loader the library is loaded
     * @param loader calls {@link System#load} in the owner's name: a library belongs to the class loader of its caller
     * @throws UnsatisfiedLinkError where the jar has none for this system, or it cannot be loaded; the message says what to do
     */
    public static void load(String name, Class<?> owner, java.util.function.Consumer<String> loader) {
        String file = System.mapLibraryName(name);
        String given = System.getProperty("bowshot.library.path");
        if (given != null) {
            loader.accept(Path.of(given, file).toAbsolutePath().toString());
            return;
        }
        String platform = platform();
        try (InputStream library = owner.getResourceAsStream("/native/" + platform + "/" + file)) {
            if (library == null) {
                throw new UnsatisfiedLinkError("this jar has no native library for " + platform
                        + "; build one on such a machine, or name the folder of " + file
                        + " with the system property bowshot.library.path");
            }
            unpacked(library, file, loader);
        } catch (IOException error) {
            String folder = System.getProperty("java.io.tmpdir");
            throw new UnsatisfiedLinkError("the native library cannot be unpacked into " + folder + ": " + error
                    + "; name another folder with the system property java.io.tmpdir");
        }
    }

    private static void unpacked(InputStream library, String file, java.util.function.Consumer<String> loader)
            throws IOException {
        var mine = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Path folder = Files.createTempDirectory("bowshot-", mine);
        Path path = folder.resolve(file);
        try {
            Files.copy(library, path, StandardCopyOption.REPLACE_EXISTING);
            loader.accept(path.toString());
        } finally {
            Files.deleteIfExists(path);
            Files.deleteIfExists(folder);
        }
    }

    private static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String name = system.startsWith("mac") ? "macos" : system.startsWith("windows") ? "windows" : "linux";
        String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return name + "-" + (machine.equals("amd64") ? "x86_64" : machine);
    }
}
