#include "warploom/serving/random_deployment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "warploom/serving/pricing/afd_bench_test.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"

namespace warploom {
namespace {

// WARPLOOM_CASES of them, else a few thousand; sanitizers slow runs down some twenty times.
#if defined(WARPLOOM_SANITIZED)
constexpr std::uint64_t kUsualCases = 500;
#else
constexpr std::uint64_t kUsualCases = 4'000;
#endif

// An instance must fail in the moment in which it writes to a store or is read: one case in some thousand.
constexpr std::uint64_t kEnoughToLoseBlocks = 4'000;

std::uint64_t cases() {
  const char* asked = std::getenv("WARPLOOM_CASES");
  return asked != nullptr ? std::stoull(asked) : kUsualCases;
}

// A run that goes round without end is an error, not a test that never comes back.
class BoundedPricer final : public StepPricer {
 public:
  explicit BoundedPricer(std::size_t coupled) : linear_(kTime, coupled), coupled_(coupled) {}
  StepCost price(const StepBatch& batch) override {
    if (++steps_ > kMostSteps) throw std::runtime_error("more steps than any run of this size needs");
    return linear_.price(batch);
  }
  std::vector<KernelTime> breakdown() const override { return linear_.breakdown(); }
  std::unique_ptr<StepPricer> clone() const override { return std::make_unique<BoundedPricer>(coupled_); }
  std::size_t coupled_replicas() const override { return coupled_; }

