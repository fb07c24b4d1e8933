// For tests: deployments and workloads with every scheduling option drawn together, so small that thousands
// of runs take seconds. The same number gives the same run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "warploom/base/random.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/replica/replica.h"
#include "warploom/serving/simulation.h"

namespace warploom {

struct RandomRun {
  Deployment deployment;
  Workload workload;
  bool loses_instances = false;  // for good: requests may be left without any
};

class RandomDeployment {
 public:
  // `pricers[n - 1]` has n ranks that step together, and so has `apart[n - 1]`, whose experts are on GPUs of
  // their own; they outlive the runs.
  RandomDeployment(std::uint64_t number, const std::vector<const StepPricer*>& pricers,
                   const std::vector<const StepPricer*>* apart = nullptr)
      : random_(number, "deployment"),
        sides_(number, "sides"),
        shared_(number, "shared"),
        images_(number, "images"),
        number_(number),
        pricers_(pricers),
        apart_(apart) {}

  RandomRun draw() {
    RandomRun run;
    run.workload = workload();
    add_images_and_thoughts(run.workload);
    const bool split = chance(0.2);
    const ServingConfig config = engine(run.workload);
    const std::int64_t ranks = chance(0.3) ? config.data_parallel_size : 1;
    for (std::size_t i = 0; i < (split ? 2 : 1); ++i) {
      run.deployment.pools.push_back({.name = i == 0 ? "first" : "second",
                                      .config = config,
                                      .pricer = pricers_[std::size_t(ranks - 1)],
                                      .tiers = tiers(),
                                      .autoscaling = scaling()});
      run.deployment.pools.back().config.instances = random_.integer(1, 3);
      run.deployment.pools.back().config.num_gpu_blocks_override = blocks(config, run.workload);
    }
    if (apart_ != nullptr) set_experts_apart(run.deployment, ranks);
    run.deployment.transfer = {.footprint = {.full_per_token = Bytes(1e5)},
                               .layers = 10,
                               .prefill_bandwidth = BytesPerSecond(1e9),
                               .decode_bandwidth = BytesPerSecond(1e9),
                               .latency = milliseconds(1),
                               .layerwise = chance(0.5)};
    run.deployment.seed = std::uint64_t(random_.integer(1, 1000));
    if (chance(0.3)) fail(run);
    rules(run.deployment);
    share_caches(run.deployment);
    encode_apart(run);
    return run;
  }

 private:
  bool chance(double share) { return random_.uniform() < share; }
  template <class T>
  T one_of(std::vector<T> values) {
    return values[std::size_t(random_.integer(0, std::ssize(values) - 1))];
  }

  // Drawn from numbers of their own: other runs stay what they were.
  void set_experts_apart(Deployment& deployment, std::int64_t ranks) {
    constexpr double kShare = 0.25;
    for (PoolPlan& pool : deployment.pools) {
      if (sides_.uniform() >= kShare || pool.config.pipeline_parallel_size > 1) continue;
      pool.pricer = (*apart_)[std::size_t(ranks - 1)];
      pool.config.num_ffn_ranks = 2;
    }
  }

  // Drawn from numbers of their own. A prompt stays shorter than a step that is not cut.
  void add_images_and_thoughts(Workload& workload) {
    const bool known = !workload.content_begin.empty();
    if (images_.uniform() < (known ? 0.3 : 0.4)) {
      std::vector<ImageDraw> draws;
      for (std::int64_t i = images_.integer(1, 2); i > 0; --i) {
        const std::int64_t tokens = images_.integer(1, known ? 12 : 25);
        draws.push_back(
            {.shape = {.tokens = tokens, .runs = {{1, 4 * tokens}}}, .share = images_.uniform(0.1, 1)});
      }
      add_images(workload, known ? 1 : images_.integer(1, 2), draws, 1, number_);
      if (!known && images_.uniform() < 0.5) take_images(workload);
    }
    if (images_.uniform() < 0.3) {
      Thinking thinking{.mean = images_.uniform(1, 8), .deviation = images_.uniform(0, 8)};
      thinking.budget = images_.integer(0, 12);
      add_thinking(workload, thinking, number_);
    }
  }

  // Some requests are of words alone after all.
  void take_images(Workload& workload) {
    Workload some = workload;
    some.images.clear();
    some.images_begin = {0};
    for (std::size_t i = 0; i < workload.requests.size(); ++i) {
      WorkloadRequest& request = some.requests[i];
      const bool keeps = i == 0 || images_.uniform() < 0.6;
      for (const PlacedImage& image : workload.images_of(i)) {
        if (keeps)
          some.images.push_back(image);
        else
          request.input_tokens -= std::int32_t(workload.tokens_of(image));
      }
      if (!keeps) request.images = 0;
      some.images_begin.push_back(std::uint32_t(some.images.size()));
    }
    workload = std::move(some);
  }

