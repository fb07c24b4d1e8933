// What today's headers and static libraries ask of glibc and 2.27 has not (cmake/WarploomPortable.cmake). Nothing
// here is seen outside the program or library that it is linked into.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

// 2.32. False is always right: counters are then changed by atomic instructions.
char __libc_single_threaded = 0;

// 2.28, a name for what `fcntl` does on 64-bit systems.
int fcntl64(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  return fcntl(file, command, argument);
}

// 2.36, for std::random_device.
uint32_t arc4random(void) {
  uint32_t value;
  for (;;) {
    const ssize_t count = getrandom(&value, sizeof value, 0);
    if (count == (ssize_t)sizeof value) return value;
    if (count < 0 && errno != EINTR) abort();
  }
}

// 2.30, for waits of the standard library until a time of a given clock. The time left is what counts: it is
// taken over to the clock that every condition variable has.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  struct timespec here, there;
  if (clock_gettime(clock, &here) != 0 || clock_gettime(CLOCK_REALTIME, &there) != 0) return EINVAL;
  there.tv_sec += until->tv_sec - here.tv_sec;
  there.tv_nsec += until->tv_nsec - here.tv_nsec;
  if (there.tv_nsec < 0) {
    there.tv_nsec += 1000000000;
    there.tv_sec -= 1;
  } else if (there.tv_nsec >= 1000000000) {
    there.tv_nsec -= 1000000000;
    there.tv_sec += 1;
  }
  return pthread_cond_timedwait(condition, mutex, &there);
}
