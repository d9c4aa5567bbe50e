/* Keeps free memory in pieces, until its standard input ends.
 *
 *     pieces BYTES BLOCK
 *
 * A host may take back what its virtual machine leaves free, in large blocks (virtio's balloon: free page reporting), and hands it
 * out again page by page. This program takes so many bytes and gives back all but one page of each block that the machine has in one piece:
 * what is free then stays with the machine, and half a block is still one piece. It says how many pages it holds when that is
 * done. Where pages lie, root alone may know (Documentation/admin-guide/mm/pagemap.rst of Linux). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, AT_ONCE = 1 << 16 };

/* The lower bits of an entry are the number of the page. */
static const uint64_t NUMBER = (1ULL << 55) - 1;

/* Blocks of which a page is held, a bit each, as far as a terabyte goes. */
static uint8_t held_blocks[(1ULL << 40) / (1 << 20) / 8];

static int fail(const char *what) {
    perror(what);
    return 1;
}

int main(int argument_count, char **arguments) {
    if (argument_count != 3) {
        fprintf(stderr, "usage: pieces BYTES BLOCK\n");
        return 2;
    }
    const size_t block = strtoull(arguments[2], NULL, 10), bytes = strtoull(arguments[1], NULL, 10) / block * block;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return fail("mmap");
    /* Huge pages would be given back as such. */
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < bytes; at += PAGE) memory[at] = 1;
    const int pages = open("/proc/self/pagemap", O_RDONLY);
    if (pages < 0) return fail("/proc/self/pagemap");
    static uint64_t entries[AT_ONCE];
    size_t held = 0, begin = 0;
    for (size_t at = 0; at < bytes; at += PAGE) {
        const size_t place = at / PAGE % AT_ONCE;
        const off_t from = (off_t)(((uintptr_t)memory + at) / PAGE * sizeof *entries);
        if (place == 0 && pread(pages, entries, sizeof entries, from) <= 0) return fail("/proc/self/pagemap");
        const uint64_t number = entries[place] & NUMBER, which = number * PAGE / block;
        if (number == 0 || which / 8 >= sizeof held_blocks) {
            fprintf(stderr, "where memory lies is not known: this needs root\n");
            return 1;
        }
        if (held_blocks[which / 8] >> which % 8 & 1) continue;
        held_blocks[which / 8] |= (uint8_t)(1 << which % 8);
        if (begin < at) madvise(memory + begin, at - begin, MADV_DONTNEED);
        begin = at + PAGE;
        held++;
    }
    if (begin < bytes) madvise(memory + begin, bytes - begin, MADV_DONTNEED);
    printf("%zu\n", held);
    fflush(stdout);
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) continue;
    return 0;
}