  void encode_apart(RandomRun& run) {
    if (run.workload.images.empty()) return;
    const ServingConfig& first = run.deployment.pools[0].config;
    for (PoolPlan& pool : run.deployment.pools) {
      pool.config.most_image_tokens = images_.integer(0, 120);
      pool.config.images_wait_apart = images_.uniform() < 0.5;
    }
    if (images_.uniform() >= 0.5) return;
    EncoderPlan plan;
    plan.pool = {.name = "encode", .config = first, .pricer = pricers_[0]};
    plan.pool.config.instances = images_.integer(1, 3);
    plan.pool.config.max_num_seqs = images_.integer(1, 4);
    plan.pool.config.max_num_batched_tokens = images_.integer(1, 60);
    plan.per_token = Bytes(1e4);
    plan.bandwidth = BytesPerSecond(1e6) * (1 + 1000 * images_.uniform());
    plan.latency = milliseconds(images_.uniform(0, 5));
    run.deployment.encoders = plan;
  }

  void rules(Deployment& deployment) {
    FleetRules& rules = deployment.rules;
    const bool split = deployment.disaggregated();
    if (chance(0.2)) use(deployment, RoutingPolicy::Weighted);
    const RoutingPolicy policy = deployment.pools[0].config.routing_policy;
    if (policy == RoutingPolicy::Weighted) {
      rules.prefix_weight = random_.uniform(0, 5);
      if (chance(0.5)) rules.cold_weight = 2;
    }
    if (policy == RoutingPolicy::KvCost) {
      if (chance(0.5)) rules.overlap_credit = random_.uniform();
      if (chance(0.5)) rules.prefill_scale = random_.uniform(0, 4);
      if (chance(0.5)) rules.temperature = random_.uniform(0, 2);
    }
    if (policy == RoutingPolicy::CacheAware) {
      rules.cache_threshold = random_.uniform();
      rules.balance_abs = random_.integer(0, 4);
      rules.balance_rel = random_.uniform(1, 2);
    }
    know_prefixes(rules, policy);
    const bool follows_load =
        policy != RoutingPolicy::Engine && policy != RoutingPolicy::RoundRobin && !counts_own(policy);
    if (follows_load && chance(0.4)) rules.signal_interval = milliseconds(random_.uniform(1, 200));
    if (chance(0.2)) rules.max_queued = random_.integer(1, 3);
    if (!split && chance(0.3)) rules.request_timeout = milliseconds(random_.uniform(1, 400));
  }

  static void use(Deployment& deployment, RoutingPolicy policy) {
    for (PoolPlan& pool : deployment.pools) pool.config.routing_policy = policy;
  }

  void know_prefixes(FleetRules& rules, RoutingPolicy policy) {
    if (!looks_at_prefixes(policy)) return;
    if (policy != RoutingPolicy::CacheAware) {
      rules.remembers_routed = chance(0.3);
      if (!rules.remembers_routed && chance(0.5)) rules.event_delay = milliseconds(random_.uniform(1, 300));
    }
    const bool remembers = rules.remembers_routed || policy == RoutingPolicy::CacheAware;
    if (remembers && chance(0.5)) rules.routed_memory = milliseconds(random_.uniform(1, 300));
  }

  Workload workload() {
    Workload workload;
    const std::int64_t requests = random_.integer(1, 14);
    const bool shares = chance(0.5), talks = chance(0.4);
    const double rate = one_of<double>({5, 50, 500});
    double time = 0;
    if (shares) workload.content_begin.push_back(0);
    for (std::int64_t i = 0; i < requests; ++i) {
      WorkloadRequest request;
      request.input_tokens = std::int32_t(random_.integer(1, 90));
      request.output_tokens = std::int32_t(random_.integer(1, 25));
      request.priority = std::int32_t(random_.integer(0, 3));
      request.arrival = to_sim_time(Seconds(time));
      if (talks && i > 0 && chance(0.6)) {
        request.after = std::int32_t(random_.integer(0, i - 1));
        request.delay = SimDuration(random_.integer(0, 50'000'000));
        request.from_sending = chance(0.15);
      } else {
        time += random_.exponential(1 / rate);
      }
      workload.requests.push_back(request);
      if (!shares) continue;
      const auto common = std::int32_t(random_.integer(0, request.input_tokens));
      if (common > 0) workload.content.push_back({std::uint64_t(random_.integer(1, 3)), common});
      if (common < request.input_tokens)
        workload.content.push_back({std::uint64_t(100 + i), request.input_tokens - common});
      workload.content_begin.push_back(std::uint32_t(workload.content.size()));
    }
    if (chance(0.3)) workload.concurrency = random_.integer(1, 6);
    join_branches(workload);
    return workload;
  }

