#include "warploom/planner/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "warploom/base/error.h"

namespace warploom {

FieldTable SearchSpace::describe() {
  using S = SearchSpace;
  return FieldList<S>("search_space")
      .add("gpu_names", &S::gpus, {.doc = "GPUs to choose from: names or paths of records", .required = true})
      .add("engines", &S::engines, {.doc = "engines to choose from, NAME or NAME:VERSION"})
      .add("tensor_parallel_sizes", &S::tensor_parallel,
           {.doc = "GPUs that share each layer", .min = 1, .max = 1024})
      .add("pipeline_parallel_sizes", &S::pipeline_parallel,
           {.doc = "GPUs that share the layers out", .min = 1, .max = 1024})
      .add("data_parallel_sizes", &S::data_parallel,
           {.doc = "attention groups of one instance, of mixtures of experts; none: 1, behind latent "
                   "attention also 8",
            .min = 1,
            .max = 1024})
      .add("expert_parallel", &S::expert_parallel, {.doc = "experts spread over the GPUs whole"})
      .add("pools", &S::pools, {.doc = "prefill and decode in one pool, apart, or either"})
      .add("quantizations", &S::quantizations,
           {.doc = "schemes of the linear layers, stored for the checkpoint's own"})
      .add("max_num_seqs", &S::max_num_seqs,
           {.doc = "requests in a batch; none: the engine's default", .min = 1, .max = 1e6})
      .add("max_num_batched_tokens", &S::max_num_batched_tokens,
           {.doc = "new tokens in a step; none: the engine's default", .min = 1, .max = 1e8})
      .add("prefix_caching", &S::prefix_caching, {.doc = "reuse the KV blocks of equal prefixes"})
      .add("speculations", &S::speculations,
           {.doc = "none, METHOD:TOKENS or METHOD:TOKENS:MODEL, for example eagle3:3"})
      .add("kv_offloading", &S::kv_offloading_gib,
           {.unit = "GiB", .doc = "host memory for evicted prefixes", .min = 0, .max = 1e6})
      .add("num_redundant_experts", &S::redundant_experts,
           {.doc = "replicas of experts, which are then placed by load; of experts spread whole",
            .min = 0,
            .max = 4096})
      .add("num_ffn_ranks", &S::feed_forward_ranks,
           {.doc = "further GPUs of an instance that hold the experts apart from attention (AFD), 0 for none",
            .min = 0,
            .max = 4096})
      .add("num_afd_stages", &S::micro_batches,
           {.doc = "micro-batches of those, which take turns on both sides", .min = 1, .max = 16})
      .add("moe_exchanges", &S::moe_exchanges,
           {.doc = "how tokens reach experts that are spread whole: collectives, deepep, deepep_normal, "
                   "deepep_low_latency or megamoe; none: the engine's own"})
      .add("encoder_instances", &S::encoder_instances,
           {.doc = "engines of one GPU that encode images alone, 0: those that compute prompts do",
            .min = 0,
            .max = 65536})
      .add("shared_caches", &S::shared_caches,
           {.doc = "whether instances share the store and the peers that are described"})
      .add("routing_policies", &S::routing_policies,
           {.doc = "routers over instances to choose from; none: routing_policy"})
      .add("max_gpus", &S::max_gpus, {.doc = "most GPUs of a deployment", .min = 1, .max = 65536})
      .table();
}

std::pair<std::string, std::string> engine_and_version(const std::string& entry) {
  const std::size_t colon = entry.find(':');
  if (colon == std::string::npos) return {entry, {}};
  return {entry.substr(0, colon), entry.substr(colon + 1)};
}

namespace {

template <class T>
std::vector<T> or_default(const std::vector<T>& values, T fallback) {
  return values.empty() ? std::vector<T>{fallback} : values;
}

void check_sizes(const std::vector<std::int64_t>& values, std::string_view field) {
  if (values.empty()) throw InvalidInput(fmt::format("{}: is empty, expected at least one size", field));
  for (const std::int64_t value : values)
    if (value < 1) throw InvalidInput(fmt::format("{} is {}, expected at least 1", field, value));
}

std::vector<bool> values_of(Tried tried) {
  if (tried == Tried::Both) return {false, true};
  return {tried == Tried::On};
}

// Adds the ways to hold the experts of an instance whose attention is spread like `shape`.
void add_expert_shapes(std::vector<EngineShape>& shapes, const SearchSpace& space, EngineShape shape,
                       bool mixture) {
  for (const std::int64_t apart : mixture ? space.feed_forward_ranks : std::vector<std::int64_t>{0})
    for (const std::int64_t stages : apart > 0 ? space.micro_batches : std::vector<std::int64_t>{0}) {
      shape.feed_forward_ranks = apart;
      shape.micro_batches = stages;
      const bool several = apart > 0 ? apart > 1 : shape.gpus() > 1;
      for (const bool whole : values_of(mixture && several ? space.expert_parallel : Tried::Off))
        for (const std::int64_t redundant : whole ? space.redundant_experts : std::vector<std::int64_t>{0}) {
          shape.expert_parallel = whole;
          shape.redundant_experts = redundant;
          const bool chosen = whole && apart == 0 && shape.data_parallel > 1 && !space.moe_exchanges.empty();
          for (std::size_t i = chosen ? 1 : 0; i <= (chosen ? space.moe_exchanges.size() : 0); ++i) {
            shape.exchange = i;
            if (shape.gpus() <= space.max_gpus) shapes.push_back(shape);
          }
        }
    }
}

// Every way to spread one instance over one kind of GPU.
std::vector<EngineShape> shapes_of(const SearchSpace& space, bool mixture) {
  std::vector<EngineShape> shapes;
  for (std::size_t gpu = 0; gpu < space.gpus.size(); ++gpu)
    for (const std::int64_t tp : space.tensor_parallel)
      for (const std::int64_t pp : space.pipeline_parallel)
        for (const std::int64_t dp : or_default<std::int64_t>(space.data_parallel, 1))
          add_expert_shapes(shapes, space, {gpu, tp, pp, dp}, mixture);
  return shapes;
}

}  // namespace

void visit_configurations(const SearchSpace& space, bool mixture,
                          const std::function<void(const Configuration&)>& visit) {
  if (space.gpus.empty()) throw InvalidInput("gpu_names: is empty, expected at least one GPU to choose from");
  check_sizes(space.tensor_parallel, "tensor_parallel_sizes");
  check_sizes(space.pipeline_parallel, "pipeline_parallel_sizes");
  if (!space.data_parallel.empty()) check_sizes(space.data_parallel, "data_parallel_sizes");
  check_sizes(space.micro_batches, "num_afd_stages");
  if (space.feed_forward_ranks.empty() || space.redundant_experts.empty())
    throw InvalidInput(
        "num_ffn_ranks, num_redundant_experts: is empty, expected at least one number, 0 for none");
  if (space.encoder_instances.empty())
    throw InvalidInput("encoder_instances: is empty, expected at least one number, 0 for none");
  const std::vector<EngineShape> shapes = shapes_of(space, mixture);
  const auto visit_shapes = [&](Configuration configuration) {
    for (const EngineShape& shape : shapes) {
      configuration.shape = shape;
      configuration.decode.reset();
      if (space.pools != PoolLayout::Disaggregated) visit(configuration);
      // What computes prompts has its experts beside attention, as published deployments do.
      if (space.pools == PoolLayout::Aggregated || shape.feed_forward_ranks > 0) continue;
      for (const EngineShape& decode : shapes) {
        if (shape.gpus() + decode.gpus() > space.max_gpus) continue;
        configuration.decode = decode;
        visit(configuration);
      }
    }
  };
  const auto each_shape = [&](Configuration configuration) {
    for (const std::int64_t encoders : space.encoder_instances)
      for (const bool shared : values_of(space.shared_caches)) {
        configuration.encoders = encoders;
        configuration.shared_caches = shared;
        visit_shapes(configuration);
      }
  };
  for (std::size_t engine = 0; engine < std::max<std::size_t>(1, space.engines.size()); ++engine)
    for (std::size_t scheme = 0; scheme < std::max<std::size_t>(1, space.quantizations.size()); ++scheme)
      for (std::size_t draft = 0; draft < std::max<std::size_t>(1, space.speculations.size()); ++draft)
        for (const std::int64_t seqs : or_default<std::int64_t>(space.max_num_seqs, 0))
          for (const std::int64_t tokens : or_default<std::int64_t>(space.max_num_batched_tokens, 0))
            for (const bool caching : values_of(space.prefix_caching))
              for (const double offloading : or_default<double>(space.kv_offloading_gib, 0))
                for (std::size_t router = 0; router < std::max<std::size_t>(1, space.routing_policies.size());
                     ++router)
                  each_shape({engine, scheme, draft, seqs, tokens, caching, offloading, router, {}, {}});
}

std::vector<Fleet> fleets_of(const Configuration& configuration, std::int64_t max_gpus,
                             std::int64_t gpu_count, std::int64_t spare,
                             const std::function<double(const Fleet&)>& price) {
  const std::int64_t least = spare + 1;
  const std::int64_t most = gpu_count > 0 ? gpu_count : max_gpus;
  struct Priced {
    double price;
    std::int64_t gpus;
    Fleet fleet;
  };
  std::vector<Priced> priced;
  const auto add = [&](const Fleet& fleet) {
    const std::int64_t gpus = gpus_of(configuration, fleet);
    if (gpus > most || (gpu_count > 0 && gpus != gpu_count)) return false;
    priced.push_back({price(fleet), gpus, fleet});
    return true;
  };
  const std::int64_t own = configuration.shape.gpus();
  for (std::int64_t instances = least; instances * own <= most; ++instances) {
    if (!configuration.decode) {
      add({instances, 0});
      continue;
    }
    for (std::int64_t decode = least; instances * own + decode * configuration.decode->gpus() <= most;
         ++decode)
      add({instances, decode});
  }
  std::stable_sort(priced.begin(), priced.end(), [](const Priced& a, const Priced& b) {
    return std::tie(a.price, a.gpus, a.fleet.decode) < std::tie(b.price, b.gpus, b.fleet.decode);
  });
  std::vector<Fleet> fleets;
  for (const Priced& entry : priced) fleets.push_back(entry.fleet);
  return fleets;
}

}  // namespace warploom
