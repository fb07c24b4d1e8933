// What an engine asks of caches outside its instance.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "warploom/base/units.h"

namespace warploom {

// Units of a prompt behind those at hand: some of one peer (LMCache asks one), then some of the store.
struct RemoteMatch {
  std::uint32_t peer = 0;  // replica, as `asker` of RemoteCaches
  std::int32_t peer_units = 0;
  std::int32_t store_units = 0;
  std::int32_t units() const { return peer_units + store_units; }
};

class RemoteCaches {
 public:
  virtual ~RemoteCaches() = default;
  // What can be read of a prompt from its unit `from` on by replica `asker`. It counts as used.
  // O(replicas + units found).
  virtual RemoteMatch find(std::uint32_t asker, std::span<const std::uint64_t> hashes, std::size_t from) = 0;
  // Whether it is fetched; `computing`: what computing the same takes, where known.
  virtual bool fetches(std::uint32_t asker, const RemoteMatch& match, std::int64_t unit_tokens,
                       std::optional<Seconds> computing) const = 0;
  // Whether what is computed is to be told: there is a store.
  virtual bool stores() const = 0;
};

}  // namespace warploom
