// Faults of the system, put between the program and the C library (LD_PRELOAD). CUTIS_FAULT says which:
//   rename:N:ERRNO   the N-th rename fails;  create:ERRNO  no file can be made;  fwrite:N:ERRNO  fails at the N-th byte
//   nolink:N:ERRNO   the same on a disk that has no links
//   die:N            the process is gone, as by kill -9, just after the N-th rename
//   malloc:N         the N-th allocation fails, and every one after it while it unwinds would not be fair: only that one
//   clock            the wall clock jumps by hours, back and forth
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int ready;
static char kind[16];
static long at = -1, code;
static atomic_long count;

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);

__attribute__((constructor)) static void read_fault(void) {
  const char* text = getenv("CUTIS_FAULT");
  if (text == NULL) return;
  const char* colon = strchr(text, ':');
  size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
  if (length >= sizeof(kind)) length = sizeof(kind) - 1;
  memcpy(kind, text, length);
  if (colon != NULL) {
    at = atol(colon + 1);
    const char* second = strchr(colon + 1, ':');
    code = second != NULL ? atol(second + 1) : at;
  }
  ready = 1;
}
static int is(const char* name) { return ready && strcmp(kind, name) == 0; }

int rename(const char* from, const char* to) {
  int (*real)(const char*, const char*) = dlsym(RTLD_NEXT, "rename");
  if ((is("rename") || is("nolink")) && ++count == at) {
    errno = (int)code;
    return -1;
  }
  const int status = real(from, to);
  if (is("die") && ++count == at) _exit(137);
  return status;
}

int link(const char* from, const char* to) {
  int (*real)(const char*, const char*) = dlsym(RTLD_NEXT, "link");
  if (!is("nolink")) return real(from, to);
  errno = EPERM;
  return -1;
}

int open(const char* path, int flags, ...) {
  int (*real)(const char*, int, ...) = dlsym(RTLD_NEXT, "open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (is("create") && ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE)) {
    errno = (int)code;
    return -1;
  }
  return real(path, flags, mode);
}

size_t fwrite(const void* data, size_t size, size_t n, FILE* file) {
  size_t (*real)(const void*, size_t, size_t, FILE*) = dlsym(RTLD_NEXT, "fwrite");
  if (is("fwrite") && file != stdout && file != stderr) {
    const long before = atomic_fetch_add(&count, (long)(size * n));
    if (before <= at && at < before + (long)(size * n)) {
      errno = (int)code;
      return 0;
    }
  }
  return real(data, size, n, file);
}

static int fails(void) { return ready && kind[0] == 'm' && ++count == at; }
void* malloc(size_t size) {
  if (fails()) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_malloc(size);
}
void* calloc(size_t n, size_t size) {
  if (fails()) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_calloc(n, size);
}
void* realloc(void* old, size_t size) {
  if (fails()) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_realloc(old, size);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  int (*real)(clockid_t, struct timespec*) = dlsym(RTLD_NEXT, "clock_gettime");
  const int status = real(clock, now);
  if (is("clock") && clock == CLOCK_REALTIME) now->tv_sec += ++count % 2 == 0 ? 86400 : -86400;
  return status;
}
