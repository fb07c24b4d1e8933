// Handles that can be checked: what C holds is a number in the shape of a pointer, never an address.
//
// A handle is a place and the generation of that place; closing raises the generation, so that an old
// handle is known as such and nothing freed is ever read. The one mutable global of the interface: callers
// do not see each other through it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "warploom/base/error.h"

namespace warploom {

// Open objects of type T. Looking one up takes no lock.
template <class T>
class HandleTable {
 public:
  // Never destroyed: threads of the caller may outlive main().
  static HandleTable& of_all() {
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
    static auto* const table = new HandleTable;
    return *table;
  }
  HandleTable() = default;
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;
  ~HandleTable() {
    for (const auto& slots : owned_)
      for (Slot& slot : *slots) delete slot.object.load();
  }

  // Throws Unsupported when kMostHandles are open.
  void* open(std::unique_ptr<T> object) {
    const std::scoped_lock lock(mutex_);
    const std::uint64_t place = free_place();
    Slot& slot = *slot_at(place);
    slot.object.store(object.release(), std::memory_order_release);
    return to_pointer(place, slot.generation.load(std::memory_order_relaxed));
  }

  // nullptr: NULL, closed or never opened.
  T* find(const void* handle) const {
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    const std::uint64_t place = (number >> 4) & (kMostHandles - 1);
    const Slot* slot = (number & 15) == kMark ? slot_at(place) : nullptr;
    if (slot == nullptr || slot->generation.load(std::memory_order_acquire) != number >> kGenerationShift)
      return nullptr;
    return slot->object.load(std::memory_order_acquire);
  }

  // Throws InvalidInput "<what>: ..." where there is none.
  T& get(const void* handle, const char* what) const {
    if (T* found = find(handle)) return *found;
    throw InvalidInput(std::string(what) + (handle == nullptr ? ": is NULL" : ": is not open any more") +
                       ", expected one that was opened and not closed");
  }

  void close(const void* handle) {
    if (find(handle) == nullptr) return;
    const std::scoped_lock lock(mutex_);
    const std::uint64_t place = (reinterpret_cast<std::uintptr_t>(handle) >> 4) & (kMostHandles - 1);
    Slot& slot = *slot_at(place);
    const std::unique_ptr<T> object(slot.object.exchange(nullptr, std::memory_order_acq_rel));
    slot.generation.fetch_add(1, std::memory_order_release);
    free_.push_back(place);
  }

 private:
  // A handle: generation, 16 bits of place, and four bits that no address of a heap object has.
  static constexpr std::uint64_t kMostHandles = 1 << 16, kSlotsAtOnce = 256, kMark = 5;
  static constexpr int kGenerationShift = 20;

  struct Slot {
    std::atomic<T*> object{nullptr};
    std::atomic<std::uint64_t> generation{1};
  };
  using Slots = std::array<Slot, kSlotsAtOnce>;

  static void* to_pointer(std::uint64_t place, std::uint64_t generation) {
    return reinterpret_cast<void*>(generation << kGenerationShift | place << 4 | kMark);  // NOLINT
  }
  Slot* slot_at(std::uint64_t place) const {
    Slots* slots = slots_[place / kSlotsAtOnce].load(std::memory_order_acquire);
    return slots == nullptr ? nullptr : &(*slots)[place % kSlotsAtOnce];
  }
  std::uint64_t free_place() {
    if (free_.empty()) {
      if (used_ == slots_.size()) throw Unsupported("too many open handles, expected fewer than 65,536");
      owned_.push_back(std::make_unique<Slots>());
      slots_[used_].store(owned_.back().get(), std::memory_order_release);
      for (std::uint64_t i = kSlotsAtOnce; i-- > 0;) free_.push_back(used_ * kSlotsAtOnce + i);
      ++used_;
    }
    const std::uint64_t place = free_.back();
    free_.pop_back();
    return place;
  }

  std::mutex mutex_;
  std::array<std::atomic<Slots*>, kMostHandles / kSlotsAtOnce> slots_{};
  std::vector<std::unique_ptr<Slots>> owned_;
  std::vector<std::uint64_t> free_;
  std::size_t used_ = 0;
};

}  // namespace warploom
