// The store of a fleet and the caches of its instances, as all instances see them, and the links that carry
// what is read and written.
//
// Each instance has a link out and one in, the store one each way. A transfer is served in order of asking:
// from a peer it holds the sender's link out and the reader's link in for its whole length; from the store it
// ends when both the store and the reader's link have carried it. Bytes go straight into the GPU's memory.
#pragma once

#include <deque>

#include "warploom/serving/cluster/pool.h"
#include "warploom/serving/kv/remote_caches.h"
#include "warploom/serving/kv/shared_kv.h"
#include "warploom/serving/kv/shared_store.h"
#include "warploom/serving/simulation_result.h"

namespace warploom {

class ClusterCaches final : public RemoteCaches {
 public:
  // `pools` outlive it, and each has units of the same size.
  ClusterCaches(const SharedKvPlan& plan, std::int64_t unit_tokens, std::deque<Pool>& pools);

  static constexpr std::uint32_t kPoolShift = 24;
  static std::uint32_t id_of(std::size_t pool, std::size_t replica) {
    return std::uint32_t(pool << kPoolShift | replica);
  }

  void look_at(SimTime now) { now_ = now; }
  RemoteMatch find(std::uint32_t asker, std::span<const std::uint64_t> hashes, std::size_t from) override;
  bool fetches(std::uint32_t asker, const RemoteMatch& match, std::int64_t unit_tokens,
               std::optional<Seconds> computing) const override;
  bool stores() const override { return plan_.store_tokens > 0; }

  // A fetch of replica `asker` begins; when its last byte is there.
  SimTime begin(std::uint32_t asker, const KvFetch& fetch);
  // Units that a replica has computed are written, those that the store lacks.
  void write(std::uint32_t replica, std::span<const std::uint64_t> hashes);
  // An instance failed: what it was writing is lost. Of one of its replicas.
  void forget_writer(std::uint32_t replica) { store_.drop_unwritten(instance_id(replica), now_); }
  // A peer failed while it sent.
  void count_lost(std::int64_t tokens) { totals_.lost_tokens += tokens; }
  SharedKvTotals totals() const;

 private:
  std::size_t pool_of(std::uint32_t id) const { return id >> kPoolShift; }
  std::size_t replica_of(std::uint32_t id) const { return id & ((1U << kPoolShift) - 1); }
  Instance& instance_of(std::uint32_t id) { return pools_[pool_of(id)].instance_of(replica_of(id)); }
  std::uint32_t instance_id(std::uint32_t id) const;
  BytesPerSecond bandwidth_of(std::uint32_t id) const { return pools_[pool_of(id)].plan().cache_bandwidth; }
  bool holds(const SchedulerState& state, std::uint64_t hash) const;
  // How many of `hashes` a replica has from their start on, where that is more than `least`; else any number
  // up to `least`. O(log units) where its caches have no gaps, else O(units).
  std::size_t leading(const SchedulerState& state, std::span<const std::uint64_t> hashes,
                      std::size_t least) const;
  void find_peer(std::uint32_t asker, std::span<const std::uint64_t> hashes, std::size_t from,
                 RemoteMatch& match);
  SimTime read_peer(std::uint32_t asker, std::uint32_t peer, std::int64_t tokens);
  SimTime read_store(std::uint32_t asker, std::int64_t tokens);
  // The store's own share of a transfer, after those before it.
  SimTime through_store(SimTime& busy_until, Bytes bytes) const;

  SharedKvPlan plan_;
  std::int64_t unit_tokens_;
  std::deque<Pool>& pools_;
  SharedStore store_;
  SimTime now_;
  SimTime store_sends_until_, store_receives_until_;
  SharedKvTotals totals_;
};

}  // namespace warploom
