/* Reading files whose path contains FAULT_PATH fails with EIO after FAULT_AFTER reads, as on a disk
   that goes bad. Built and preloaded by test_failing_reads.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/uio.h>

static long done;

static int bad(int fd)
{
    const char *word = getenv("FAULT_PATH"), *after = getenv("FAULT_AFTER");
    char link[64], path[4096];
    if (!word || !*word)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0)
        return 0;
    path[length] = 0;
    if (!strstr(path, word) || done++ < (after ? atol(after) : 0))
        return 0;
    errno = EIO;
    return 1;
}

ssize_t read(int fd, void *to, size_t n)
{
    static ssize_t (*real)(int, void *, size_t);
    if (!real)
        real = dlsym(RTLD_NEXT, "read");
    return bad(fd) ? -1 : real(fd, to, n);
}

ssize_t pread64(int fd, void *to, size_t n, off64_t at)
{
    static ssize_t (*real)(int, void *, size_t, off64_t);
    if (!real)
        real = dlsym(RTLD_NEXT, "pread64");
    return bad(fd) ? -1 : real(fd, to, n, at);
}

void *mmap64(void *where, size_t n, int rights, int flags, int fd, off64_t at)
{
    static void *(*real)(void *, size_t, int, int, int, off64_t);
    if (!real)
        real = dlsym(RTLD_NEXT, "mmap64");
    return fd >= 0 && bad(fd) ? MAP_FAILED : real(where, n, rights, flags, fd, at);
}

void *mmap(void *where, size_t n, int rights, int flags, int fd, off_t at)
{
    return mmap64(where, n, rights, flags, fd, at);
}
