// Handles that can be checked: what C holds is a number in the shape of a pointer, never an address.
//
// A handle is a place, the generation of that place and the kind of what is there; closing raises the
// generation, so that an old handle is known as such and nothing freed is ever read. Who looks an object up
// holds it until the end of the call: a close that comes meanwhile waits. The one mutable global of the
// interface: callers do not see each other through it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "warploom/base/error.h"

namespace warploom {

// The last four bits of a handle, which no address of a heap object has.
enum class HandleKind : std::uint8_t { Session = 5, Question = 7, Step = 9 };

enum class HandleUse {
  Shared,     // any number of threads
  Exclusive,  // nobody else
};

// Open objects of type T. Looking one up takes no lock.
template <class T, HandleKind kKind>
class HandleTable {
  struct Slot;

 public:
  // An object that is not freed for as long as this lives.
  class Held {
   public:
    Held(Slot* slot, T* object, HandleUse use) : slot_(slot), object_(object), use_(use) {}
    ~Held() {
      if (slot_ != nullptr) slot_->leave(use_);
    }
    Held(Held&& other) noexcept
        : slot_(std::exchange(other.slot_, nullptr)), object_(other.object_), use_(other.use_) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    Held& operator=(Held&&) = delete;
    T& operator*() const { return *object_; }
    T* operator->() const { return object_; }

   private:
    Slot* slot_;
    T* object_;
    HandleUse use_;
  };

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

  bool is_open(const void* handle) const { return slot_of(handle) != nullptr; }

  // Throws InvalidInput "<what>: ..." where there is none, where the handle is of another kind, or where
  // another thread uses what only one may.
  Held get(const void* handle, const char* what, HandleUse use) const {
    Slot* slot = slot_of(handle);
    if (slot == nullptr) refuse(handle, what);
    if (!slot->enter(use))
      throw InvalidInput(std::string(what) + ": is used by another thread, expected one at a time");
    Held held(slot, slot->object.load(std::memory_order_acquire), use);
    if (slot_of(handle) == nullptr) refuse(handle, what);  // closed before it was entered
    return held;
  }

  // Waits for whoever uses it.
  void close(const void* handle) {
    Slot* slot = nullptr;
    {
      const std::scoped_lock lock(mutex_);
      slot = slot_of(handle);
      if (slot == nullptr) return;
      slot->generation.fetch_add(1);
    }
    while (slot->users.load() != 0) std::this_thread::yield();
    const std::unique_ptr<T> object(slot->object.exchange(nullptr));
    const std::scoped_lock lock(mutex_);
    free_.push_back(place_of(handle));
  }

 private:
  // A handle: generation, 16 bits of place, and the kind.
  static constexpr std::uint64_t kMostHandles = 1 << 16, kSlotsAtOnce = 256, kKindMask = 15;
  static constexpr int kPlaceShift = 4, kGenerationShift = 20;

  struct Slot {
    static constexpr std::uint32_t kAlone = 1U << 31;
    std::atomic<T*> object{nullptr};
    std::atomic<std::uint64_t> generation{1};
    std::atomic<std::uint32_t> users{0};  // or kAlone

    bool enter(HandleUse use) {
      std::uint32_t now = users.load();
      while (use == HandleUse::Exclusive ? now == 0 : now < kAlone)
        if (users.compare_exchange_weak(now, use == HandleUse::Exclusive ? kAlone : now + 1)) return true;
      return false;
    }
    void leave(HandleUse use) { users.fetch_sub(use == HandleUse::Exclusive ? kAlone : 1); }
  };
  using Slots = std::array<Slot, kSlotsAtOnce>;

  static std::uint64_t number_of(const void* handle) { return reinterpret_cast<std::uintptr_t>(handle); }
  static std::uint64_t place_of(const void* handle) {
    return (number_of(handle) >> kPlaceShift) & (kMostHandles - 1);
  }
  // nullptr: NULL, closed, of another kind or never opened.
  Slot* slot_of(const void* handle) const {
    const std::uint64_t number = number_of(handle);
    Slot* slot = (number & kKindMask) == std::uint64_t(kKind) ? slot_at(place_of(handle)) : nullptr;
    const bool is_it = slot != nullptr && slot->generation.load() == number >> kGenerationShift;
    return is_it && slot->object.load(std::memory_order_acquire) != nullptr ? slot : nullptr;
  }
  [[noreturn]] static void refuse(const void* handle, const char* what) {
    const std::uint64_t kind = number_of(handle) & kKindMask;
    const bool other = kind != std::uint64_t(kKind) && (kind == std::uint64_t(HandleKind::Session) ||
                                                        kind == std::uint64_t(HandleKind::Question) ||
                                                        kind == std::uint64_t(HandleKind::Step));
    throw InvalidInput(std::string(what) +
                       (handle == nullptr ? ": is NULL"
                        : other           ? ": is a handle of another kind"
                                          : ": is not open any more") +
                       ", expected one that was opened and not closed");
  }
  static void* to_pointer(std::uint64_t place, std::uint64_t generation) {
    return reinterpret_cast<void*>(generation << kGenerationShift | place << kPlaceShift |  // NOLINT
                                   std::uint64_t(kKind));
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
