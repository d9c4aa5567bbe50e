/* Keeps free memory in pieces, until its standard input ends.
 *
 *     pieces BYTES
 *
 * A host may take back what its virtual machine leaves free, in blocks of 2 MiB or more (virtio's balloon: free page reporting),
 * and hands it out again page by page. This program takes so many bytes and gives back all but one page of each 2 MiB: what is
 * free then stays with the machine. It says "ready" when that is done. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, BLOCK = 2 << 20 };

int main(int argument_count, char **arguments) {
    if (argument_count != 2) {
        fprintf(stderr, "usage: pieces BYTES\n");
        return 2;
    }
    const size_t bytes = strtoull(arguments[1], NULL, 10) / BLOCK * BLOCK;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    /* Huge pages would be given back as such. */
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < bytes; at += PAGE) memory[at] = 1;
    for (size_t at = 0; at < bytes; at += BLOCK) madvise(memory + at + PAGE, BLOCK - PAGE, MADV_DONTNEED);
    puts("ready");
    fflush(stdout);
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) continue;
    return 0;
}