  // Some turns wait for another request of their session too.
  void join_branches(Workload& workload) {
    std::vector<std::size_t> first(workload.requests.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      const std::int32_t after = workload.requests[i].after;
      first[i] = after < 0 ? i : first[std::size_t(after)];
      const auto other = std::size_t(random_.integer(0, std::int64_t(i)));
      if (after < 0 || other == i || first[other] != first[i] || !chance(0.7)) continue;
      workload.further_parents.push_back({std::uint32_t(i), std::uint32_t(other),
                                          SimDuration(random_.integer(0, 50'000'000)), chance(0.15)});
    }
  }

  ServingConfig engine(const Workload& workload) {
    ServingConfig config;
    config.engine = one_of(engine_names());
    config.block_size = one_of<std::int64_t>({1, 8, 16});
    config.max_num_seqs = random_.integer(1, 12);
    config.enable_chunked_prefill = chance(0.8);
    config.max_num_batched_tokens = *config.enable_chunked_prefill ? random_.integer(16, 100) : 200;
    if (chance(0.2)) config.long_prefill_token_threshold = random_.integer(4, 40);
    config.chunked_prefill_size = one_of<std::int64_t>({0, 16, 32, 64});
    config.enable_prefix_caching = chance(0.8);
    config.scheduler_reserve_full_isl = chance(0.5);
    config.async_scheduling = chance(0.5);
    config.schedule_conservativeness = random_.uniform(0, 1.5);
    config.enable_mixed_chunk = chance(0.5);
    config.scheduler_recv_interval = random_.integer(1, 4);
    config.capacity_scheduler_policy = one_of<std::string>({"guaranteed_no_evict", "max_utilization"});
    config.scheduling_policy = one_of<std::string>({"fcfs", "priority"});
    config.schedule_policy = one_of<std::string>({"fcfs", "lpm", "lof", "random"});
    config.routing_policy = EnumNames<RoutingPolicy>::kNames[std::size_t(random_.integer(0, 8))].first;
    config.enable_lora = chance(0.2);
    config.data_parallel_size = random_.integer(1, 3);
    config.host.prepare = milliseconds(random_.uniform(0, 2));
    config.host.launch_kernels = milliseconds(random_.uniform(0, 30));
    config.host.finish = milliseconds(random_.uniform(0, 1));
    config.host.gap = milliseconds(random_.uniform(0, 1));
    if (chance(0.2)) config.host.frontend_per_token = microseconds(100);
    const bool releases = engine_named(config.engine).windowed_cache({}, {}) == WindowedCache::Released;
    if (releases && chance(0.4))
      config.kv_layout = {.full = random_.integer(1, 2),
                          .windowed = random_.integer(0, 3),
                          .window = random_.integer(1, 40),
                          .state = random_.integer(0, 3),
                          .full_stretch = random_.integer(1, 2),
                          .windowed_stretch = random_.integer(1, 2)};
    if (releases && chance(0.3)) keep_states(config);
    if (engine_named(config.engine).state_pool != nullptr && chance(0.3))
      config.state_pool = {.slots = random_.integer(1, 60), .requests = 12, .held = random_.integer(1, 3)};
    if (chance(0.3)) {
      speculate(config);
    } else {
      config.pipeline_parallel_size = one_of<std::int64_t>({1, 1, 2, 3});
    }
    if (chance(0.2))
      config.max_model_len =
          std::max(shortest_prompt(workload) + 1, longest(workload) * random_.integer(5, 11) / 10);
    return config;
  }

  void keep_states(ServingConfig& config) {
    const std::int64_t groups = random_.integer(1, 3);
    config.kv_layout = {.full = random_.integer(1, 2),
                        .state = groups * random_.integer(1, 2),
                        .kept_state = groups,
                        .full_stretch = random_.integer(1, 3),
                        .states_kept = chance(0.5) ? StateKeeping::AtChunkEnds : StateKeeping::WithinChunks};
  }

  void speculate(ServingConfig& config) {
    config.speculative_config = one_of<std::string>({R"({"method": "eagle3", "num_speculative_tokens": 3})",
                                                     R"({"method": "ngram", "num_speculative_tokens": 2})"});
    config.acceptance_length = random_.uniform(1, 2.9);
    if (chance(0.5)) config.proposal_rate = 0.6;
  }

  static std::int64_t shortest_prompt(const Workload& workload) {
    std::int64_t least = kMaxRequestTokens;
    for (const WorkloadRequest& request : workload.requests)
      least = std::min<std::int64_t>(least, request.input_tokens);
    return least;
  }

  static std::int64_t longest(const Workload& workload) {
    std::int64_t most = 0;
    for (const WorkloadRequest& request : workload.requests)
      most = std::max<std::int64_t>(most, request.input_tokens + request.output_tokens);
    return most;
  }