 private:
  static constexpr LinearStepTime kTime{
      .per_step = milliseconds(5), .per_token = microseconds(20), .per_context_token = microseconds(0.01)};
  static constexpr std::int64_t kMostSteps = 20'000;
  LinearStepPricer linear_;
  std::size_t coupled_;
  std::int64_t steps_ = 0;
};

const std::vector<const StepPricer*>& pricers() {
  static const BoundedPricer one(1), two(2), three(3);
  static const std::vector<const StepPricer*> all{&one, &two, &three};
  return all;
}

// Replicas of as many attention ranks with two feed-forward ranks.
const std::vector<const StepPricer*>& pricers_apart() {
  const auto bench = [](std::int64_t groups, std::int64_t micro_batches) {
    return AfdBench({.expert_parallel = 2, .attention_data_parallel = groups, .feed_forward_ranks = 2},
                    micro_batches, AfdLatency(1e9, 300));
  };
  static const AfdBench one = bench(1, 2), two = bench(2, 3), three = bench(3, 1);
  static const std::vector<const StepPricer*> all{&one.pricer, &two.pricer, &three.pricer};
  return all;
}

void expect_request_ended(const RequestRecord& record, const RandomRun& run, std::size_t index) {
  const WorkloadRequest& asked = run.workload.requests[index];
  EXPECT_EQ(record.input_tokens, asked.input_tokens);
  EXPECT_LE(record.output_tokens, asked.output_tokens);
  if (record.rejected) {
    EXPECT_EQ(record.tokens_emitted, 0);
    return;
  }
  if (!record.completed()) {
    EXPECT_TRUE(run.loses_instances || record.turned_away || record.timed_out)
        << "request " << index << " never ended";
    return;
  }
  EXPECT_LE(record.arrival, record.queued);
  EXPECT_LE(record.queued, record.scheduled);
  EXPECT_LT(record.scheduled, record.first_token);
  EXPECT_LE(record.first_token, record.last_token);
  EXPECT_LE(record.first_token, record.first_answer);
  EXPECT_LE(record.first_answer, record.last_token);
  EXPECT_LT(record.thinking_tokens, record.output_tokens);
  EXPECT_TRUE(record.thinking_tokens > 0 || record.first_answer == record.first_token);
}

// Each image is encoded, and only where its request was stopped or lost perhaps again; those of the turns
// before where neither their keys and values nor what was made of them is kept.
void expect_images_conserved(const SimulationResult& result, const RandomRun& run) {
  std::int64_t needed = 0, of_turns_before = 0, thoughts = 0, asked = 0;
  for (std::size_t i = 0; i < result.requests.size(); ++i) {
    asked += run.workload.requests[i].thinking_tokens;
    if (!result.requests[i].completed()) continue;
    for (const PlacedImage& image : run.workload.images_of(i)) ++(image.own ? needed : of_turns_before);
    thoughts += result.requests[i].thinking_tokens;
  }
  EXPECT_GE(result.totals.images, needed);
  const bool again = result.preemptions > 0 || result.restarts > 0;
  if (!again && result.metrics.failed == result.rejected) {
    EXPECT_LE(result.totals.images, needed + of_turns_before);
  }
  EXPECT_TRUE(asked == 0 || result.thinking.has_value() || result.rejected + result.cut > 0);
  if (result.thinking) {
    EXPECT_EQ(result.thinking->thinking_tokens, thoughts);
    EXPECT_EQ(result.thinking->thinking_tokens + result.thinking->answer_tokens,
              result.metrics.total_output_tokens);
  }
  ASSERT_EQ(result.encoders.has_value(), run.deployment.encoders.has_value());
  if (!result.encoders) return;
  const EncoderTotals& encoders = *result.encoders;
  EXPECT_EQ(encoders.steps.images, result.totals.images);
  // A step under way when the run ends has sent nothing.
  const double bytes = double(encoders.steps.tokens) * run.deployment.encoders->per_token.value();
  EXPECT_LE(encoders.bytes.value(), bytes + 1);
  if (result.metrics.failed > 0) return;
  EXPECT_NEAR(encoders.bytes.value(), bytes, 1);
  EXPECT_GE(encoders.gpu_time.value() + 1e-9, encoders.steps.gpu_p50.value());
}

// A turn comes when the last of those that it waits for lets it go, and not before.
void expect_turns_follow(const SimulationResult& result, const Workload& workload) {
  std::vector<SimTime> ready(workload.requests.size());
  std::vector<bool> known(workload.requests.size(), true);
  const auto wait_for = [&](std::size_t turn, std::size_t parent, SimDuration delay, bool from_sending) {
    const RequestRecord& before = result.requests[parent];
    if (!from_sending && !before.completed()) known[turn] = false;
    ready[turn] = std::max(ready[turn], (from_sending ? before.arrival : before.last_token) + delay);
  };
  for (std::size_t i = 0; i < workload.requests.size(); ++i)
    if (const WorkloadRequest& turn = workload.requests[i]; turn.after >= 0)
      wait_for(i, std::size_t(turn.after), turn.delay, turn.from_sending);
  for (const FurtherParent& edge : workload.further_parents)
    wait_for(edge.request, edge.parent, edge.delay, edge.from_sending);
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    const bool waited = workload.requests[i].after >= 0 && known[i] && result.requests[i].completed();
    EXPECT_TRUE(!waited || result.requests[i].arrival == ready[i]) << "turn " << i;
  }
}

void expect_rules_kept(const SimulationResult& result, const FleetRules& rules) {
  std::int64_t turned_away = 0, timed_out = 0;
  for (const RequestRecord& record : result.requests) {
    turned_away += record.turned_away ? 1 : 0;
    timed_out += record.timed_out ? 1 : 0;
    EXPECT_TRUE(!record.turned_away || record.tokens_emitted == 0);
    const double taken = (record.last_token - record.arrival).seconds().value();
    const double most = rules.request_timeout.value();
    EXPECT_TRUE(most == 0 || !record.completed() || taken <= most + 1e-9);
  }
  EXPECT_EQ(result.turned_away, turned_away);
  EXPECT_EQ(result.timed_out, timed_out);
  EXPECT_TRUE(turned_away == 0 || rules.max_queued > 0);
  EXPECT_TRUE(timed_out == 0 || rules.request_timeout.value() > 0);
}

// Bytes are those of the tokens that moved, no link carries more than it can, and units of a store are there,
// evicted or lost with their writer.
void expect_caches_conserved(const SimulationResult& result, const Deployment& deployment) {
  const SharedKvTotals& shared = result.shared_kv;
  const SharedKvPlan& plan = deployment.shared_kv;
  const double token = plan.per_token.value();
  const auto unit = double(unit_tokens_of(deployment.pools[0].config));
  EXPECT_DOUBLE_EQ(shared.peer_bytes.value(), double(shared.peer_tokens) * token);
  EXPECT_NEAR(shared.store_read_bytes.value(), double(shared.store_read_tokens) * token, 1);
  EXPECT_NEAR(shared.store_written_bytes.value(), double(shared.store_written_units) * unit * token, 1);
  EXPECT_EQ(shared.store_written_units,
            shared.store_units + shared.store_evicted_units + shared.store_dropped_units);
  EXPECT_LE(shared.store_units, shared.store_capacity_units);
  EXPECT_TRUE(plan.store_tokens > 0 || shared.store_written_units + shared.store_read_tokens == 0);
  EXPECT_TRUE(plan.peers != KvPeers::None || shared.peer_tokens == 0);
  EXPECT_LE(shared.lost_tokens, shared.peer_tokens);
  EXPECT_LE(shared.link_wait.value(), 2 * shared.wait.value() + 1e-6);
  EXPECT_TRUE(!deployment.failures.empty() || shared.lost_tokens == 0);
  const bool ends = result.metrics.failed == 0 && deployment.failures.empty();
  if (ends && plan.store_bandwidth.value() > 0) {
    EXPECT_LE(shared.store_read_bytes.value(),
              plan.store_bandwidth.value() * result.end.seconds().value() + 1);
  }
}

// Every request ends, with its tokens; each token is computed once, or found, or again after a loss.
void expect_conserved(const SimulationResult& result, const RandomRun& run) {
  std::int64_t needed = 0, outputs = 0, preemptions = 0, rejected = 0, cached = 0;
  for (std::size_t i = 0; i < result.requests.size(); ++i) {
    const RequestRecord& record = result.requests[i];
    expect_request_ended(record, run, i);
    preemptions += record.preemptions;
    rejected += record.rejected ? 1 : 0;
    if (!record.completed()) continue;
    needed += record.input_tokens + record.output_tokens - 1;
    cached += record.cached_tokens;
    outputs += record.tokens_emitted;
  }
  EXPECT_EQ(result.metrics.total_output_tokens, outputs);
  EXPECT_EQ(result.preemptions, preemptions);
  expect_rules_kept(result, run.deployment.rules);
  expect_turns_follow(result, run.workload);
  expect_caches_conserved(result, run.deployment);
  expect_images_conserved(result, run);
  // Where requests are left over, a turn behind one of them never comes.
  EXPECT_LE(rejected, result.rejected);
  EXPECT_TRUE(run.loses_instances || rejected == result.rejected);
  EXPECT_EQ(result.metrics.completed + result.metrics.failed, std::ssize(run.workload.requests));
  // After a loss a request may find what others computed meanwhile, which its record does not count.
  const bool again = preemptions > 0 || result.restarts > 0 || result.speculation.drafts > 0;
  if (!again && !run.deployment.disaggregated() && result.metrics.failed == rejected) {
    EXPECT_EQ(result.totals.tokens, needed - cached);
  }
  for (const TimelineSample& sample : result.timeline) {
    EXPECT_GE(sample.kv_use, 0);
    EXPECT_LE(sample.kv_use, 1);
  }
  for (std::size_t i = 0; i < result.pools.size(); ++i) {
    const PoolPlan& pool = run.deployment.pools[i];
    const std::int64_t first = pool.config.instances * pool.config.data_parallel_size /
                               std::int64_t(pool.pricer->coupled_replicas());
    EXPECT_LE(result.pools[i].most_instances, std::max(first, pool.autoscaling.max_instances));
  }
}

void expect_same(const SimulationResult& a, const SimulationResult& b) {
  ASSERT_EQ(a.requests.size(), b.requests.size());
  for (std::size_t i = 0; i < a.requests.size(); ++i) {
    EXPECT_EQ(a.requests[i].scheduled, b.requests[i].scheduled) << i;
    EXPECT_EQ(a.requests[i].first_token, b.requests[i].first_token) << i;
    EXPECT_EQ(a.requests[i].last_token, b.requests[i].last_token) << i;
    EXPECT_EQ(a.requests[i].replica, b.requests[i].replica) << i;
    EXPECT_EQ(a.requests[i].cached_tokens, b.requests[i].cached_tokens) << i;
  }
  EXPECT_EQ(a.metrics.ttft.mean, b.metrics.ttft.mean);
  EXPECT_EQ(a.metrics.itl.mean, b.metrics.itl.mean);
  EXPECT_EQ(a.totals.tokens, b.totals.tokens);
  EXPECT_EQ(a.totals.steps, b.totals.steps);
  EXPECT_EQ(a.speculation.accepted_tokens, b.speculation.accepted_tokens);
  EXPECT_EQ(a.end, b.end);
}

TEST(RandomDeployment, EveryRequestEndsNothingLeaksAndWatchingChangesNothing) {
  std::int64_t joined = 0, preempted = 0, restarted = 0, rejected = 0, reloaded = 0, turned_away = 0,
               images = 0, encoded_apart = 0, encoded_again = 0, images_of_turns = 0, thoughts = 0,
               timed_out = 0, apart = 0, of_store = 0, of_peers = 0, evicted = 0, lost = 0, dropped = 0;
  for (std::uint64_t number = 1; number <= cases() && !testing::Test::HasFailure(); ++number) {
    SCOPED_TRACE(testing::Message() << "case " << number);
    const RandomRun run = RandomDeployment(number, pricers(), &pricers_apart()).draw();
    SimulationResult result, watched;
    ASSERT_NO_THROW(result = simulate(run.deployment, run.workload, {.timeline_samples = 50, .threads = 1}));
    expect_conserved(result, run);
    ASSERT_NO_THROW(watched = simulate(run.deployment, run.workload,
                                       {.timeline_samples = 0, .recorded_steps = 20, .threads = 1}));
    expect_same(result, watched);
    joined += std::ssize(run.workload.further_parents);
    for (const PoolPlan& pool : run.deployment.pools) apart += pool.config.num_ffn_ranks > 0 ? 1 : 0;
    images += result.totals.images;
    encoded_apart += result.encoders ? result.encoders->requests : 0;
    encoded_again += result.totals.images > std::ssize(run.workload.images) ? 1 : 0;
    images_of_turns += std::count_if(run.workload.images.begin(), run.workload.images.end(),
                                     [](const PlacedImage& image) { return !image.own; });
    thoughts += result.thinking ? result.thinking->cut : 0;
    preempted += result.preemptions;
    restarted += result.restarts;
    rejected += result.rejected;
    reloaded += result.transfers.reloaded_tokens;
    turned_away += result.turned_away;
    timed_out += result.timed_out;
    of_store += result.shared_kv.store_read_tokens;
    of_peers += result.shared_kv.peer_tokens;
    evicted += result.shared_kv.store_evicted_units;
    lost += result.shared_kv.lost_tokens;
    dropped += result.shared_kv.store_dropped_units;
  }
  // The draws reach what they are meant to reach.
  EXPECT_GT(joined, 0);
  EXPECT_GT(apart, 0);
  EXPECT_GT(images, 0);
  EXPECT_GT(encoded_apart, 0);
  EXPECT_GT(encoded_again, 0);
  EXPECT_GT(images_of_turns, 0);
  EXPECT_GT(thoughts, 0);
  EXPECT_GT(preempted, 0);
  EXPECT_GT(restarted, 0);
  EXPECT_GT(rejected, 0);
  EXPECT_GT(reloaded, 0);
  EXPECT_GT(of_store, 0);
  EXPECT_GT(of_peers, 0);
  EXPECT_GT(evicted, 0);
  EXPECT_TRUE(lost + dropped > 0 || cases() < kEnoughToLoseBlocks);
  EXPECT_GT(turned_away, 0);
  EXPECT_GT(timed_out, 0);
}

// Requests without common prefixes: more caches do not mean fewer hits.
TEST(RandomDeployment, MoreInstancesNeverMakeTheFirstTokenLater) {
  for (std::uint64_t number = 1; number <= cases() / 20 && !testing::Test::HasFailure(); ++number) {
    SCOPED_TRACE(testing::Message() << "case " << number);
    RandomRun run = RandomDeployment(number, pricers()).draw();
    run.deployment.failures.clear();
    run.deployment.rules = {};
    run.workload.content.clear();
    run.workload.content_begin.clear();
    run.workload.concurrency.reset();
    run.workload.further_parents.clear();
    for (PoolPlan& pool : run.deployment.pools) {
      pool.autoscaling = {};
      pool.config.instances = 1;
    }
    const double one = simulate(run.deployment, run.workload).metrics.ttft.mean.value();
    for (PoolPlan& pool : run.deployment.pools) pool.config.instances = 2;
    const double two = simulate(run.deployment, run.workload).metrics.ttft.mean.value();
    EXPECT_LE(two, 1.05 * one + 0.01);  // two steps
  }
}

}  // namespace
}  // namespace warploom
