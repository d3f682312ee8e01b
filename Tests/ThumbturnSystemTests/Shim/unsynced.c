/*
 * Simulates a power failure. With this library preloaded, writes to SQLite's files reach the disk only when they are
 * synced. Killing the process then loses all other writes, as a power failure would. Without the library, a kill leaves them in
 * the page cache.
 *
 * It also counts, in a file that survives the process, syncs and commits (frames of the write-ahead log whose header carries
 * a database size, https://www.sqlite.org/fileformat2.html#walformat). Names of files end in .sqlite or .sqlite-wal.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct held { off_t at; size_t size; char *bytes; struct held *next; };
struct file { dev_t device; ino_t inode; struct held *first, **last; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file files[64];
static int file_count;
static struct { uint64_t syncs, commits; } *counters;

static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pread)(int, void *, size_t, off_t);
static int (*real_fdatasync)(int);
static int (*real_fsync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_fstat)(int, struct stat *);

__attribute__((constructor)) static void start(void) {
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_pread = dlsym(RTLD_NEXT, "pread64");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
    real_fstat = dlsym(RTLD_NEXT, "fstat64");
    const char *path = getenv("SHIM_COUNTERS");
    if (!path) return;
    int descriptor = open(path, O_RDWR | O_CREAT, 0600);
    if (descriptor < 0 || real_ftruncate(descriptor, sizeof *counters) != 0) abort();
    counters = mmap(NULL, sizeof *counters, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (counters == MAP_FAILED) abort();
}

static int ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

/* The file of a descriptor if it is SQLite's, with its kind; NULL for all others. */
static struct file *held_file(int descriptor, int *is_log) {
    char link[64], path[4096];
    struct stat status;
    int saved = errno;
    strcpy(link, "/proc/self/fd/");
    char digits[16], *end = digits + sizeof digits - 1;
    *end = 0;
    int rest = descriptor;
    do { *--end = '0' + rest % 10; rest /= 10; } while (rest > 0);
    strcat(link, end);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = saved;
    if (length <= 0) return NULL;
    path[length] = 0;
    *is_log = ends_with(path, ".sqlite-wal");
    if (!*is_log && !ends_with(path, ".sqlite")) return NULL;
    if (real_fstat(descriptor, &status) != 0) return NULL;
    for (int i = 0; i < file_count; i++)
        if (files[i].device == status.st_dev && files[i].inode == status.st_ino) return &files[i];
    if (file_count == 64) abort();
    files[file_count] = (struct file){status.st_dev, status.st_ino, NULL, NULL};
    return &files[file_count++];
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off_t at) {
    int is_log;
    pthread_mutex_lock(&lock);
    struct file *file = held_file(descriptor, &is_log);
    if (!file) {
        pthread_mutex_unlock(&lock);
        return real_pwrite(descriptor, bytes, size, at);
    }
    const unsigned char *head = bytes;
    if (counters && is_log && size == 24 && at >= 32 && (head[4] | head[5] | head[6] | head[7])) counters->commits++;
    struct held *write = malloc(sizeof *write);
    *write = (struct held){at, size, malloc(size), NULL};
    memcpy(write->bytes, bytes, size);
    if (!file->first) file->last = &file->first;
    *file->last = write;
    file->last = &write->next;
    pthread_mutex_unlock(&lock);
    return size;
}
ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t at) { return pwrite64(descriptor, bytes, size, at); }

ssize_t pread64(int descriptor, void *bytes, size_t size, off_t at) {
    int is_log;
    ssize_t count = real_pread(descriptor, bytes, size, at);
    pthread_mutex_lock(&lock);
    struct file *file = held_file(descriptor, &is_log);
    for (struct held *write = file && count >= 0 ? file->first : NULL; write; write = write->next) {
        off_t from = write->at > at ? write->at : at;
        off_t to = write->at + (off_t)write->size < at + (off_t)size ? write->at + (off_t)write->size : at + (off_t)size;
        if (from >= to) continue;
        if (from - at > count) memset((char *)bytes + count, 0, from - at - count);
        memcpy((char *)bytes + (from - at), write->bytes + (from - write->at), to - from);
        if (to - at > count) count = to - at;
    }
    pthread_mutex_unlock(&lock);
    return count;
}
ssize_t pread(int descriptor, void *bytes, size_t size, off_t at) { return pread64(descriptor, bytes, size, at); }

/* Performs the held writes. The caller holds the lock. */
static void let_through(int descriptor, struct file *file) {
    while (file->first) {
        struct held *write = file->first;
        if (real_pwrite(descriptor, write->bytes, write->size, write->at) != (ssize_t)write->size) abort();
        file->first = write->next;
        free(write->bytes);
        free(write);
    }
}

static int synced(int descriptor, int (*real)(int)) {
    int is_log;
    pthread_mutex_lock(&lock);
    struct file *file = held_file(descriptor, &is_log);
    if (file) let_through(descriptor, file);
    int result = real(descriptor);
    if (file && counters) counters->syncs++;
    pthread_mutex_unlock(&lock);
    return result;
}
int fdatasync(int descriptor) { return synced(descriptor, real_fdatasync); }
int fsync(int descriptor) { return synced(descriptor, real_fsync); }

int ftruncate64(int descriptor, off_t length) {
    int is_log;
    pthread_mutex_lock(&lock);
    struct file *file = held_file(descriptor, &is_log);
    if (file) let_through(descriptor, file);
    int result = real_ftruncate(descriptor, length);
    pthread_mutex_unlock(&lock);
    return result;
}
int ftruncate(int descriptor, off_t length) { return ftruncate64(descriptor, length); }

int fstat64(int descriptor, struct stat64 *status) {
    int is_log;
    int result = real_fstat(descriptor, (struct stat *)status);
    if (result != 0) return result;
    pthread_mutex_lock(&lock);
    struct file *file = held_file(descriptor, &is_log);
    for (struct held *write = file ? file->first : NULL; write; write = write->next)
        if (write->at + (off_t)write->size > status->st_size) status->st_size = write->at + write->size;
    pthread_mutex_unlock(&lock);
    return result;
}
int fstat(int descriptor, struct stat *status) { return fstat64(descriptor, (struct stat64 *)status); }
