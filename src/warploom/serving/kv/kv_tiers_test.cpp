#include "warploom/serving/kv/kv_tiers.h"

#include <gtest/gtest.h>

#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/workload/session_workload.h"

namespace warploom {
namespace {

KvTierConfig tiers(std::int64_t cpu, std::int64_t disk, double us_per_token = 1) {
  return {.cpu_tokens = cpu,
          .disk_tokens = disk,
          .cpu_per_token = microseconds(us_per_token),
          .disk_per_token = microseconds(10 * us_per_token)};
}

TEST(KvTiers, EveryTierKeepsWhatWasUsedLast) {
  KvTiers two(tiers(32, 48), 16);
  for (const std::uint64_t hash : {1, 2, 3, 4}) two.store(hash);
  EXPECT_EQ(two.find(4), KvTier::Cpu);
  EXPECT_EQ(two.find(3), KvTier::Cpu);
  EXPECT_EQ(two.find(2), KvTier::Disk);
  EXPECT_EQ(two.find(1), KvTier::None);
  EXPECT_EQ(two.stored_units(), 4);
  two.store(4);
  EXPECT_EQ(two.stored_units(), 4);
  KvTiers disk(tiers(0, 16), 16);
  disk.store(7);
  EXPECT_EQ(disk.find(7), KvTier::Disk);
}

TEST(KvTiers, FetchesOnlyWhatIsFasterThanComputing) {
  KvTiers store(tiers(1000, 1000), 16);
  EXPECT_TRUE(store.fetches(16, 0));
  EXPECT_FALSE(store.fetches(0, 0));
  store.see_prompt_step(microseconds(500), 100);  // 5 us a token
  EXPECT_TRUE(store.fetches(16, 0));
  EXPECT_FALSE(store.fetches(0, 16));
  KvTierConfig config = tiers(1000, 1000);
  config.fetch = KvFetchRule::Always;
  KvTiers always(config, 16);
  always.see_prompt_step(microseconds(500), 100);
  EXPECT_TRUE(always.fetches(0, 16));
  EXPECT_FALSE(always.fetches(0, 0));
}

// Conversations that need more cache than the GPU has.
SimulationResult converse(const KvTierConfig& config, std::int64_t blocks) {
  SessionShape shape;
  shape.sessions = 40;
  shape.rate = 2;
  shape.turns = 5;
  const Workload workload = session_workload(shape, 1);
  static const LinearStepPricer pricer({.per_step = milliseconds(5), .per_token = microseconds(50)});
  ServingConfig engine;
  engine.num_gpu_blocks_override = blocks;
  Deployment deployment;
  deployment.pools.push_back({.config = engine, .pricer = &pricer, .tiers = config});
  return simulate(deployment, workload);  // asserts that no block is left
}

TEST(KvTiers, ReloadingBeatsRecomputing) {
  const SimulationResult without = converse({}, 600);
  const SimulationResult with = converse(tiers(1'000'000, 0), 600);
  EXPECT_EQ(with.metrics.completed, 200);
  EXPECT_GT(with.offloaded_units, 0);
  EXPECT_GT(with.transfers.reloaded_tokens, 0);
  EXPECT_GT(with.cached_tokens, without.cached_tokens);
  EXPECT_LT(with.metrics.ttft.mean, without.metrics.ttft.mean);
  EXPECT_LT(with.totals.tokens, without.totals.tokens);
}

TEST(KvTiers, HostMemoryHoldsWhatTheGpuHolds) {
  // As much again as the GPU has, written through, adds far less than as much again beside it.
  const std::int64_t same = 600 * 16;
  const SimulationResult without = converse({}, 600);
  const SimulationResult equal = converse(tiers(same, 0), 600);
  const SimulationResult twice = converse(tiers(2 * same, 0), 600);
  EXPECT_LT(equal.transfers.reloaded_tokens, twice.transfers.reloaded_tokens / 2);
  EXPECT_GE(twice.cached_tokens, without.cached_tokens);
}

TEST(KvTiers, ATierTooSlowIsLeftAlone) {
  const SimulationResult without = converse({}, 600);
  const SimulationResult slow = converse(tiers(1'000'000, 0, 1e4), 600);
  // The first hit is fetched before any prompt's speed is known; later ones are not.
  EXPECT_LT(slow.transfers.reloaded_tokens, without.cached_tokens / 20);
}

}  // namespace
}  // namespace warploom
