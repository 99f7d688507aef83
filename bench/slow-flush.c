/*
 * Loaded before libc: a flush of a file to the disk takes longer than the disk itself does, by as many microseconds as the file
 * BENCH_FLUSH_FILE says at that moment.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int32_t *microseconds;

__attribute__((constructor)) static void find(void) {
  const char *name = getenv("BENCH_FLUSH_FILE");
  int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(0, sizeof *microseconds, PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) microseconds = mapped;
  close(file);
}

static int flush(long call, int file) {
  int result = syscall(call, file);
  int32_t more = microseconds ? *microseconds : 0;
  struct timespec wait = {more / 1000000, more % 1000000 * 1000};
  if (more > 0) nanosleep(&wait, 0);
  return result;
}

int fsync(int file) { return flush(SYS_fsync, file); }
int fdatasync(int file) { return flush(SYS_fdatasync, file); }
