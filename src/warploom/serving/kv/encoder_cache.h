// What an encoder of images made and prompts still need, as vLLM keeps it
// (vllm/v1/core/encoder_cache_manager.py): a number of tokens in all. An image is held while its request has
// not computed it; after that it stays until others need the room, longest unused first.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

namespace warploom {

class EncoderCache {
 public:
  // One image of one request.
  static std::uint64_t key_of(std::uint32_t request, std::size_t image) {
    return std::uint64_t(request) << 32 | image;
  }

  // Tokens that a step may encode, and tokens that are kept.
  EncoderCache(std::int64_t budget, std::int64_t capacity) : budget_(budget), capacity_(capacity) {}
  std::int64_t budget() const { return budget_; }

  // Holds what is kept of an image; false: nothing is.
  bool hold(std::uint64_t key);
  // Whether `tokens` more find room, beside those that are held; makes it.
  bool make_room(std::int64_t tokens);
  // Keeps an image and holds it; make_room found room for it.
  void add(std::uint64_t key, std::int64_t tokens);
  // Its request needs it no more (now).
  void let_go(std::uint64_t key);
  // It was not encoded after all.
  void forget(std::uint64_t key);

  std::int64_t held_tokens() const { return held_; }
  std::int64_t kept_tokens() const { return kept_; }
  std::int64_t capacity() const { return capacity_; }

 private:
  struct Entry {
    std::int64_t tokens = 0;
    bool held = true;
    std::list<std::uint64_t>::iterator place{};  // in idle_, where it is not held
  };
  std::int64_t budget_, capacity_;
  std::int64_t held_ = 0, kept_ = 0;
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::list<std::uint64_t> idle_;  // longest unused first
};

}  // namespace warploom
