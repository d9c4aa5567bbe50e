package io.bowshot.spark.write;

import io.bowshot.BowshotException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** The folder inside of a target that a write's files lie in until it is committed. Its name keeps readers away. */
final class Staging {
    private static final String PREFIX = "_temporary";
    private static final int TRIES = 20;

    private final Path target;
    private final Path folder;
    /** Folders above the hidden one that were not there before, the highest first. */
    private final List<Path> made = new ArrayList<>();

    Staging(Path target, String id) {
        this.target = target;
        folder = target.resolve(PREFIX + "-bowshot-" + id);
    }

    /** Whether an entry of a target is such a folder, of this write or another. */
    static boolean isStaging(Path entry) {
        return entry.getFileName().toString().startsWith(PREFIX);
    }

    Path folder() {
        return folder;
    }

    void create() {
        for (Path above = target; above != null && !Files.exists(above); above = above.getParent()) {
            made.add(0, above);
        }
        try {
            Files.createDirectories(folder);
        } catch (IOException error) {
            throw failed(folder, error);
        }
    }

    /** Makes folders below a root, which must be there: a task that outlives its write must not bring it back. */
    static void createFolders(Path root, Path folder) {
        try {
            Path at = root;
            for (Path name : root.relativize(folder)) {
                at = at.resolve(name);
                try {
                    Files.createDirectory(at);
                } catch (FileAlreadyExistsException error) {
                    // Made for an earlier file.
                }
            }
        } catch (NoSuchFileException error) {
            throw new BowshotException(
                    BowshotException.Kind.IO,
                    root + " is not there: the write has ended, or this executor does not share the driver's folders"
                            + "\n  write to a path that all executors share");
        } catch (IOException error) {
            throw failed(folder, error);
        }
    }

    /** Renames files, each from and to a path: all, or none where one fails. */
    void move(List<Path[]> moves) {
        List<Path> done = new ArrayList<>();
        List<Path> folders = new ArrayList<>();
        for (Path[] move : moves) {
            try {
                createCounted(move[1].getParent(), folders);
                Files.move(move[0], move[1], StandardCopyOption.ATOMIC_MOVE);
                done.add(move[1]);
            } catch (IOException error) {
                done.forEach(Staging::removeAll);
                for (int i = folders.size() - 1; i >= 0; i--) {
                    removeIfEmpty(folders.get(i));
                }
                throw failed(move[1], error);
            }
        }
    }

    private static void createCounted(Path folder, List<Path> made) throws IOException {
        if (!Files.isDirectory(folder)) {
            createCounted(folder.getParent(), made);
            Files.createDirectory(folder);
            made.add(folder);
        }
    }

    /** Removes what an overwrite replaces: old files, and folders that have no new ones. */
    void discard(List<Path> old) {
        // Task folders keep the names of new files apart: they have the write's number in their names.
        String mine = folder.getFileName().toString().substring((PREFIX + "-bowshot-").length());
        for (Path entry : old) {
            removeBut(entry, mine);
        }
    }

    /** Says that the write is complete, as Spark does, and removes the hidden folder. */
    void finish() {
        removeAll(folder);
        Path success = target.resolve("_SUCCESS");
        try {
            Files.write(success, new byte[0]);
        } catch (IOException error) {
            throw failed(success, error);
        }
    }

    /** Removes the hidden folder, and those above that were made for it. */
    void remove() {
        removeAll(folder);
        for (int i = made.size() - 1; i >= 0; i--) {
            removeIfEmpty(made.get(i));
        }
    }

    private static void removeIfEmpty(Path folder) {
        try {
            Files.deleteIfExists(folder);
        } catch (IOException error) {
            // Somebody else has put something there.
        }
    }

    /** Removes a file, or a folder with all that is in it. A task that dies may add to it meanwhile. */
    static void removeAll(Path path) {
        for (int i = 0; Files.exists(path, java.nio.file.LinkOption.NOFOLLOW_LINKS); i++) {
            try {
                Files.walkFileTree(path, new Removing(null));
            } catch (NoSuchFileException | DirectoryNotEmptyException error) {
                if (i >= TRIES) {
                    throw failed(path, error);
                }
            } catch (IOException error) {
                throw failed(path, error);
            }
        }
    }

    private static void removeBut(Path path, String kept) {
        try {
            Files.walkFileTree(path, new Removing(kept));
        } catch (NoSuchFileException error) {
            // Removed by somebody else.
        } catch (IOException error) {
            throw failed(path, error);
        }
    }

    /** Removes all files but those with a text in their names, and folders that are empty then. */
    private static final class Removing extends SimpleFileVisitor<Path> {
        private final String kept;

        Removing(String kept) {
            this.kept = kept;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            if (kept == null || !file.getFileName().toString().contains(kept)) {
                Files.deleteIfExists(file);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, IOException error) throws IOException {
            if (error != null) {
                throw error;
            }
            try {
                Files.deleteIfExists(folder);
            } catch (DirectoryNotEmptyException used) {
                if (kept == null) {
                    throw used;
                }
            }
            return FileVisitResult.CONTINUE;
        }
    }

    static BowshotException failed(Path path, IOException error) {
        return new BowshotException(BowshotException.Kind.IO, path + " cannot be written: " + error);
    }
}
