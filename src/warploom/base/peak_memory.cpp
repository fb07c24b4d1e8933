#include "warploom/base/peak_memory.h"

#include <malloc.h>

#include <fstream>
#include <string>
#include <string_view>

namespace warploom {
namespace {

// A line of /proc/self/status such as "VmHWM:    1234 kB".
std::uint64_t memory_status(std::string_view key) {
  std::ifstream status("/proc/self/status");
  std::string word;
  constexpr std::uint64_t kKib = 1024;
  while (status >> word) {
    std::uint64_t kib = 0;
    if (word == key && status >> kib) return kib * kKib;
  }
  return 0;
}

}  // namespace

bool reset_peak_memory() {
  // "5" resets the peak (proc(5), /proc/pid/clear_refs).
  std::ofstream control("/proc/self/clear_refs");
  control << "5" << std::flush;
  return control.good();
}

std::uint64_t peak_memory() { return memory_status("VmHWM:"); }

void release_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

std::uint64_t resident_memory() { return memory_status("VmRSS:"); }

}  // namespace warploom
