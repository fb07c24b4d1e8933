// Memory of this test program: a request for more than a gigabyte is refused and counted.
#include <atomic>
#include <cstdlib>
#include <new>

#include "damage.h"

namespace {

std::atomic<std::size_t> refused{0};

}  // namespace

namespace warploom::damage {

std::size_t take_refused_requests() { return refused.exchange(0); }

}  // namespace warploom::damage

// Sanitizers keep their own.
#if !defined(WARPLOOM_SANITIZED)

namespace {

void* guarded(std::size_t size) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  void* memory = size <= kMost ? std::malloc(size == 0 ? 1 : size) : nullptr;
  if (memory == nullptr) {
    ++refused;
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return guarded(size); }
void* operator new[](std::size_t size) { return guarded(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

#endif
