// What an encoder of images made and prompts still need, as vLLM keeps it
// (vllm/v1/core/encoder_cache_manager.py): a number of tokens in all. An image is held while a request has
// not computed it; after that it stays until others need the room, longest unused first. Requests with the
// same picture share what is kept of it.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

namespace warploom {

class EncoderCache {
 public:
  // Tokens that a step may encode, and tokens that are kept.
  EncoderCache(std::int64_t budget, std::int64_t capacity) : budget_(budget), capacity_(capacity) {}
  std::int64_t budget() const { return budget_; }

  // Holds what is kept of an image for a request; false: nothing is.
  bool hold(std::uint32_t image, std::uint32_t request);
  // Whether `tokens` more find room, beside those that are held; makes it.
  bool make_room(std::int64_t tokens);
  // Keeps an image and holds it for a request; make_room found room for it.
  void add(std::uint32_t image, std::uint32_t request, std::int64_t tokens);
  // The request needs it no more (now).
  void let_go(std::uint32_t image, std::uint32_t request);
  // The request that it was to be encoded for does not need it: false where another one does, which it stays
  // for.
  bool forget(std::uint32_t image, std::uint32_t request);

  std::int64_t held_tokens() const { return held_; }
  std::int64_t kept_tokens() const { return kept_; }
  std::int64_t capacity() const { return capacity_; }

 private:
  struct Entry {
    std::int64_t tokens = 0;
    std::vector<std::uint32_t> holders;
    std::list<std::uint32_t>::iterator place{};  // in idle_, where nobody holds it
  };
  std::int64_t budget_, capacity_;
  std::int64_t held_ = 0, kept_ = 0;
  std::unordered_map<std::uint32_t, Entry> entries_;
  std::list<std::uint32_t> idle_;  // longest unused first
};

}  // namespace warploom