  // Enough for the longest request and a little more.
  std::int64_t blocks(const ServingConfig& config, const Workload& workload) {
    const std::int64_t step = *config.max_num_batched_tokens, ahead = 6;  // what drafts may write
    const std::int64_t least =
        config.kv_layout.most_blocks(longest(workload) + ahead, step, *config.block_size);
    return least + random_.integer(0, chance(0.5) ? 3 : 2 * least);
  }

  KvTierConfig tiers() {
    if (chance(0.7)) return {};
    return {.cpu_tokens = random_.integer(16, 400),
            .disk_tokens = chance(0.5) ? random_.integer(16, 800) : 0,
            .cpu_per_token = microseconds(1),
            .disk_per_token = microseconds(5)};
  }

  AutoscalingConfig scaling() {
    if (chance(0.7)) return {};
    AutoscalingConfig scaling{
        .max_instances = random_.integer(1, 4),
        .min_instances = 1,
        .policy = EnumNames<ScalingPolicy>::kNames[std::size_t(random_.integer(0, 4))].first,
        .interval = milliseconds(random_.uniform(5, 100)),
        .startup = milliseconds(random_.uniform(1, 200))};
    if (scaling.policy == ScalingPolicy::QueueDepth) scaling.queue_depth = random_.uniform(0.5, 4);
    if (scaling.policy == ScalingPolicy::PlannerSla) scaling.instance_rate = random_.uniform(1, 100);
    if (scaling.policy == ScalingPolicy::PlannerLatency) {
      scaling.ttft = milliseconds(random_.uniform(1, 200));
      scaling.itl = milliseconds(random_.uniform(1, 50));
      scaling.down_sensitivity = random_.uniform();
      if (chance(0.3)) scaling.instance_rate = random_.uniform(1, 100);
    }
    if (scaling.policy == ScalingPolicy::PlannerLoad) {
      scaling.up_load = random_.uniform(0.3, 1);
      scaling.down_load = random_.uniform(0, 0.3);
    }
    if (scaling.policy == ScalingPolicy::Hpa) {
      scaling.metric = EnumNames<ScalingMetric>::kNames[std::size_t(random_.integer(0, 2))].first;
      scaling.target = random_.uniform(0.2, 3);
      scaling.down_window = milliseconds(random_.uniform(1, 500));
    }
    return scaling;
  }

  void fail(RandomRun& run) {
    for (std::int64_t i = random_.integer(1, 3); i > 0; --i) {
      InstanceFailure failure;
      failure.pool = std::size_t(random_.integer(0, std::ssize(run.deployment.pools) - 1));
      const PoolPlan& pool = run.deployment.pools[failure.pool];
      const std::int64_t instances = pool.config.instances * pool.config.data_parallel_size /
                                     std::int64_t(pool.pricer->coupled_replicas());
      failure.instance =
          std::size_t(random_.integer(0, std::max(instances, pool.autoscaling.max_instances) - 1));
      failure.at = to_sim_time(milliseconds(random_.uniform(0, 500)));
      if (chance(0.8))
        failure.down = SimDuration(random_.integer(0, 200'000'000));
      else
        run.loses_instances = true;
      run.deployment.failures.push_back(failure);
    }
  }

  // Drawn from numbers of their own, after all else.
  void share_caches(Deployment& deployment) {
    constexpr BytesPerSecond kSlowest(1e7);
    constexpr double kSpread = 300;
    if (shared_.uniform() >= 0.4) return;
    const std::int64_t unit = unit_tokens_of(deployment.pools[0].config);
    for (const PoolPlan& pool : deployment.pools)
      if (unit_tokens_of(pool.config) != unit) return;
    SharedKvPlan& plan = deployment.shared_kv;
    plan.per_token = Bytes(1e5);
    if (shared_.uniform() < 0.7) plan.store_tokens = shared_.integer(unit, 30 * unit);
    if (shared_.uniform() < 0.5) plan.store_bandwidth = kSlowest * (1 + kSpread * shared_.uniform());
    plan.store_latency = plan.peer_latency = milliseconds(shared_.uniform(0, 5));
    plan.peers = EnumNames<KvPeers>::kNames[std::size_t(shared_.integer(0, 2))].first;
    if (shared_.uniform() < 0.3) plan.least_tokens = shared_.integer(1, 40);
    if (shared_.uniform() < 0.3) plan.fetch = KvFetchRule::Faster;
    for (PoolPlan& pool : deployment.pools)
      pool.cache_bandwidth = kSlowest * (1 + kSpread * shared_.uniform());
  }

  RandomStream random_, sides_, shared_, images_;
  std::uint64_t number_;
  const std::vector<const StepPricer*>& pricers_;
  const std::vector<const StepPricer*>* apart_;
};

}  // namespace warploom
